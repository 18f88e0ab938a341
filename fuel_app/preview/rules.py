"""The preview's day of one truck.

It begins where the visitor is, or at its first stop, and ends at a stop.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from fuel_app.areas.rules.places import Point, great_circle_meters
from fuel_app.dispatch.rules.day_plan import (
    Job,
    Matrix,
    Problem,
    Solution,
    Vehicle,
    fits,
    is_cut_off,
    schedule_tour,
    why_unserved,
)
from fuel_app.dispatch.rules.drives import ESTIMATED, MOST_STOPS, OFFLINE, Drive, Leg, find_fault
from fuel_app.kit.errors import RouteFailed


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A fill-up may begin from `opens` to `closes`; an early truck waits."""

    opens: datetime
    closes: datetime


@dataclass(frozen=True, slots=True)
class Stop:
    """A fill-up at a customer's parked vehicle."""

    id: str
    customer: str
    vehicle: str
    address: str
    time: datetime
    lat: float
    lng: float
    window: TimeWindow
    color: str = ""
    notes: str = ""
    status: str = "scheduled"

    @property
    def point(self) -> Point:
        return Point(self.lat, self.lng)


@dataclass(frozen=True, slots=True)
class Unserved:
    """A stop that is on no route, with the reason for staff."""

    stop: Stop
    reason: str


@dataclass(frozen=True, slots=True)
class Route:
    """A truck's day. `legs` begins at `start`; where that is unknown, at the first stop."""

    start: Point | None
    stops: tuple[Stop, ...]  # in driving order
    legs: tuple[Leg, ...]
    line: tuple[Point, ...]
    late: tuple[str, ...] = ()  # ids of stops reached after their window has closed

    @property
    def next_leg(self) -> Leg | None:
        """The drive to the first stop, if the start is known."""
        return self.legs[0] if self.start and self.legs else None


@dataclass(frozen=True, slots=True)
class DayRoute:
    """The route of a day, with notices; None without a valid stop."""

    route: Route | None = None
    unserved: tuple[Unserved, ...] = ()
    provider: str = ""
    notices: tuple[str, ...] = ()

    @property
    def credit(self) -> str:
        """The provider to credit beside the route."""
        return "" if self.provider == OFFLINE else self.provider


SERVICE_S = 600


DECIMALS = 4  # of a position, eleven meters: a resting phone hits the cache


FAR_AWAY_M = 150_000


FAR_AWAY = "You are too far away to start from here, so the route starts at its first stop."


@dataclass(frozen=True, slots=True)
class Planning:
    """The input of a day's plan. It ends at a stop, and without a position begins at one."""

    stops: tuple[Stop, ...]  # valid ones
    starts_at: datetime
    position: Point | None = None  # of the truck

    @property
    def _start(self) -> tuple[Point, ...]:
        return (self.position,) if self.position else ()

    @property
    def points(self) -> tuple[Point, ...]:
        """Every point of the matrix, once."""
        return tuple(dict.fromkeys((*(stop.point for stop in self.stops), *self._start)))

    def problem(self, seconds: Matrix) -> Problem:
        """Return the solver's problem with the travel times between `points`.

        The last stop that can be reached at all stays last.
        """
        place = {point: index for index, point in enumerate(self.points)}
        jobs = tuple(self._job(stop, place[stop.point]) for stop in self.stops)
        truck = Vehicle(start=place[self.position] if self.position else None)
        problem = Problem(seconds, jobs, (truck,))
        reached = (
            index
            for index in reversed(range(len(jobs)))
            if fits(problem, truck, [index]) and not is_cut_off(problem, jobs[index])
        )
        return replace(problem, vehicles=(replace(truck, last=next(reached, None)),))

    def through(self, tour: Sequence[int]) -> tuple[Point, ...]:
        """Return the points that the truck drives through; none without stops."""
        return (*self._start, *(self.stops[index].point for index in tour)) if tour else ()

    def route(self, tour: Sequence[int], drive: Drive) -> Route:
        """Return a driven tour."""
        stops = tuple(self.stops[index] for index in tour)
        legs = [leg.seconds for leg in drive.legs]
        jobs = [self._job(stop, 0) for stop in stops]
        late = schedule_tour(jobs, legs if self.position else [0, *legs], 0).late
        return Route(
            start=self.position,
            stops=stops,
            legs=drive.legs,
            line=drive.line,
            late=tuple(stops[at].id for at in late),
        )

    def _job(self, stop: Stop, place: int) -> Job:
        """Return a job with its window in seconds from the start."""
        opens, closes = stop.window.opens - self.starts_at, stop.window.closes - self.starts_at
        return Job(place, SERVICE_S, max(0, opens.total_seconds()), closes.total_seconds())


def prepare(stops: Sequence[Stop], position: Point | None) -> tuple[DayRoute, Planning | None]:
    """Return the day without a route, and its planning if there is a valid stop.

    Raises:
        RouteFailed: If there are more than `MOST_STOPS`.
    """
    if len(stops) > MOST_STOPS:
        why = f"it has {len(stops)} stops, and one takes at most {MOST_STOPS}."
        raise RouteFailed("MAX_WAYPOINTS_EXCEEDED", why)
    faults = [(stop, find_fault(stop.point)) for stop in stops]
    good = tuple(stop for stop, wrong in faults if wrong is None)
    faulty = tuple(Unserved(stop, wrong) for stop, wrong in faults if wrong)
    if not good:
        return DayRoute(unserved=faulty), None
    notices: tuple[str, ...] = ()
    if position:
        position = Point(round(position.lat, DECIMALS), round(position.lng, DECIMALS))
        if all(great_circle_meters(position, stop.point) > FAR_AWAY_M for stop in good):
            position, notices = None, (FAR_AWAY,)
    # In UTC: differences within one time zone ignore daylight saving changes.
    starts_at = min(stop.window.opens for stop in good).astimezone(UTC)
    return DayRoute(unserved=faulty, notices=notices), Planning(good, starts_at, position)


def add_unserved(
    day: DayRoute, planning: Planning, problem: Problem, solution: Solution
) -> DayRoute:
    """Add the stops that the solver left out, with reasons."""
    left_out = (
        Unserved(stop, why_unserved(problem, solution, index, stop.window.closes))
        for index, stop in enumerate(planning.stops)
        if index in solution.unserved
    )
    return replace(day, unserved=(*day.unserved, *left_out))


def add_drive(
    day: DayRoute, planning: Planning, tour: Sequence[int], drive: Drive, *, by_estimate: bool
) -> DayRoute:
    """Add the driven route, its provider and notice.

    Args:
        by_estimate: The order comes from the offline estimate. Then only a drive with live traffic
            is credited to its provider.
    """
    notices = (ESTIMATED, *day.notices) if drive.estimated else day.notices
    route = planning.route(tour, drive)
    provider = OFFLINE if by_estimate and drive.estimated else drive.provider
    return replace(day, route=route, provider=provider, notices=notices)
