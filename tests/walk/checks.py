"""What has to be true of the whole company after each step of a walk."""

from collections import Counter, defaultdict
from collections.abc import Iterator

from fuel_app.billing.rules.invoices import FILL, LATE_FEE, VOID
from fuel_app.bookings.rules.states import ALLOWANCE, CANCELLED, COMPLETED, OPEN_STATES
from fuel_app.bookings.tables import SlotSeat, StoredBooking
from fuel_app.dispatch.tables import StoredStop
from fuel_app.kit.outbox import SENT
from fuel_app.plans.rules.ledger import RELEASED, RESERVED
from tests.helpers.books import Books, books
from tests.helpers.people import rows
from tests.walk.company import CAPACITY


async def problems(capacity: int = CAPACITY) -> list[str]:
    """Name what is not as it has to be; `capacity` is the most of any slot."""
    found = await books()
    return [
        *found.differences(),
        *(f"job {each.kind}: {each.error}" for each in found.jobs if each.outcome == "dead"),
        *_cash(found),
        *_fills(found),
        *_reserved(found),
        *_messages(found),
        *_places(found.bookings, await rows(SlotSeat), capacity),
        *_routes(found.bookings, await rows(StoredStop)),
    ]


def _cash(found: Books) -> Iterator[str]:
    """Compare what was captured and given back with invoices and credit notes."""
    cash = sum(each.captured_cents - each.refunded_cents for each in found.payments)
    paid = sum(each.paid_cents for each in found.invoices)
    noted = sum(each.amount_cents for each in found.notes if each.way == "card")
    waiting = ("new", "failed")
    owed = sum(each.amount_cents for each in found.refunds if each.state in waiting)
    if cash != paid - noted + owed:
        yield f"{cash} captured and kept; {paid} paid, {noted} credited, {owed} to be returned"


def _fills(found: Books) -> Iterator[str]:
    """Check that a fill has one invoice, and what was cancelled none but the late fee's."""
    by_booking: defaultdict[str, list] = defaultdict(list)
    for each in found.invoices:
        if each.booking_id and each.state != VOID:
            by_booking[each.booking_id].append(each)
    for booking in found.bookings:
        kinds = Counter(each.kind for each in by_booking[booking.id])
        if max(kinds.values(), default=0) > 1 or kinds.keys() - {FILL, LATE_FEE}:
            yield f"booking {booking.id}: invoices {dict(kinds)}"
        if booking.state == CANCELLED and FILL in kinds:
            yield f"booking {booking.id} is cancelled and charged"
        total = sum(each.total_cents or 0 for each in booking.fills)
        owes = booking.state == COMPLETED and total > 0
        if owes and not kinds[FILL]:
            yield f"booking {booking.id} is filled and has no invoice"


def _reserved(found: Books) -> Iterator[str]:
    """Check that a booking has a fill of the plan while it is open, and none that it lost."""
    fills: Counter[str] = Counter()
    for each in found.entries:
        if each.fill_id and each.kind in (RESERVED, RELEASED):
            fills[each.fill_id] += each.fills
    for booking, fill in ((each, fill) for each in found.bookings for fill in each.fills):
        if fill.pays_by != ALLOWANCE:
            continue
        is_open = booking.state in OPEN_STATES and fill.fee_asked_at is None
        if is_open and fills[fill.id] != -1:
            yield f"fill {fill.id} is open and has reserved {-fills[fill.id]}"
        if booking.state == CANCELLED and fills[fill.id]:
            yield f"fill {fill.id} is cancelled and has reserved {-fills[fill.id]}"


def _messages(found: Books) -> Iterator[str]:
    """Check that each message is there once, and has one outcome.

    What is said again on purpose, such as a declined renewal, has a key of its own each time, or
    is said at another time; a customer may change the plan to come as often as they like.
    """
    times = Counter(
        each.key or (each.kind, each.channel, each.recipient, str(each.payload), each.created_at)
        for each in found.messages
        if each.key or each.kind != "plan_changed"
    )
    yield from (
        f"message {what} is there {count} times" for what, count in times.items() if count > 1
    )
    for each in found.messages:
        if (each.sent_at is not None) != (each.state == SENT):
            yield f"message {each.kind} is {each.state}, sent at {each.sent_at}"


def _places(bookings: list[StoredBooking], places: list[SlotSeat], capacity: int) -> Iterator[str]:
    """Check that no slot has more bookings than places, and each open booking its own."""
    taken = {each.booking_id: each.slot_id for each in places if each.booking_id}
    for slot, count in Counter(taken.values()).items():
        if count > capacity:
            yield f"slot {slot} has {count} bookings"
    for each in bookings:
        if each.state in OPEN_STATES and taken.get(each.id) != each.slot_id:
            yield f"booking {each.id} in {each.slot_id} has a place in {taken.get(each.id)}"
        if each.state == CANCELLED and each.id in taken:
            yield f"booking {each.id} is cancelled and has a place"


def _routes(bookings: list[StoredBooking], stops: list[StoredStop]) -> Iterator[str]:
    """Check that a booking is on one route at most, and that what is driven to is live."""
    known = {each.id: each for each in bookings}
    for booking_id, count in Counter(each.booking_id for each in stops if each.booking_id).items():
        if count > 1:
            yield f"booking {booking_id} has {count} stops"
    for stop in stops:
        booking = known.get(stop.booking_id or "")
        if booking is None or stop.ended_at or booking.slot_id != stop.slot_id:
            continue
        if stop.driving_at and booking.state in ("booked", "dispatched"):
            yield f"stop of {booking.id} is driven to, the booking is {booking.state}"
        if not stop.driving_at and booking.state in ("en_route", "arrived", "fueling"):
            yield f"booking {booking.id} is {booking.state}, its stop is not driven to"
