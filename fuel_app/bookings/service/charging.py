"""The money of bookings: the hold that a booking plans, and what its end costs."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.rules.cards import CardNeeded
from fuel_app.billing.rules.fills import Whose
from fuel_app.billing.rules.payments import FAILED, Payment
from fuel_app.billing.service import cards, fills, holds
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.filling import CHECKING
from fuel_app.bookings.rules.holds import CardState, first_try, last_try
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit import clock, jobs
from fuel_app.kit.db.session import reading
from fuel_app.kit.jobs import NewJob
from fuel_app.kit.money import Money

AUTHORIZE = "bookings.authorize"
_DECLINED_SINCE = timedelta(days=3)


def whose(row: StoredBooking) -> Whose:
    names = (row.contact.get(each, "") for each in ("first_name", "last_name"))
    return Whose(row.id, row.person_id, row.payer_id, " ".join(filter(None, names)))


def tries(row: StoredBooking) -> list[NewJob]:
    """Return the jobs that authorise the card for a booking's window."""
    now = clock.now()
    last = due_at(row, now)
    first = max(first_try(row.starts_at), now)
    return [try_job(row, "first", first, last), try_job(row, "last", last, last)]


def due_at(row: StoredBooking, now: datetime) -> datetime:
    """Return until when a declined card may be replaced, as the jobs of the booking have it."""
    known = row.card_due_at
    return known if known and known > now else last_try(row.starts_at, now)


def try_job(row: StoredBooking, name: str, run_at: datetime, until: datetime) -> NewJob:
    """Return the job of one try; the booking is cancelled if the card is declined `until` then."""
    payload = {"booking": row.id, "slot": row.slot_id, "until": until.isoformat()}
    name = f"{row.id}:{row.revision}:{name}"
    return NewJob(AUTHORIZE, payload | {"try": name}, f"authorize:{name}", run_at)


async def try_new_card(session: AsyncSession, payer: Any) -> None:
    """Authorise a payer's new card for the bookings for which the former one was declined."""
    now = clock.now()
    declined = await holds.declined_of(session, payer.id, now - _DECLINED_SINCE)
    rows = await queries.open_ones(session, declined)
    name = f"card:{payer.card_id}"
    again = (try_job(row, name, now, due_at(row, now)) for row in rows)
    await jobs.enqueue_all(session, list(again))


async def keep_for_booked(session: AsyncSession, person_id: str) -> None:
    """Keep a card while a fill is booked, or staff are asked about its gallons."""
    if await queries.upcoming(session, person_id):
        raise CardNeeded("A fill-up is booked with this card. Please update it, or cancel first.")
    if await queries.checked(session, person_id):
        raise CardNeeded(f"{CHECKING} of a fill-up that this card pays. Please update it.")


cards.ON_NEW_CARD.append(try_new_card)
cards.BEFORE_REMOVAL.append(keep_for_booked)


async def ended(session: AsyncSession, row: StoredBooking, what: str) -> None:
    """Bill the late fee of a booking without a fill; where there is none, release the hold."""
    if row.late_fee_cents:
        await fills.late_fee(session, whose(row), Money(row.late_fee_cents), f"Late fee: {what}")
    else:
        await holds.release(session, row.id)


async def cards_of(bookings: Sequence[Booking]) -> dict[str, CardState]:
    """Return how the cards of bookings stand, by booking."""
    last, now = await _last_holds(bookings), clock.now()
    return {each.id: CardState.of(each, last.get(each.id), now) for each in bookings}


async def unpaid(bookings: Sequence[Booking]) -> frozenset[str]:
    """Return those whose last hold was declined, or whose fee the customer has not chosen yet."""
    last = await _last_holds(bookings)
    declined = {booking_id for booking_id, hold in last.items() if hold.state == FAILED}
    return frozenset(each.id for each in bookings if each.fee_asked_at or each.id in declined)


async def _last_holds(bookings: Sequence[Booking]) -> dict[str, Payment]:
    async with reading() as session:
        return await holds.last_of(session, [each.id for each in bookings])
