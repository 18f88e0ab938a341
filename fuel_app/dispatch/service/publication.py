"""A published day that is opened again, and Undo of that.

What customers were told stays with their bookings: published again, only what has changed is told.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.bookings.service import road
from fuel_app.dispatch import queries
from fuel_app.dispatch.rules.day import DayBegun, DayClosed, DayOver, RouteChanged, parse_day
from fuel_app.dispatch.service import route_news
from fuel_app.dispatch.service.day_plan import publish_routes
from fuel_app.dispatch.service.days import read
from fuel_app.kit import audit, clock
from fuel_app.kit.audit import Action, AuditEntry, Change
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import BOOKINGS, SHIFTS, signals

NOUN, KIND = "day", "unpublish"
TOPICS = (SHIFTS, BOOKINGS)


async def unpublish(by: Actor, day: object, seen: Mapping[str, int]) -> str:
    """Take a day back from the technicians: its bookings are booked again. Nobody is told.

    Return the action's id, for Undo; '' if the day is open already. Raises NoSuchDay, DayOver,
    DayClosed, DayBegun, RouteChanged.
    """
    by.require(Role.DISPATCHER)
    chosen = parse_day(day)
    if chosen < clock.day_of(clock.now()):
        raise DayOver
    action = Action(NOUN, KIND, str(by))
    async with transaction() as session:
        shift_ids = await queries.lock_day(session, chosen)
        stops = await queries.stops_of(session, shift_ids)
        await road.of_ids(session, {stop.booking_id or "" for stop in stops}, lock=True)
        now = await read(session, chosen)
        if now.closed_at:
            raise DayClosed
        if now.published_at is None:
            return ""
        if any(route.started for route in now.routes):
            raise DayBegun
        if seen != now.revisions:
            raise RouteChanged
        left = [stop for route in now.routes for stop in route.left]
        known = {route.shift.id: [stop.id for stop in route.left] for route in now.routes}
        await queries.unpublish_day(session, chosen, [stop.row_id for stop in left])
        await road.take_step(session, by, [each.id for each in left if each.booking], "unpublish")
        await queries.increment_revisions(session, shift_ids)
        shifts = await queries.lock_shifts(session, shift_ids)
        await route_news.notify_technicians(session, by, shifts.values(), known)
        change = Change(
            chosen.isoformat(),
            {"published_at": now.published_at.isoformat()},
            {"revisions": await queries.revisions_of_day(session, chosen)},
        )
        await audit.record(session, action, [change])
    await signals().publish(*TOPICS)
    return action.id


@audit.undoes(NOUN, KIND, topics=TOPICS)
async def undo_unpublish(session: AsyncSession, entries: Sequence[AuditEntry]) -> Collection[str]:
    """Publish a day again whose routes are as they were then.

    Raises DayOver, NothingToPublish, RouteChanged.
    """
    for entry in entries:
        day = date.fromisoformat(entry.subject_id)
        if day < clock.day_of(clock.now()):
            raise DayOver
        await publish_routes(session, SYSTEM, day, (entry.after or {})["revisions"])
    return [entry.subject_id for entry in entries]
