"""The plan of a day: searched for by the solver, published to technicians; and the preview's.

Planned is all that has not started, onto all trucks. Once a day is published, its bookings are
dispatched. The preview's day has one truck and is ordered by the solver or by hand.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.bookings.service import road
from fuel_app.dispatch import queries
from fuel_app.dispatch.providers import offline
from fuel_app.dispatch.providers.routing import Durations, routing
from fuel_app.dispatch.providers.solver import solver
from fuel_app.dispatch.rules.arrivals import Expected, ServiceTimes, estimate_times
from fuel_app.dispatch.rules.day import (
    Day,
    DayClosed,
    DayOver,
    NewStop,
    NoShifts,
    NothingToPublish,
    NotPlanned,
    PlanStopped,
    RouteChanged,
    TooManyStops,
    parse_day,
)
from fuel_app.dispatch.rules.day_plan import DayPlan, Search
from fuel_app.dispatch.rules.drives import MOST_STOPS, OFFLINE
from fuel_app.dispatch.rules.route_changes import as_stored, check_day, is_same, routes_after
from fuel_app.dispatch.service import arrivals, route_news, truck_routes
from fuel_app.dispatch.service.days import read, read_balance, road_near, service_times
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.signals import BOOKINGS, SHIFTS, signals

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Solved:
    """The routes of a plan by the shift, and by the booking why no truck takes it."""

    routes: Mapping[str, Sequence[NewStop]]
    reasons: Mapping[str, str]
    estimated: bool = True  # without live traffic
    timed_by: str = ""  # the provider of the driving times; '' without a drive


@dataclass(frozen=True, slots=True)
class Planned:
    """The outcome of planning a day; `action_id` is for Undo, '' if no route has changed."""

    action_id: str
    served: int
    unserved: int
    estimated: bool  # without live traffic
    told: int = 0  # so many customers of a published day, after a pause


async def plan(
    by: Actor,
    sent_day: object,
    seen: Mapping[str, int],
    *,
    keep: bool = False,
    search: Search | None = None,
) -> Planned:
    """Plan a day, or plan it again: only what no technician has begun moves.

    Nothing is locked while the solver searches; what has changed meanwhile is refused then.

    Args:
        seen: The revisions of the day's routes on the screen.
        keep: Leave what is on a truck on it, as if it were pinned.
        search: Says how far the search is; stopped, it changes nothing.

    Raises:
        NoSuchDay, DayOver, DayClosed, NoShifts, RouteChanged, TooManyStops, NotPlanned, PlanStopped
        StopStarted: If a technician has set off meanwhile.
    """
    by.require(Role.DISPATCHER)
    async with reading() as session:
        day, times = await read(session, parse_day(sent_day)), await service_times(session)
        notices, balance = await arrivals.read_notices(session, day), await read_balance(session)
    check_day(day, clock.day_of(clock.now()), seen)
    asked = replace(_build_plan(day, times, keep=keep), balance=balance)
    solved = await solve(asked, search)
    wanted: dict[str, Sequence[NewStop]] = {}
    for route in day.routes:
        # A broken truck keeps what its technician has begun.
        stops = solved.routes.get(route.shift.id, as_stored(route)[: len(route.started)])
        if not is_same(route, stops):
            wanted[route.shift.id] = stops
    bookings = {booking.id: booking for booking in asked.bookings}
    left_out = [(bookings[each], reason) for each, reason in solved.reasons.items()]
    async with transaction() as session:
        await queries.lock_shifts(session, day.revisions)  # two plans write one after the other
        action_id = ""
        if wanted:
            action_id = await truck_routes.rewrite(
                session, by, "plan", day.revisions, wanted, timed_by=solved.timed_by
            )
        await queries.set_unserved(session, left_out)
    await signals().publish(SHIFTS)
    if day.published_at:
        await signals().publish(BOOKINGS)
    told = notices.count(_expected(day, wanted, times)) if notices else 0
    unserved = len(solved.reasons)
    served = len(asked.bookings) - unserved
    return Planned(action_id, served, unserved, solved.estimated, told)


def _expected(day: Day, wanted: truck_routes.Routes, times: ServiceTimes) -> list[Expected]:
    """Return the arrivals on those routes that a plan has changed."""
    routes = routes_after(day, wanted)
    return [each for route in routes for each in estimate_times(route, clock.now(), times)]


def _build_plan(day: Day, times: ServiceTimes, *, keep: bool) -> DayPlan:
    able = tuple(route for route in day.routes if not route.shift.broken_at)
    if not able:
        raise NoShifts
    waiting = (stop.booking for route in day.routes for stop in route.waiting)
    return DayPlan(
        routes=able,
        bookings=(*filter(None, waiting), *(each.booking for each in day.unassigned)),
        pins={
            stop.id: route.shift.id
            for route in able
            for stop in route.waiting
            if stop.booking and (stop.is_pinned or keep)
        },
        now=clock.now(),
        times=times,
    )


async def solve(plan: DayPlan, search: Search | None = None) -> Solved:
    """Search for the routes with the least driving. It takes seconds: hold no transaction open.

    What waits on these routes is late only if it could not stay on them otherwise: where some would
    be left out, first they may come as late as they come now, then all may. Raises TooManyStops,
    RouteFailed, NotPlanned, PlanStopped.
    """
    points = plan.points
    if len(points) > MOST_STOPS:
        raise TooManyStops(len(points), MOST_STOPS)
    async with reading() as session:
        near_m = await road_near(session)
    times = await routing().matrix(points, near_m=near_m)
    if times is None:
        provider = OFFLINE if len(points) > 1 else ""
        times = Durations(await offline.matrix(points), estimated=True, provider=provider)
    solved = await _search(plan, times, search)
    waiting = plan.waiting
    for ids in (waiting.keys() & solved.reasons.keys(), waiting.keys()):
        if waiting.keys() & solved.reasons.keys():
            eased = plan.replacing({each: waiting[each] for each in ids})
            other = await _search(eased, times, search)
            solved = min(solved, other, key=lambda each: _left_out(each, waiting.keys()))
    return solved


def _left_out(solved: Solved, waiting: Set[str]) -> tuple[int, int]:
    """Return how many bookings no truck takes: those that waited on a route count first."""
    return len(waiting & solved.reasons.keys()), len(solved.reasons)


async def _search(plan: DayPlan, times: Durations, search: Search | None) -> Solved:
    problem = plan.problem(times.seconds)
    try:
        solution = await solver().solve(problem, search)
    except PlanStopped:
        raise
    except Exception as error:
        log.exception("day.unsolved")
        raise NotPlanned from error
    return Solved(
        plan.new_stops(times.seconds, solution),
        plan.reasons(problem, solution),
        times.estimated,
        times.provider,
    )


async def publish(by: Actor, day: object, seen: Mapping[str, int]) -> int:
    """Publish a day as it is on the screen. A second press changes nothing.

    Return how many bookings are dispatched by it. Raises NoSuchDay, DayOver, DayClosed,
    RouteChanged, NothingToPublish.
    """
    by.require(Role.DISPATCHER)
    chosen = parse_day(day)
    if chosen < clock.day_of(clock.now()):
        raise DayOver
    async with transaction() as session:
        dispatched = await publish_routes(session, by, chosen, seen)
    await signals().publish(SHIFTS, BOOKINGS)
    return dispatched


async def publish_routes(
    session: AsyncSession, by: Actor, day: date, seen: Mapping[str, int]
) -> int:
    """Publish a day in the caller's transaction. Return how many bookings are dispatched by it.

    Raises DayClosed, RouteChanged, NothingToPublish.
    """
    shift_ids = await queries.lock_day(session, day)
    stops = await queries.stops_of(session, shift_ids)
    await road.of_ids(session, {stop.booking_id or "" for stop in stops}, lock=True)
    now = await read(session, day)
    if now.closed_at:
        raise DayClosed
    if now.published_at:
        return 0
    if seen != now.revisions:
        raise RouteChanged
    waiting = {
        stop.row_id: (stop, stop.booking)
        for route in now.routes
        for stop in route.waiting
        if stop.booking
    }
    if not waiting:
        raise NothingToPublish
    # Nothing said so far but the window: an arrival beyond it is told.
    late = {
        row_id: booking.ends_at
        for row_id, (stop, booking) in waiting.items()
        if stop.begins_at > booking.ends_at
    }
    await queries.publish_day(session, day, clock.now(), late)
    ids = [booking.id for _, booking in waiting.values()]
    dispatched = len(await road.take_step(session, by, ids, "publish"))
    await arrivals.notify_published(session, day, shift_ids)
    planned = {stop.shift_id for stop in stops}
    shifts = await queries.lock_shifts(session, planned)
    await route_news.notify_technicians(session, by, shifts.values(), {})
    return dispatched
