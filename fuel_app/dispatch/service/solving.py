"""Solving a day: driving times, the search, and the routes that it finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import structlog

from fuel_app.dispatch.providers.offline import OfflineRouting
from fuel_app.dispatch.providers.routing import routing
from fuel_app.dispatch.providers.solver import solver
from fuel_app.dispatch.rules.day import NewStop, NotPlanned, TooManyStops
from fuel_app.dispatch.rules.day_plan import DayPlan
from fuel_app.dispatch.rules.planning import MOST_STOPS

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Solved:
    """The routes of a plan by the shift, and by the booking why no truck takes it."""

    routes: Mapping[str, Sequence[NewStop]]
    reasons: Mapping[str, str]
    estimated: bool  # without live traffic


async def solve(plan: DayPlan) -> Solved:
    """Search for the routes with the least driving. It takes seconds: hold no transaction open.

    Raises:
        TooManyStops, RouteFailed
        NotPlanned: If the search was killed twice.
    """
    points = plan.points
    if len(points) > MOST_STOPS:
        raise TooManyStops(len(points), MOST_STOPS)
    live = await routing().live_matrix(points)
    problem = plan.problem(live or await OfflineRouting().matrix(points))
    try:
        solution = await solver().solve(problem)
    except Exception as error:
        log.exception("day.unsolved")
        raise NotPlanned from error
    routes = plan.new_stops(problem.seconds, solution)
    return Solved(_noted(plan, routes), plan.reasons(problem, solution), estimated=not live)


def _noted(plan: DayPlan, routes: Mapping[str, Sequence[NewStop]]) -> dict[str, list[NewStop]]:
    """Note for which slots the stops were planned, and which of them were pinned before."""
    before = [stop for route in plan.routes for stop in route.stops]
    pinned = {stop.id for stop in before if stop.is_pinned}
    slots = {stop.id: stop.slot_id for stop in before}
    slots |= {booking.id: booking.slot_id for booking in plan.bookings}
    return {
        shift_id: [
            replace(stop, is_pinned=stop.id in pinned, slot_id=slots.get(stop.id, ""))
            for stop in stops
        ]
        for shift_id, stops in routes.items()
    }
