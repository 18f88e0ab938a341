"""Questions to the office about fills, in the transaction of what raises them."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.queries import questions as queries
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.filling import Fill, ticket_key
from fuel_app.bookings.rules.questions import (
    CORRECTED,
    GALLONS,
    KEPT,
    KEPT_MOST,
    KEPT_MOST_IN_ALL,
    TICKET,
    Question,
)
from fuel_app.bookings.service import access
from fuel_app.bookings.tables import FillQuestion, StoredBooking
from fuel_app.kit import clock


async def follow(
    session: AsyncSession, by: Actor, row: StoredBooking, *, former_key: str, at: datetime
) -> tuple[str, ...]:
    """Ask about a fill that was just recorded or corrected, and drop what is no question any more.

    A repeated ticket that staff have seen is not asked about again. Two fills that are recorded in
    the same moment are not compared.

    Args:
        former_key: The ticket of a meter that it had before.
        at: When it was recorded or corrected.

    Returns:
        The kinds of the questions that hold.
    """
    keys = {GALLONS: ""} if row.gallons_asked_at else {}
    if await _is_used(session, row.id, row.ticket_key):
        keys[TICKET] = row.ticket_key
    known = [each for each in await queries.of_bookings(session, [row.id]) if each.kind != KEPT]
    now = clock.now()
    for each in known:
        if keys.get(each.kind) != each.ticket_key:
            await queries.answer(session, each.id, CORRECTED, str(by), now, "")
    for kind, key in keys.items():
        stands = ((e.kind, e.ticket_key) == (kind, key) and e.answer != CORRECTED for e in known)
        if not any(stands):
            about = {"booking_id": row.id, "person_id": by.person_id or None, "at": at}
            await queries.add(session, FillQuestion(kind=kind, ticket={}, ticket_key=key, **about))
    if former_key not in ("", row.ticket_key):
        await _drop_for_the_last(session, by, former_key, now)
    return tuple(keys)


async def _drop_for_the_last(session: AsyncSession, by: Actor, key: str, now: datetime) -> None:
    """Ask no more about a ticket of a meter that a single fill has left."""
    if len({booking_id for _, booking_id in await queries.with_tickets(session, [key])}) < 2:
        for each in await queries.open_about(session, key):
            await queries.answer(session, each.id, CORRECTED, str(by), now, "")


async def _is_used(session: AsyncSession, booking_id: str, key: str) -> bool:
    """Return whether another booking has this ticket of a meter."""
    used = await queries.with_tickets(session, [key]) if key else []
    return any(each != booking_id for _, each in used)


async def keep(
    session: AsyncSession,
    by: Actor,
    booking: Booking,
    fill: Fill,
    *,
    action_id: str,
    why: str,
    meter: str,
    at: datetime,
) -> None:
    """Keep what a technician has pumped beside a booking, and ask the office, once.

    The booking stays as it is. Beyond `KEPT_MOST`, or `KEPT_MOST_IN_ALL`, the office is not asked:
    what the phone has sent is stored with its actions.
    """
    before = await queries.kept_of(session, [booking.id], by.person_id)
    unanswered_ones = [each for each in before if not each.answer]
    if len(unanswered_ones) >= KEPT_MOST or any(_says(each, fill) for each in before):
        return
    if await queries.count_kept_by(session, by.person_id) >= KEPT_MOST_IN_ALL:
        return
    row = FillQuestion(
        id=action_id,
        kind=KEPT,
        booking_id=booking.id,
        person_id=by.person_id,
        why=why[:200],
        at=at,
        **_figures(fill, meter),
    )
    await queries.add(session, row)
    what = f"{booking.when}, the technician has recorded {fill.said}"
    await access.note(session, by, booking.person_id, "booking_question", what)


async def correct_kept(session: AsyncSession, by: Actor, booking_id: str, fill: Fill) -> bool:
    """Correct what a technician has pumped beside a booking, until the office has answered.

    Return False if there is no such question.
    """
    open_ones = await queries.open_of(session, booking_id, KEPT)
    last = next((each for each in reversed(open_ones) if each.person_id == by.person_id), None)
    if last is None:
        return False
    figures = _figures(fill.correcting(last.ticket), last.ticket.get("meter", ""))
    for name, value in figures.items():
        setattr(last, name, value)
    await session.flush()
    return True


def _says(row: FillQuestion, fill: Fill) -> bool:
    is_same = row.milligallons == fill.milligallons
    return is_same and row.ticket.get("number") == fill.ticket


def _figures(fill: Fill, meter: str) -> dict[str, Any]:
    return {
        "milligallons": fill.milligallons,
        "ticket": fill.stored | ({"meter": meter} if meter else {}),
        "ticket_key": ticket_key(meter, fill.ticket),
    }


async def kept_by(
    session: AsyncSession, person_id: str, booking_ids: Collection[str]
) -> dict[str, Question]:
    """Return what a technician has pumped last beside each of these bookings, by booking."""
    rows = await queries.kept_of(session, booking_ids, person_id)
    return {row.booking_id: _question_of(row) for row in rows}


async def unanswered(session: AsyncSession, most: int) -> tuple[list[Question], int]:
    """Return the oldest unanswered questions, and how many there are in all."""
    rows = await queries.unanswered(session, most)
    return [_question_of(row) for row in rows], await queries.count_unanswered(session)


async def with_tickets(session: AsyncSession, keys: Collection[str]) -> dict[str, list[str]]:
    """Return the bookings whose fills have these tickets of a meter, by ticket."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for key, booking_id in sorted(await queries.with_tickets(session, {*keys} - {""})):
        found[key].append(booking_id)
    return found


def _question_of(row: FillQuestion) -> Question:
    names = {*Question.__slots__} & {*FillQuestion.model_fields}
    return Question(**{name: getattr(row, name) for name in names})
