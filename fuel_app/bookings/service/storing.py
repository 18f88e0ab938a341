"""Storing a booking with all that belongs to it, in the caller's transaction."""

from dataclasses import asdict, dataclass, field

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.queries import places
from fuel_app.bookings.queries.places import Taker
from fuel_app.bookings.rules.bookings import (
    NeedsCard,
    NeedsVerifiedEmail,
    SlotClosed,
    SlotFull,
)
from fuel_app.bookings.rules.slots import SlotOffer
from fuel_app.bookings.rules.states import ALLOWANCE, FREE_FILL, GUEST_FILL
from fuel_app.bookings.service import access, estimating, telling
from fuel_app.bookings.service.estimating import Plan
from fuel_app.bookings.tables import BookingEvent, FreeFill, StoredBooking
from fuel_app.kit import clock
from fuel_app.kit.errors import Refusal
from fuel_app.kit.legal import TERMS_VERSION
from fuel_app.plans.rules.ledger import GUEST, PLAN
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
    hold_id: str = ""
    note: str = ""

    @property
    def guest_email(self) -> str:
        return self.contact.get("email", "")


async def store(session: AsyncSession, new: NewBooking, plan: Plan) -> StoredBooking:
    """Store a booking, its place, its fill of the allowance, its event and its messages.

    Args:
        session: Of the transaction in which the plan was made and locked.
        new: Who books.
        plan: What is booked.

    Raises:
        FreeFillGone, NoFillsLeft
        Refusal: As `booking.book` says.
    """
    now, slot = clock.now(), plan.slot
    if slot is None:
        raise SlotClosed
    if plan.customer and not plan.customer.email_verified:
        raise NeedsVerifiedEmail
    if plan.customer and not plan.customer.has_card:
        raise NeedsCard
    taken = await places.taken(session, [slot.id], now, new.hold_id)
    if taken.get(slot.id, 0) >= plan.capacity:  # of a crowd nearly all end here, at little cost
        raise SlotFull
    row = _row(new, plan, slot)
    if new.by and (bucket := BUCKETS.get(row.pays_by)):
        row.period = await ledger.reserve(
            session, plan.subscription, bucket, slot.day, row.id, row.revision, new.by
        )
    await queries.add(session, row)
    if plan.customer and row.person_id and row.pays_by == FREE_FILL:
        plate, phone = estimating.plate(plan.car.license_plate), plan.customer.phone
        free = FreeFill(
            person_id=row.person_id, license_plate=plate, phone=phone, booking_id=row.id
        )
        if not await queries.add_free_fill(session, free):
            raise FreeFillGone
    taker = Taker(new.hold_id, row.id)
    if not await places.take(session, slot.id, plan.capacity, now, taker):
        raise SlotFull
    if new.hold_id:
        await places.release(session, new.hold_id)
    event = BookingEvent(
        booking_id=row.id,
        revision=row.revision,
        kind="book",
        state=row.state,
        actor=str(new.by or access.GUEST_NAME),
        at=now,
        before={},
        note=new.note,
    )
    await queries.add_event(session, event)
    await access.audited(session, new.by, row, event.kind, new.note)
    await telling.confirmed(session, row, plan.estimate.lines)
    return row


def _row(new: NewBooking, plan: Plan, slot: SlotOffer) -> StoredBooking:
    estimate = plan.estimate
    return StoredBooking(
        key=new.key,
        person_id=new.person_id,
        contact=new.contact,
        guest_email=new.guest_email,
        terms_version=TERMS_VERSION if new.contact else "",
        area_id=plan.area.id,
        slot_id=slot.id,
        starts_at=slot.starts_at,
        ends_at=slot.ends_at,
        vehicle_id=plan.car.id or None,
        vehicle=asdict(plan.car),
        place=asdict(plan.place),
        grade=estimate.grade,
        price_mills=estimate.mills,
        estimated_milligallons=estimate.milligallons,
        pays_by=estimate.pays_by,
        fee_cents=estimate.fee.cents,
        tax_cents=estimate.tax.cents,
        late_fee_agreed_cents=estimate.late_fee.cents,
        free_cap_cents=estimate.free_cap.cents if estimate.free_cap else None,
    )
