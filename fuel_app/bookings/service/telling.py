"""Messages about bookings: to the customer, or to a guest's e-mail."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.bookings.queries.bookings import booking_of
from fuel_app.bookings.rules.estimates import Line
from fuel_app.bookings.rules.slots import CUTOFF
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit import clock, outbox
from fuel_app.kit.clock import day_of, time_of_day
from fuel_app.kit.money import Money
from fuel_app.kit.outbox import Draft
from fuel_app.messages.service import queue

_REMINDERS = {"day_before": timedelta(days=1), "hour_before": timedelta(hours=1)}


def confirmation(row: StoredBooking, lines: Sequence[Line]) -> list[Draft]:
    """Return the messages of a new booking: that it is booked, and its reminders."""
    price = "\n".join(f"{line.label}: {line.amount}" for line in lines)
    return [*_draft(row, "booking_confirmed", price=price, **_terms(row)), *_reminders(row)]


async def moved(session: AsyncSession, row: StoredBooking, before: str, reason: str) -> None:
    """Tell of another window; the reminders of the former one are withdrawn."""
    await _withdraw(session, row)
    told = _draft(row, "booking_moved", before=before, reason=reason, **_terms(row))
    await outbox.add_all(session, [*told, *_reminders(row)])


async def cancelled(session: AsyncSession, row: StoredBooking) -> None:
    """Tell of a cancellation and what it costs; the reminders are withdrawn."""
    await _withdraw(session, row)
    charge = f"{Money(row.late_fee_cents)} late fee" if row.late_fee_cents else "None"
    told = _draft(row, "booking_cancelled", charge=charge, reason=row.reason)
    await outbox.add_all(session, told)


def _draft(
    row: StoredBooking, kind: str, *, wanted: datetime | None = None, **more: Any
) -> list[Draft]:
    booking = booking_of(row)
    payload = {
        "booking": row.id,
        "revision": row.revision,
        "starts_at": row.starts_at.isoformat(),
        "ends_at": row.ends_at.isoformat(),
        "when": booking.when,
        "vehicle": booking.car.name,
        "place": booking.place.line,
    }
    return queue.drafts(
        kind,
        row.person_id,
        payload | more,
        to="" if row.person_id else row.guest_email,
        key=f"{kind}:{row.id}:{row.revision}",
        wanted=wanted,
        good_until=row.starts_at if wanted else None,
    )


def _reminders(row: StoredBooking) -> list[Draft]:
    times = ((kind, row.starts_at - ahead) for kind, ahead in _REMINDERS.items())
    now = clock.now()
    return [each for kind, at in times if at > now for each in _draft(row, kind, wanted=at)]


async def _withdraw(session: AsyncSession, row: StoredBooking) -> None:
    """Withdraw the reminders of former revisions."""
    revisions = range(1, row.revision)
    keys = (f"{kind}:{row.id}:{each}" for kind in _REMINDERS for each in revisions)
    await queue.take_back(session, *keys)


def _terms(row: StoredBooking) -> dict[str, Any]:
    until = row.starts_at - CUTOFF
    day = day_of(until)
    free_until = f"{day:%A, %B} {day.day}, {time_of_day(until)}"
    late_fee = str(Money(row.late_fee_agreed_cents)) if row.late_fee_agreed_cents else ""
    return {"free_until": free_until, "late_fee": late_fee}
