"""Storing bookings with all that belongs to them, in the caller's transaction."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.queries import places
from fuel_app.bookings.queries.places import Taker
from fuel_app.bookings.rules.bookings import SlotFull
from fuel_app.bookings.rules.holds import last_try
from fuel_app.bookings.rules.slots import SlotOffer
from fuel_app.bookings.rules.states import ALLOWANCE, FREE_FILL, GUEST_FILL
from fuel_app.bookings.service import access, charging, telling
from fuel_app.bookings.service.estimating import Order
from fuel_app.bookings.tables import FreeFill, StoredBooking
from fuel_app.customers.rules.vehicles import bare_plate
from fuel_app.kit import clock, jobs, outbox
from fuel_app.kit.audit import current_request
from fuel_app.kit.errors import Refusal
from fuel_app.kit.legal import TERMS_VERSION
from fuel_app.plans.rules.ledger import GUEST, PLAN, Reservation
from fuel_app.plans.service import ledger

BUCKETS = {ALLOWANCE: PLAN, GUEST_FILL: GUEST}  # of the ledger, by the way of paying


class FreeFillGone(Refusal):
    """The plate, phone or person has had a free fill by now."""


@dataclass(frozen=True, slots=True)
class NewBooking:
    """The one who books: a customer (`by` themselves or staff), or a guest with a contact."""

    key: str
    by: Actor | None = None
    person_id: str | None = None
    contact: dict[str, str] = field(default_factory=dict)
    payer_id: str | None = None  # of a guest
    hold_id: str = ""
    note: str = ""
    request_id: str = field(default_factory=current_request)

    @property
    def guest_email(self) -> str:
        return self.contact.get("email", "")


@dataclass(frozen=True, slots=True)
class Ready:
    """A checked booking, which needs only a place."""

    new: NewBooking
    order: Order
    row: StoredBooking


async def store(
    session: AsyncSession, ready: Sequence[Ready]
) -> list[StoredBooking | SlotFull | None]:
    """Store bookings with their places, fills of the allowance, events and messages.

    Args:
        session: Of the transaction in which the orders were looked up, each of another person.

    Returns:
        The bookings in their order; None where others may have locked the last free places for a
        moment: ask again in another transaction.

    Raises:
        FreeFillGone, NoFillsLeft: If it is so for one of them. None may be stored then.
    """
    free = await _lock_places(session, ready)
    outcomes = list(zip(ready, free, strict=True))
    placed = [(each, place) for each, place in outcomes if isinstance(place, int)]
    if placed:
        await _store(session, placed)
    return [each.row if isinstance(place, int) else place for each, place in outcomes]


async def _lock_places(
    session: AsyncSession, ready: Sequence[Ready]
) -> list[int | SlotFull | None]:
    by_slot: dict[str, list[int]] = {}
    for number, each in enumerate(ready):
        by_slot.setdefault(each.row.slot_id, []).append(number)
    found: dict[int, int | SlotFull | None] = {}
    for slot_id, numbers in sorted(by_slot.items()):  # in one order, against deadlocks
        capacity = ready[numbers[0]].order.capacity
        holds = [ready[number].new.hold_id for number in numbers]
        waits = not any(isinstance(place, int) for place in found.values())
        free = await places.lock_free(session, slot_id, capacity, clock.now(), holds, waits=waits)
        found |= zip(numbers, free or [SlotFull() for _ in numbers], strict=True)
    return [found[number] for number in range(len(ready))]


async def _store(session: AsyncSession, placed: Sequence[tuple[Ready, int]]) -> None:
    """Store bookings in the places that are locked for them."""
    new = [each for each, _ in placed]
    reservations = [
        Reservation(each.order.allowance, each.row.id, each.row.revision, str(each.new.by))
        for each in new
        if each.order.allowance
    ]
    if reservations:
        await ledger.reserve(session, reservations)
    await queries.add(session, [each.row for each in new])
    free_fills = [_free_fill(each) for each in new if each.row.pays_by == FREE_FILL]
    free_fills.sort(key=lambda each: each.license_plate)  # in one order, against deadlocks
    if free_fills and not await queries.add_free_fills(session, free_fills):
        raise FreeFillGone
    taken = [
        (each.row.slot_id, place, Taker(each.new.hold_id, each.row.id)) for each, place in placed
    ]
    await places.fill(session, taken)
    holds = [each.new.hold_id for each in new if each.new.hold_id]
    if holds:
        await places.release(session, *holds)
    events = [access.event_of(each.row, "book", each.new.by, note=each.new.note) for each in new]
    await queries.add_events(session, events)
    for each in new:
        with structlog.contextvars.bound_contextvars(request_id=each.new.request_id):
            await access.audited(session, each.new.by, each.row, "book", each.new.note)
    await jobs.enqueue_all(session, [job for each in new for job in charging.tries(each.row)])
    messages = (telling.confirmation(each.row, each.order.estimate) for each in new)
    await outbox.add_all(session, [draft for drafts in messages for draft in drafts])


def _free_fill(each: Ready) -> FreeFill:
    customer = each.order.customer
    return FreeFill(
        person_id=each.row.person_id or "",
        license_plate=bare_plate(each.order.car.license_plate),
        phone=customer.phone if customer else "",
        booking_id=each.row.id,
    )


def row_of(new: NewBooking, order: Order, slot: SlotOffer) -> StoredBooking:
    """Return a booking as it is going to be stored."""
    estimate = order.estimate
    return StoredBooking(
        key=new.key,
        person_id=new.person_id,
        contact=new.contact,
        guest_email=new.guest_email,
        terms_version=TERMS_VERSION if new.contact else "",
        payer_id=new.payer_id,
        area_id=order.area.id,
        slot_id=slot.id,
        starts_at=slot.starts_at,
        ends_at=slot.ends_at,
        vehicle_id=order.car.id or None,
        vehicle=asdict(order.car),
        place=asdict(order.place),
        grade=estimate.grade,
        price_mills=estimate.mills,
        estimated_milligallons=estimate.milligallons,
        pays_by=estimate.pays_by,
        period=estimate.period,
        fee_cents=estimate.fee.cents,
        tax_cents=estimate.tax.cents,
        late_fee_agreed_cents=estimate.late_fee.cents,
        free_cap_cents=estimate.free_cap.cents if estimate.free_cap else None,
        free_fill_used=estimate.free_fill_used,
        card_due_at=last_try(slot.starts_at, clock.now()),
    )
