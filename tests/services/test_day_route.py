"""The day's route from the outside: who is driven to in which order, and what is said about it."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from math import inf

import pytest

from fuel_app.domain.allowance import ROUTES
from fuel_app.domain.clock import NEW_YORK
from fuel_app.domain.errors import RouteFailed, TooManyRequests
from fuel_app.domain.routing import (
    ESTIMATED,
    DayRoute,
    Depot,
    Drive,
    Leg,
    Matrix,
    Point,
    Problem,
    Solution,
    Stop,
    TimeWindow,
    Truck,
)
from fuel_app.providers import vrp
from fuel_app.services import day_route
from tests.factories import stop

HERE = "203.0.113.1"
SOUTH, NORTH = Point(27.29, -82.5), Point(27.45, -82.5)
TEN = datetime(2026, 7, 1, 10, tzinfo=NEW_YORK)
FAR = Point(40.7, -74.0)


class Solver:
    """The real search, in this process."""

    async def solve(self, problem: Problem) -> Solution:
        return vrp.solve(problem, seconds=0.1)


@pytest.fixture(autouse=True)
def _search_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(day_route, "solver", Solver)


class Live:
    """A provider with live traffic that orders stops itself: every drive takes a minute."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    async def matrix(self, points: Sequence[Point]) -> Matrix:
        self.asked.append(("matrix", len(points)))
        return tuple(tuple(60.0 for _ in points) for _ in points)

    async def drive(self, points: Sequence[Point]) -> Drive:
        self.asked.append(("drive", len(points)))
        return Drive(tuple(Leg.lasting(60, 900) for _ in points[1:]), tuple(points), "Live")

    async def shortest(self, points: Sequence[Point]) -> Drive | None:
        self.asked.append(("shortest", len(points)))
        legs = tuple(Leg.lasting(60, 900) for _ in points[1:])
        order = (0, *reversed(range(1, len(points) - 1)), len(points) - 1)
        return Drive(legs, tuple(points), "Live", order=order)


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Live:
    provider = Live()
    monkeypatch.setattr(day_route, "routing", lambda: provider)
    return provider


def along_a_street(*places: int, **differs) -> list[Stop]:
    """Stops that many kilometers up a street that leads north."""
    return [stop(id=str(place), lat=27.3 + place / 111, **differs) for place in places]


def within(opens: datetime, hours: float) -> TimeWindow:
    return TimeWindow(opens, opens + timedelta(hours=hours))


async def plan(stops: Sequence[Stop], position: Point | None = None, **more) -> DayRoute:
    return await day_route.plan(stops, position, address=HERE, **more)


async def follow(stops: Sequence[Stop], position: Point | None = None, **more) -> DayRoute:
    return await day_route.follow(stops, position, address=HERE, **more)


def ids(day: DayRoute) -> list[str]:
    return [stop.id for stop in day.stops]


def reasons(day: DayRoute) -> dict[str, str]:
    return {unserved.stop.id: unserved.reason for unserved in day.unserved}


async def test_stops_are_driven_the_short_way():
    assert ids(await plan(along_a_street(3, 1, 4, 2, 5), SOUTH)) == ["1", "2", "3", "4", "5"]


async def test_the_last_stop_stays_last_even_where_that_is_a_detour():
    day = await plan(along_a_street(3, 4, 2, 1), SOUTH)
    assert ids(day)[-1] == "1"
    assert len(ids(day)) == 4


async def test_without_a_position_the_route_starts_at_the_best_stop():
    day = await plan(along_a_street(2, 1, 3, 4))
    assert ids(day) == ["1", "2", "3", "4"]
    [route] = day.routes
    assert (route.start, route.next_leg, len(route.legs)) == (None, None, 3)


async def test_with_a_position_the_first_leg_leads_to_the_first_stop():
    [route] = (await plan(along_a_street(1, 2), SOUTH)).routes
    assert route.start == SOUTH == route.line[0]
    assert route.next_leg == route.legs[0]
    assert len(route.legs) == 2


async def test_an_offline_route_says_so():
    day = await plan(along_a_street(1, 2), SOUTH)
    assert (day.provider, day.estimated, day.notices) == ("Offline estimate", True, (ESTIMATED,))


async def test_a_live_route_has_nothing_to_admit(live):
    day = await plan(along_a_street(1, 2, window=within(TEN, 2)), SOUTH)
    assert (day.provider, day.estimated, day.notices) == ("Live", False, ())
    assert live.asked == [("matrix", 3), ("drive", 3)]


async def test_what_the_provider_can_order_alone_is_left_to_it(live):
    day = await plan(along_a_street(1, 2, 3), SOUTH)
    assert ids(day) == ["2", "1", "3"]
    assert live.asked == [("shortest", 4)]


