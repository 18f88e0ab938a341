"""Solving a day: driving times, the search, and the routes that it finds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog

from fuel_app.dispatch.providers import offline
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
    live = await routing().matrix(points)
    problem = plan.problem(live or await offline.matrix(points))
    try:
        solution = await solver().solve(problem)
    except Exception as error:
        log.exception("day.unsolved")
        raise NotPlanned from error
    routes = plan.new_stops(problem.seconds, solution)
    return Solved(routes, plan.reasons(problem, solution), estimated=not live)
