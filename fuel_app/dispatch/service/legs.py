"""Driving times of a route that is changed by hand, and when its stops begin."""

from collections.abc import Sequence
from dataclasses import replace

from fuel_app.areas.rules.positions import Point
from fuel_app.dispatch.providers.routing import routing
from fuel_app.dispatch.rules.changing import as_stored, path
from fuel_app.dispatch.rules.day import NewStop, RouteStop, TruckRoute
from fuel_app.dispatch.rules.timing import ServiceTimes, expected
from fuel_app.kit import clock


async def legs(points: Sequence[Point]) -> list[int]:
    """Return the seconds from each point to the next, with live traffic where it is known."""
    drive = await routing().drive(points)
    return [leg.seconds for leg in drive.legs]


async def timed(
    route: TruckRoute, waiting: Sequence[RouteStop], times: ServiceTimes
) -> list[NewStop]:
    """Return a route with other stops after those that have started.

    Raises:
        RouteFailed: If no road leads there.
    """
    seconds = await legs(path(route, tuple(waiting))[:-1])  # no stop follows the way home
    stops = [replace(stop, leg_s=leg_s) for stop, leg_s in zip(waiting, seconds, strict=True)]
    driven = replace(route, stops=(*route.started, *stops))
    arrivals = expected(driven, clock.now(), times)[-len(stops) :] if stops else ()
    begun = [
        replace(stop, begins_at=each.begins_at) for stop, each in zip(stops, arrivals, strict=True)
    ]
    return as_stored(replace(route, stops=(*route.started, *begun)))
