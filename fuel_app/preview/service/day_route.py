"""The preview's day of one truck, ordered by the solver or by hand."""

from collections.abc import Sequence

import structlog

from fuel_app.accounts.rules import Session
from fuel_app.areas.rules.places import Point
from fuel_app.areas.service import company
from fuel_app.dispatch.providers import offline
from fuel_app.dispatch.providers.routing import routing
from fuel_app.dispatch.providers.solver import solver
from fuel_app.dispatch.service.days import road_near
from fuel_app.kit.db.session import reading
from fuel_app.kit.errors import RouteFailed
from fuel_app.kit.throttle import ROUTES, throttle
from fuel_app.preview.rules import DayRoute, Planning, Stop, add_drive, add_unserved, prepare

log = structlog.get_logger()


async def is_shown_to(session: Session | None) -> bool:
    """Return whether a session may see the day: any while nothing is open, then the staff's."""
    return bool(session and session.is_staff) or not await company.is_open()


async def plan_one_truck(
    stops: Sequence[Stop], position: Point | None = None, *, address: str
) -> DayRoute:
    """Order the stops for the least driving.

    The truck drives from `position` to the last of the stops given; without a position the route
    starts at whichever stop is best. It sets off when the first fill-up may begin.

    Args:
        address: The visitor's network address, for the rate limit.

    Raises:
        RouteFailed: If no route can be calculated.
        TooManyRequests: If this address is over its rate limit.
    """
    await throttle().spend(ROUTES, address)
    day, planning = prepare(stops, position)
    if planning is None:
        return day
    points = planning.points
    found = await routing().matrix(points, near_m=await _read_road_near())
    seconds = found.seconds if found else await offline.matrix(points)
    problem = planning.problem(seconds)
    try:
        solution = await solver().solve(problem)
    except Exception as error:
        log.exception("day_route.unsolved")
        raise RouteFailed("UNKNOWN_ERROR") from error
    [tour] = solution.tours
    by_estimate = found is None and len(points) > 1
    day = add_unserved(day, planning, problem, solution)
    return await _drive_tour(day, planning, tour, by_estimate=by_estimate)


async def drive_one_truck(
    stops: Sequence[Stop], position: Point | None = None, *, address: str
) -> DayRoute:
    """Drive the stops in the given order; `Route.late` names the late ones.

    Raises:
        RouteFailed: If no route can be calculated.
        TooManyRequests: If this address is over its rate limit.
    """
    await throttle().spend(ROUTES, address)
    day, planning = prepare(stops, position)
    if planning is None:
        return day
    return await _drive_tour(day, planning, range(len(planning.stops)))


async def _drive_tour(
    day: DayRoute, planning: Planning, tour: Sequence[int], *, by_estimate: bool = False
) -> DayRoute:
    drive = await routing().drive(planning.through(tour), near_m=await _read_road_near())
    return add_drive(day, planning, tour, drive, by_estimate=by_estimate)


async def _read_road_near() -> int:
    async with reading() as session:
        return await road_near(session)
