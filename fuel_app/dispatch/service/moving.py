"""Changing routes by hand: moving, pinning and removing a stop, adding a refill."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.providers import offline
from fuel_app.dispatch.providers.routing import routing
from fuel_app.dispatch.queries import routes as queries
from fuel_app.dispatch.rules import changing
from fuel_app.dispatch.rules.changing import Cost, check_place, find_route, find_stop, without
from fuel_app.dispatch.rules.day import (
    REFILL,
    Day,
    DayClosed,
    DayOver,
    NewStop,
    RouteChanged,
    RouteStop,
    ShiftGone,
    StopGone,
    TruckRoute,
    parse_day,
)
from fuel_app.dispatch.rules.timing import ServiceTimes, expected
from fuel_app.dispatch.service import routes
from fuel_app.dispatch.service.figures import road_near, service_times
from fuel_app.dispatch.service.reading import read, read_part
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import BOOKINGS, ROUTES, signals

Wanted = dict[str, list[NewStop]]  # routes by the shift


@dataclass(frozen=True, slots=True)
class Moved:
    """The outcome of a move."""

    action_id: str  # for Undo
    cost: Cost


async def costs(by: Actor, stop_id: object, day: object) -> dict[str, list[Cost]]:
    """Return the cost of each place of each route.

    By the estimate without live traffic, as fast as a drag needs it.

    Args:
        stop_id: A booking's id, on a route or unassigned, or a refill's.
        day: A date, or its text.

    Returns:
        By the shift; a shift that cannot take the stop is left out. Its places are those before
        each of its waiting stops (neither started nor ended, cancelled or moved), this stop not
        counted, and that after the last one.

    Raises:
        NoSuchDay, DayOver, DayClosed, StopGone, StopStarted
    """
    by.require(Role.DISPATCHER)
    chosen = parse_day(day)
    async with reading() as session:
        found, times = _open(await read(session, chosen)), await service_times(session)
    _, stop = find_stop(found, stop_id)
    # A tenth of a second of computing for 600 stops.
    return await asyncio.to_thread(changing.costs, found, stop, _seconds, clock.now(), times)


async def move(
    by: Actor, stop_id: object, shift_id: object, place: object, seen: Mapping[str, int]
) -> Moved:
    """Move a stop to a place of a route, from another one or from none.

    Args:
        place: As in `costs`.
        seen: The revisions of the day's routes on the screen.

    Raises:
        StopGone, StopStarted, ShiftGone, TruckBroken, WrongGrade, RouteChanged, DayOver, DayClosed
    """
    by.require(Role.DISPATCHER)
    day, times = await _part(shift_id, stop_id)
    former, stop = find_stop(day, stop_id)
    route = find_route(day, shift_id)
    _check_seen(seen, *filter(None, (route, former)))
    if no := changing.refusal(route, stop):
        raise no
    at = check_place(place, len(without(route, stop)))
    cost = changing.costs(day, stop, _seconds, clock.now(), times)[route.shift.id][at]
    wanted = {route.shift.id: await timed(route, _inserted(route, stop, at), times)}
    if former and former is not route:
        wanted[former.shift.id] = await timed(former, without(former, stop), times)
    kind = "move" if former else "assign"
    return Moved(await _write(by, day, kind, seen, wanted, stop.id), cost)


async def pin(by: Actor, stop_id: object, pinned: object, seen: Mapping[str, int]) -> str:
    """Keep a stop on its truck when the day is planned again, or let it go.

    Returns:
        The id of the action, for Undo; that of the other functions, too.

    Raises:
        StopGone, StopStarted, RouteChanged, DayOver, DayClosed
    """
    by.require(Role.DISPATCHER)
    day, _, route, stop = await _on_route(stop_id, seen)
    stops = [
        replace(each, is_pinned=pinned is True) if each.id == stop.id else each
        for each in changing.as_stored(route)
    ]
    return await _write(by, day, "pin", seen, {route.shift.id: stops}, stop.id)


async def unassign(by: Actor, stop_id: object, seen: Mapping[str, int]) -> str:
    """Take a stop off its route. On a published day it is booked again.

    Raises:
        StopGone, StopStarted, RouteChanged, DayOver, DayClosed
    """
    by.require(Role.DISPATCHER)
    day, times, route, stop = await _on_route(stop_id, seen)
    wanted = {route.shift.id: await timed(route, without(route, stop), times)}
    return await _write(by, day, "unassign", seen, wanted)


async def add_refill(by: Actor, shift_id: object, place: object, seen: Mapping[str, int]) -> str:
    """Add a refill at the truck's home at a place of a route, counted as in `costs`.

    Raises:
        ShiftGone, TruckBroken, RouteChanged, DayOver, DayClosed
    """
    by.require(Role.DISPATCHER)
    day, times = await _part(shift_id)
    route = find_route(day, shift_id)
    _check_seen(seen, route)
    refill = RouteStop("", None, "", REFILL, False, 0, route.shift.starts_at)
    if no := changing.refusal(route, refill):
        raise no
    at = check_place(place, len(route.waiting))
    wanted = {route.shift.id: await timed(route, _inserted(route, refill, at), times)}
    return await _write(by, day, "refill", seen, wanted)


async def timed(
    route: TruckRoute, waiting: Sequence[RouteStop], times: ServiceTimes
) -> list[NewStop]:
    """Return a route with other stops after those that have started.

    Raises:
        RouteFailed: If no road leads there.
    """
    points = changing.path(route, waiting)[:-1]  # no stop follows the way home
    async with reading() as session:
        near_m = await road_near(session)
    drive = await routing().drive(points, near_m=near_m, timed_by=route.shift.timed_by)
    driven = changing.driven(route, waiting, (leg.seconds for leg in drive.legs))
    arrivals = expected(driven, clock.now(), times)[-len(waiting) :] if waiting else ()
    begun = (replace(each.stop, begins_at=each.begins_at) for each in arrivals)
    return changing.as_stored(replace(route, stops=(*route.started, *begun)))


def _inserted(route: TruckRoute, stop: RouteStop, at: int) -> Sequence[RouteStop]:
    others = without(route, stop)
    return (*others[:at], stop, *others[at:])


def _seconds(here: Point, there: Point) -> float:
    return offline.seconds(offline.road_meters(here, there))


async def _part(shift_id: object, stop_id: object = "") -> tuple[Day, ServiceTimes]:
    """Return a day with two routes alone: a shift's, and the one on which a stop is."""
    known, stop_id = well_formed_id(shift_id) or "", well_formed_id(stop_id) or ""
    async with reading() as session:
        day = await queries.day_of_shift(session, known)
        if day is None:
            raise ShiftGone
        row = await queries.stop(session, stop_id)
        found = await read_part(session, day, {known, row.shift_id} if row else {known}, [stop_id])
        return _open(found), await service_times(session)


