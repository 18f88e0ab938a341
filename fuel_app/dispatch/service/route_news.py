"""Notifications to technicians whose published route is another one by now.

A message is queued in the transaction of the change, and says what is true when it is sent: what
was undone until then is no news. One waits for each technician at most.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.service import directory
from fuel_app.dispatch.rules.route_changes import describe_news
from fuel_app.dispatch.service.days import read_part
from fuel_app.dispatch.tables import StoredShift, StoredStop
from fuel_app.kit import clock, outbox
from fuel_app.kit.clock import day_of
from fuel_app.kit.outbox import Message, Skip
from fuel_app.messages.rules import push

KIND = "route_changed"
# A dispatcher who moves several stops, or undoes a move, is told of once.
PAUSE = timedelta(seconds=20)
NO_NEWS = "The route is as the technician knows it."
NO_TECHNICIAN = "The technician has left the team."
# In the payload: of each shift its day, and the stops that the technician has known of.
SHIFTS = "shifts"


def stop_ids(rows: Collection[StoredStop], shift_id: str) -> list[str]:
    """Return the stops of a shift as a message knows them."""
    return [row.booking_id or row.id for row in rows if row.shift_id == shift_id]


async def notify_technicians(
    session: AsyncSession,
    by: Actor,
    shifts: Collection[StoredShift],
    before: Mapping[str, Sequence[str]],
) -> None:
    """Queue a notification to the technicians of locked shifts whose routes have just changed.

    Args:
        before: The stops by the shift as their technicians know them; none of a route that is
            published only now.
    """
    for shift in shifts:
        await notify_technician(session, by, shift.technician_id, shift, before.get(shift.id, ()))


async def notify_technician(
    session: AsyncSession,
    by: Actor,
    person_id: str | None,
    shift: StoredShift,
    before: Sequence[str],
) -> None:
    """Queue a notification about one shift, or add the shift to the one that waits.

    Not to who has caused it, and of no day that is over.
    """
    is_over = shift.day < day_of(clock.now())
    if not push.is_on() or is_over or person_id is None or person_id == by.person_id:
        return
    known = {shift.id: {"day": shift.day.isoformat(), "stops": [*before]}}
    key, ends_at = f"{KIND}:{person_id}", shift.ends_at
    waiting = await outbox.find_waiting(session, key)
    if waiting:
        waiting.payload = {**waiting.payload, SHIFTS: known | waiting.payload[SHIFTS]}
        waiting.good_until = max(ends_at, waiting.good_until or ends_at)
        await session.flush()
        return
    await outbox.free_settled_keys(session, [key])
    await outbox.add(
        session,
        KIND,
        channel=outbox.PUSH,
        person_id=person_id,
        payload={SHIFTS: known, "once": person_id},
        key=key,
        send_at=clock.now() + PAUSE,
        good_until=ends_at,
    )


@outbox.composer(KIND)
async def compose_news(session: AsyncSession, row: Message) -> Mapping[str, Any] | Skip:
    """Say how routes differ from what the technician knows. A later change is another message."""
    locked = await outbox.lock(session, row.id)
    await outbox.free_key(session, row.id)
    person_id = row.person_id or ""
    if person_id not in await directory.technicians(session):
        return Skip(NO_TECHNICIAN)
    told = [
        await _describe(session, person_id, shift_id, date.fromisoformat(known["day"]), known)
        for shift_id, known in locked.payload[SHIFTS].items()
    ]
    news = " ".join(filter(None, told))
    return {"route": news} if news else Skip(NO_NEWS)


async def _describe(
    session: AsyncSession, person_id: str, shift_id: str, day: date, known: Mapping[str, Any]
) -> str:
    """Return what has changed on a route that a technician had, or has now; '' if nothing has."""
    part = await read_part(session, day, [shift_id])
    theirs = [each for each in part.routes if each.shift.technician_id == person_id]
    shown = theirs if part.published_at else []
    done = {stop.id for route in theirs for stop in route.started}
    return describe_news(
        [each for each in known["stops"] if each not in done],
        [stop.id for route in shown for stop in route.waiting],
        is_new=not known["stops"],
        day=day,
        today=day_of(clock.now()),
    )
