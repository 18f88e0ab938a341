"""A street to plan routes along, a solver in this process, and a provider with live traffic."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.providers import vrp
from fuel_app.dispatch.providers.routing import Durations
from fuel_app.dispatch.rules.day_plan import Problem, Solution
from fuel_app.dispatch.rules.drives import Drive, Leg
from fuel_app.kit.clock import NEW_YORK
from fuel_app.preview.rules import DayRoute, Route, Stop, TimeWindow
from fuel_app.preview.service import day_route
from tests.factories import stop

HERE = "203.0.113.1"
SOUTH, NORTH = Point(27.29, -82.5), Point(27.45, -82.5)
TEN = datetime(2026, 7, 1, 10, tzinfo=NEW_YORK)


class Solver:
    """The real search, in this process."""

    async def solve(self, problem: Problem) -> Solution:
        return vrp.solve(problem, seconds=0.1)


class Live:
    """A provider with live traffic: every drive takes a minute."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    async def matrix(self, points: Sequence[Point], *, near_m: int) -> Durations | None:
        self.asked.append(("matrix", len(points)))
        seconds = tuple(tuple(60.0 for _ in points) for _ in points)
        return Durations(seconds, estimated=False, provider="Live")

    async def drive(self, points: Sequence[Point], *, near_m: int) -> Drive:
        self.asked.append(("drive", len(points)))
        return Drive(tuple(Leg.lasting(60) for _ in points[1:]), tuple(points), "Live")


def along_a_street(*places: int, **differs) -> list[Stop]:
    """Stops that many kilometers up a street that leads north."""
    return [stop(id=str(place), lat=27.3 + place / 111, **differs) for place in places]


def within(opens: datetime, hours: float) -> TimeWindow:
    return TimeWindow(opens, opens + timedelta(hours=hours))


async def plan(stops: Sequence[Stop], position: Point | None = None) -> DayRoute:
    return await day_route.plan_one_truck(stops, position, address=HERE)


async def follow(stops: Sequence[Stop], position: Point | None = None) -> DayRoute:
    return await day_route.drive_one_truck(stops, position, address=HERE)


def route_of(day: DayRoute) -> Route:
    assert day.route
    return day.route


def ids(day: DayRoute) -> list[str]:
    return [stop.id for stop in day.route.stops] if day.route else []


def reasons(day: DayRoute) -> dict[str, str]:
    return {unserved.stop.id: unserved.reason for unserved in day.unserved}