async def _on_route(
    stop_id: object, seen: Mapping[str, int]
) -> tuple[Day, ServiceTimes, TruckRoute, RouteStop]:
    async with reading() as session:
        row = await queries.stop(session, well_formed_id(stop_id) or "")
    if row is None:
        raise StopGone
    day, times = await _part(row.shift_id, stop_id)
    route, stop = find_stop(day, stop_id)
    if route is None:
        raise StopGone
    _check_seen(seen, route)
    return day, times, route, stop


def _open(day: Day) -> Day:
    if day.closed_at:
        raise DayClosed
    if day.day < clock.day_of(clock.now()):
        raise DayOver
    return day


def _check_seen(seen: object, *changed: TruckRoute) -> None:
    """Refuse to change routes that are not as on the screen: places would mean others."""
    known = seen if isinstance(seen, Mapping) else {}
    if any(known.get(route.shift.id) != route.shift.revision for route in changed):
        raise RouteChanged


async def _write(
    by: Actor, day: Day, kind: str, seen: Mapping[str, int], wanted: Wanted, needed: str = ""
) -> str:
    async with transaction() as session:
        action_id = await routes.rewrite(session, by, kind, seen, wanted, needed)
    await signals().publish(ROUTES)
    if day.published_at and kind in ("assign", "unassign"):
        await signals().publish(BOOKINGS)
    return action_id
