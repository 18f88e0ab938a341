"""The day's route: ordered by the solver or by staff."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

import structlog

from fuel_app.accounts.rules import Session
from fuel_app.areas.service import company
from fuel_app.dispatch import preview
from fuel_app.dispatch.providers.routing import routing
from fuel_app.dispatch.providers.solver import solver
from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.planning import Planning, Tours, driven, prepare, without
from fuel_app.dispatch.rules.route import DayRoute, Stop, Truck
from fuel_app.kit import clock
from fuel_app.kit.errors import RouteFailed
from fuel_app.kit.throttle import ROUTES, throttle

log = structlog.get_logger()


async def is_shown_to(session: Session | None) -> bool:
    """Return whether a session may see the day: any while nothing is open, then the staff's."""
    return bool(session and session.is_staff) or not await company.is_open()


async def todays_stops() -> tuple[Stop, ...]:
    """Return the stops of today; before launch, the sample's."""
    return preview.stops(clock.now())


async def plan(
    stops: Sequence[Stop],
    position: Point | None = None,
    *,
    address: str,
    trucks: Sequence[Truck] = (Truck(),),
    starts_at: datetime | None = None,
) -> DayRoute:
    """Order the stops for the least driving.

    One truck without a depot drives from `position` to the last of the stops given; without a
    position the route starts at whichever stop is best. Trucks with a depot return to it.

    Args:
        address: The visitor's network address, for the rate limit.
        trucks: At least one; the first starts at `position`.
        starts_at: When the trucks set off; by default when the first fill-up may begin.

    Raises:
        RouteFailed: If no route can be calculated.
        TooManyRequests: If this address is over its rate limit.
    """
    await throttle().spend(ROUTES, address)
    day, planning = prepare(stops, position, trucks, starts_at)
    if planning is None:
        return day
    if planning.is_plain:
        points = planning.through(0, range(len(planning.stops)))
        if drive := await routing().shortest(points):
            tour = tuple(at - 1 for at in drive.order[1:])  # the position is the first point
            return driven(day, planning, (tour,), [drive])
    problem = planning.problem(await routing().matrix(planning.points))
    try:
        solution = await solver().solve(problem)
    except Exception as error:
        log.exception("day_route.unsolved")
        raise RouteFailed("UNKNOWN_ERROR") from error
    day = without(day, planning, problem, solution)
    return await _drive(day, planning, solution.tours)


async def follow(stops: Sequence[Stop], position: Point | None = None, *, address: str) -> DayRoute:
    """Drive the stops in the given order; `Route.late` names the late ones.

    Raises:
        RouteFailed: If no route can be calculated.
        TooManyRequests: If this address is over its rate limit.
    """
    await throttle().spend(ROUTES, address)
    day, planning = prepare(stops, position, (Truck(),), None)
    if planning is None:
        return day
    return await _drive(day, planning, (tuple(range(len(planning.stops))),))


async def _drive(day: DayRoute, planning: Planning, tours: Tours) -> DayRoute:
    asking = (routing().drive(planning.through(truck, tour)) for truck, tour in enumerate(tours))
    return driven(day, planning, tours, await asyncio.gather(*asking))