@pytest.mark.parametrize(
    "special",
    [
        {"trucks": [Truck(), Truck()]},
        {"trucks": [Truck(gallons=500)]},
        {"trucks": [Truck(shift=within(TEN, 8))]},
        {"trucks": [Truck(depot=Depot("Yard", NORTH))]},
        {"position": None},
    ],
    ids=str,
)
async def test_what_it_cannot_heed_is_left_to_the_solver(live, special):
    await plan(along_a_street(1, 2, 3), **({"position": SOUTH} | special))
    assert live.asked[0][0] == "matrix"


async def test_no_stop_no_route():
    assert await plan([]) == DayRoute()
    assert await follow([]) == DayRoute()


async def test_one_stop():
    [route] = (await plan(along_a_street(1), SOUTH)).routes
    assert (len(route.stops), len(route.legs)) == (1, 1)
    [alone] = (await plan(along_a_street(1))).routes
    assert (len(alone.stops), alone.legs, alone.seconds, alone.meters) == (1, (), 0, 0)


async def test_two_stops_at_one_point():
    day = await plan([stop(id="a"), stop(id="b")], SOUTH)
    assert sorted(ids(day)) == ["a", "b"]
    assert day.routes[0].legs[1].meters == 0


async def test_two_hundred_stops():
    day = await plan(along_a_street(*range(1, 40)) + along_a_street(*range(1, 40)) * 4, SOUTH)
    assert len(day.stops) == 195


async def test_more_stops_than_anybody_can_plan_are_refused():
    with pytest.raises(RouteFailed, match=r"^Failed to calculate route: MAX_WAYPOINTS_EXCEEDED$"):
        await plan([stop()] * 501)


@pytest.mark.parametrize(
    ("lat", "lng", "reason"),
    [
        (0, 0, "It has no valid coordinates."),
        (float("nan"), -82.5, "It has no valid coordinates."),
        (91, -82.5, "It has no valid coordinates."),
        (-82.5, 27.3, "Its latitude and longitude are swapped."),
        (25.76, -80.19, "It is outside the service area."),
    ],
)
async def test_where_nobody_can_be_sent_is_said(lat, lng, reason):
    wrong = stop(id="wrong", lat=lat, lng=lng)
    for day in (await plan([*along_a_street(1, 2), wrong]), await follow([wrong, stop(id="1")])):
        assert reasons(day) == {"wrong": reason}
        assert "1" in ids(day)
    assert reasons(await plan([wrong])) == {"wrong": reason}


async def test_a_far_away_position_is_no_place_to_start_from():
    day = await plan(along_a_street(1, 2), FAR)
    assert day.routes[0].start is None
    assert "too far away" in day.notices[1]


async def test_a_still_phone_asks_the_same_again(live):
    jitter = Point(SOUTH.lat + 0.00001, SOUTH.lng - 0.00002)
    [route] = (await plan(along_a_street(1), jitter)).routes
    assert route.start == SOUTH


async def test_windows_come_before_the_short_way():
    near, middle, far = along_a_street(1, 2, 3)
    late, soon = within(TEN + timedelta(hours=4), 2), within(TEN, 2)
    stops = [stop(id="near", lat=near.lat, window=late), stop(id="far", lat=far.lat, window=soon)]
    day = await plan([*stops, stop(id="end", lat=middle.lat)], SOUTH, starts_at=TEN)
    assert ids(day) == ["far", "near", "end"]
    assert day.routes[0].begins[1] == TEN + timedelta(hours=4)  # who is early waits
    assert day.routes[0].late == ()


async def test_the_day_begins_with_the_first_window():
    early = within(TEN - timedelta(hours=2), 2)
    [route] = (await plan([stop(id="1", window=early), stop(id="2")])).routes
    assert route.begins[0] == TEN - timedelta(hours=2)


async def test_a_window_that_has_passed_is_a_reason():
    gone = stop(id="gone", window=within(TEN, 2))
    day = await plan([gone, *along_a_street(1)], SOUTH, starts_at=TEN + timedelta(hours=5))
    assert reasons(day) == {"gone": "It cannot be reached by 12:00 PM."}
    assert ids(day) == ["1"]


async def test_an_end_that_cannot_be_reached_leaves_the_one_before_it_last():
    gone = stop(id="gone", window=within(TEN, 2))
    starts_at = TEN + timedelta(hours=5)
    day = await plan([*along_a_street(3, 1, 2), gone], SOUTH, starts_at=starts_at)
    assert ids(day) == ["1", "3", "2"]
    only = await plan([gone], SOUTH, starts_at=starts_at)
    assert (ids(only), list(reasons(only))) == ([], ["gone"])


