"""The day's route from the outside: who is driven to in which order, and what is said about it."""

from math import inf

import pytest

from fuel_app.dispatch import service as day_route
from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.route import ESTIMATED, DayRoute, Depot, Truck
from fuel_app.kit.errors import RouteFailed, TooManyRequests
from fuel_app.kit.throttle import ROUTES
from tests.factories import stop
from tests.helpers.day_routes import (
    NORTH,
    SOUTH,
    TEN,
    Live,
    Solver,
    along_a_street,
    follow,
    ids,
    plan,
    reasons,
    within,
)

FAR = Point(40.7, -74.0)


@pytest.fixture(autouse=True)
def _search_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(day_route, "solver", Solver)


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Live:
    provider = Live()
    monkeypatch.setattr(day_route, "routing", lambda: provider)
    return provider


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


async def test_a_solver_that_breaks_fails_the_route_and_is_logged(monkeypatch, logged):
    class Broken:
        async def solve(self, problem):
            raise RuntimeError("out of memory")

    monkeypatch.setattr(day_route, "solver", Broken)
    with pytest.raises(RouteFailed, match=r"^Failed to calculate route: UNKNOWN_ERROR$"):
        await plan(along_a_street(1, 2))
    assert [entry["event"] for entry in logged] == ["day_route.unsolved"]


async def test_who_asks_too_often_waits_and_nobody_else():
    for _ in range(ROUTES.times):
        await follow([])
    with pytest.raises(TooManyRequests):
        await plan([])
    await day_route.plan([], address="203.0.113.2")
