"""The day as a whole: what goes into its planning, and what comes out."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from fuel_app.dispatch.rules.geography import Point, great_circle_meters
from fuel_app.dispatch.rules.planning import Planning, usable, why_unserved
from fuel_app.dispatch.rules.problem import Problem, Solution
from fuel_app.dispatch.rules.route import ESTIMATED, DayRoute, Drive
from fuel_app.dispatch.rules.stops import Stop, Truck, Unserved
from fuel_app.kit.errors import RouteFailed

Tours = Sequence[Sequence[int]]

MOST_STOPS = 500  # a matrix has a number for each pair
DECIMALS = 4  # of a position: eleven meters, so that a still phone asks the same again
FAR_AWAY_M = 150_000  # nobody who is an hour and a half away is on the way to the first stop
FAR_AWAY = "You are too far away to start from here, so the route starts at its first stop."


def prepare(
    stops: Sequence[Stop],
    position: Point | None,
    trucks: Sequence[Truck],
    starts_at: datetime | None,
) -> tuple[DayRoute, Planning | None]:
    """What is known before anybody is asked; no planning where there is nothing to drive to.

    Raises:
        RouteFailed: If there are more stops than anybody can plan.
    """
    if len(stops) > MOST_STOPS:
        raise RouteFailed("MAX_WAYPOINTS_EXCEEDED")
    good, faulty = usable(stops)
    if not good:
        return DayRoute(unserved=faulty), None
    notices: tuple[str, ...] = ()
    if position:
        position = Point(round(position.lat, DECIMALS), round(position.lng, DECIMALS))
        if is_far_away(position, good):
            position, notices = None, (FAR_AWAY,)
    # In UTC: hours of one time zone are counted by its clocks, and these change at night.
    starts_at = (starts_at or min(stop.due for stop in good)).astimezone(UTC)
    day = DayRoute(unserved=faulty, notices=notices)
    return day, Planning(good, tuple(trucks), starts_at, position)


def is_far_away(position: Point, stops: Sequence[Stop]) -> bool:
    return all(great_circle_meters(position, stop.point) > FAR_AWAY_M for stop in stops)


def without(day: DayRoute, planning: Planning, problem: Problem, solution: Solution) -> DayRoute:
    """The day with the stops that the solver has left out, and why."""
    left_out = (
        Unserved(stop, why_unserved(problem, solution, index, stop))
        for index, stop in enumerate(planning.stops)
        if index in solution.unserved
    )
    return replace(day, unserved=(*day.unserved, *left_out))


def driven(day: DayRoute, planning: Planning, tours: Tours, drives: Sequence[Drive]) -> DayRoute:
    """The day with its routes, and whose word their times are."""
    routes = [
        planning.route(truck, tour, drive)
        for truck, (tour, drive) in enumerate(zip(tours, drives, strict=True))
    ]
    estimated = any(drive.estimated for drive in drives)
    return replace(
        day,
        routes=tuple(routes),
        provider=", ".join(dict.fromkeys(drive.provider for drive in drives if drive.provider)),
        estimated=estimated,
        notices=(ESTIMATED, *day.notices) if estimated else day.notices,
    )