async def test_a_truck_gives_no_more_than_it_carries():
    stops = along_a_street(1, 2, 3, gallons=20)
    day = await plan(stops, SOUTH, trucks=[Truck(gallons=45)])
    assert len(day.stops) == 2
    assert set(reasons(day).values()) == {"The other stops leave too little fuel for it."}
    big = await plan([stop(id="big", gallons=60), *stops[:1]], trucks=[Truck(gallons=45)])
    assert reasons(big) == {"big": "It needs 60 gallons; a truck carries 45."}


async def test_several_trucks_share_the_stops_and_return_to_their_depots():
    yard = Depot("Yard", SOUTH)
    trucks = [Truck(name, gallons=40, depot=yard) for name in ("One", "Two")]
    day = await plan(along_a_street(1, 2, 3, 4, gallons=20), trucks=trucks)
    assert sorted(ids(day)) == ["1", "2", "3", "4"]
    for route in day.routes:
        assert len(route.stops) == 2
        assert route.line[0] == route.line[-1] == SOUTH
        assert len(route.legs) == 3


async def test_a_truck_without_work_stays_where_it_is():
    trucks = [Truck(depot=Depot("Yard", SOUTH)), Truck(depot=Depot("Far", NORTH))]
    day = await plan(along_a_street(1), trucks=trucks)
    assert [len(route.stops) for route in day.routes] == [1, 0]
    assert day.routes[1].legs == day.routes[1].line == ()


async def test_a_shift_ends_when_it_ends():
    truck = Truck(shift=within(TEN, 0.7))
    day = await plan(along_a_street(1, 2, service_minutes=25), SOUTH, trucks=[truck])
    assert len(day.stops) == 1
    assert set(reasons(day).values()) == {"It does not fit in between the other stops."}
    short = Truck(shift=within(TEN, 0.1))
    none = await plan(along_a_street(1), SOUTH, trucks=[short])
    assert reasons(none) == {"1": "It does not fit into a truck's shift."}


async def test_staff_may_choose_another_order():
    stops = along_a_street(3, 1, 2)
    day = await follow(stops, SOUTH)
    assert ids(day) == ["3", "1", "2"]
    assert day.routes[0].seconds > (await plan(stops, SOUTH)).routes[0].seconds


async def test_what_comes_late_in_their_order_is_named():
    stops = along_a_street(1, 2, service_minutes=200)
    late = stop(id="late", window=within(TEN, 2))
    day = await follow([*stops, late], SOUTH, truck=Truck(shift=within(TEN, 8)))
    assert day.routes[0].late == ("late",)
    assert day.unserved == ()


async def test_a_provider_that_knows_no_way_fails_the_route(monkeypatch):
    class Nowhere(Live):
        async def drive(self, points):
            raise RouteFailed("ZERO_RESULTS")

    monkeypatch.setattr(day_route, "routing", Nowhere)
    with pytest.raises(RouteFailed, match=r"^Failed to calculate route: ZERO_RESULTS$"):
        await follow(along_a_street(1, 2))


async def test_a_stop_without_a_road_is_left_out(monkeypatch):
    class Island(Live):
        async def matrix(self, points):
            return ((0, 60, inf), (60, 0, inf), (inf, inf, 0))

    monkeypatch.setattr(day_route, "routing", Island)
    day = await plan(along_a_street(1, 2, 3))
    assert reasons(day) == {"3": "No road leads there."}
    assert len(day.stops) == 2


async def test_a_provider_that_orders_nothing_leaves_it_to_the_solver(monkeypatch):
    class Plain(Live):
        async def shortest(self, points):
            return None

    monkeypatch.setattr(day_route, "routing", Plain)
    assert len((await plan(along_a_street(1, 2), SOUTH)).stops) == 2


async def test_a_solver_that_breaks_fails_the_route_and_is_logged(monkeypatch, caplog):
    class Broken:
        async def solve(self, problem):
            raise RuntimeError("out of memory")

    monkeypatch.setattr(day_route, "solver", Broken)
    with (
        caplog.at_level(logging.ERROR),
        pytest.raises(RouteFailed, match=r"^Failed to calculate route: UNKNOWN_ERROR$"),
    ):
        await plan(along_a_street(1, 2))
    assert "unsolved" in caplog.text


async def test_who_asks_too_often_waits_and_nobody_else():
    for _ in range(ROUTES.times):
        await follow([])
    with pytest.raises(TooManyRequests):
        await plan([])
    await day_route.plan([], address="203.0.113.2")
