"""Telling customers when their technician arrives, in the transaction of what has changed it."""

from collections.abc import Collection
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.bookings.service import telling
from fuel_app.dispatch.queries import routes as queries
from fuel_app.dispatch.rules.day import PUBLISHED, RouteStop, TruckRoute
from fuel_app.dispatch.rules.timing import Expected, expected, span, span_text
from fuel_app.dispatch.service import reading
from fuel_app.dispatch.service.figures import TOLD_AFTER, service_times
from fuel_app.kit import clock, figures, outbox

NEWS = timedelta(minutes=15)  # a step that is heard of later is not told


async def follow(session: AsyncSession, day: date, shift_ids: Collection[str] = ()) -> None:
    """Tell the customers of a published day whose arrival has moved, once for each move.

    Call it after every step of a technician and every change of a published route, as they are
    stored. A route that another transaction has locked is followed by that one.

    Args:
        shift_ids: The shifts whose routes have changed, locked by the caller; none for all.
    """
    now = clock.now()
    if day < clock.day_of(now):
        return
    ours = shift_ids or await queries.lock_day(session, day, free_only=True)
    read = await reading.read_part(session, day, ours)
    if read.state != PUBLISHED:
        return
    times = await service_times(session)
    moves_by = timedelta(minutes=(await figures.values(session))[TOLD_AFTER.name])
    for route in read.routes:
        # The shift's end: what no technician is there for is promised to no customer.
        for each in expected(route, now, times):
            if each.stop in route.waiting and each.begins_at <= route.shift.ends_at:
                await _tell_moved(session, each, moves_by, now)


async def _tell_moved(
    session: AsyncSession, at: Expected, moves_by: timedelta, now: datetime
) -> None:
    stop = at.stop
    if stop.booking is None or abs(at.begins_at - (stop.told_at or stop.begins_at)) <= moves_by:
        return
    await queries.set_stop(session, stop.row_id, {"told_at": at.begins_at})
    times = {"good_until": span(at, now)[1], "arrives": span_text(at, now)}
    await _tell(session, stop, "arrival_moved", at.begins_at, **times)


async def on_the_way(session: AsyncSession, route: TruckRoute, stop: RouteStop) -> None:
    """Tell the customer that the technician drives to them, once for each trip.

    Args:
        route: As it is after the step, as is the stop.
    """
    now = clock.now()
    timetable = expected(route, now, await service_times(session))
    at = next((each for each in timetable if each.stop.id == stop.id), None)
    if at is None or stop.booking is None or stop.driving_at is None:
        return
    await queries.set_stop(session, stop.row_id, {"told_at": at.begins_at})
    there = stop.driving_at + timedelta(seconds=stop.leg_s)
    said = {"technician": route.shift.first_name, "arrives": span_text(at, now)}
    await _tell(session, stop, "on_the_way", stop.driving_at, good_until=there + NEWS, **said)


async def arrived(session: AsyncSession, route: TruckRoute, stop: RouteStop) -> None:
    """Tell the customer that the technician is there, once for each trip.

    Args:
        stop: As it is after the step.
    """
    if stop.arrived_at:
        news = {"good_until": stop.arrived_at + NEWS, "technician": route.shift.first_name}
        await _tell(session, stop, "arrived", stop.driving_at or stop.arrived_at, **news)


async def _tell(
    session: AsyncSession, stop: RouteStop, kind: str, trip: datetime, **says: Any
) -> None:
    """Send a message about a booking's stop, once for each trip."""
    if stop.booking:
        once = f"{stop.row_id}:{trip.isoformat()}"
        await outbox.add_all(session, telling.about(stop.booking, kind, once=once, **says))
