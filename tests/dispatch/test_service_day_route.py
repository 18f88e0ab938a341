"""The day's route: order, windows, shifts, tanks and the reasons for unserved stops."""

from datetime import timedelta

import pytest

from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.route import ESTIMATED, DayRoute, Truck
from fuel_app.dispatch.service import day_route
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

DAY = within(TEN, 8)


@pytest.fixture(autouse=True)
def _search_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(day_route, "solver", Solver)


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Live:
    provider = Live()
    monkeypatch.setattr(day_route, "routing", lambda: provider)
    return provider


async def test_last_stop_stays_last_despite_a_detour():
    assert ids(await plan(along_a_street(3, 4, 2, 1), SOUTH))[-1] == "1"


async def test_offline_route_takes_the_shortest_way_from_the_position():
    day = await plan(along_a_street(3, 1, 4, 2, 5), SOUTH)
    assert ids(day) == ["1", "2", "3", "4", "5"]
    assert (day.provider, day.notices) == ("Offline estimate", (ESTIMATED,))
    [route] = day.routes
    assert route.start == SOUTH == route.line[0]
    assert (route.next_leg, len(route.legs)) == (route.legs[0], 5)


async def test_route_without_a_position_starts_at_the_best_stop():
    day = await plan(along_a_street(2, 1, 3, 4))
    assert ids(day) == ["1", "2", "3", "4"]
    [route] = day.routes
    assert (route.start, route.next_leg, len(route.legs)) == (None, None, 3)


async def test_live_route_has_no_notices(live):
    day = await plan(along_a_street(1, 2, window=within(TEN, 2)), SOUTH)
    assert (day.provider, day.notices) == ("Live", ())
    assert live.asked == [("matrix", 3), ("drive", 3)]


async def test_provider_orders_a_plain_day(live):
    day = await plan(along_a_street(1, 2, 3), SOUTH)
    assert ids(day) == ["2", "1", "3"]
    assert live.asked == [("shortest", 4)]


@pytest.mark.parametrize(
    "trucks",
    [
        [Truck(), Truck()],
        *([truck] for truck in (Truck(gallons=500), Truck(shift=DAY), Truck(depot=NORTH))),
    ],
    ids=str,
)
async def test_solver_orders_days_with_limits(live, trucks):
    await plan(along_a_street(1, 2, 3), SOUTH, trucks=trucks)
    assert live.asked[0][0] == "matrix"


async def test_no_stop_one_stop_and_two_at_one_point():
    assert await plan([]) == await follow([]) == DayRoute()
    [route] = (await plan(along_a_street(1), SOUTH)).routes
    assert (len(route.stops), len(route.legs)) == (1, 1)
    [alone] = (await plan(along_a_street(1))).routes
    assert (len(alone.stops), alone.legs) == (1, ())
    [twins] = (await plan([stop(id="a"), stop(id="b")], SOUTH)).routes
    assert (len(twins.stops), twins.legs[1].seconds) == (2, 0)


async def test_up_to_500_stops_are_planned():
    assert len((await plan([stop(id=str(n)) for n in range(200)], SOUTH)).stops) == 200
    with pytest.raises(RouteFailed, match=r"^Failed to calculate route: MAX_WAYPOINTS_EXCEEDED$"):
        await plan([stop()] * 501)


async def test_stop_with_a_faulty_position_is_unserved():
    wrong = stop(id="wrong", lat=float("nan"))
    expected = {"wrong": "It has no valid coordinates."}
    for day in (await plan([*along_a_street(1, 2), wrong]), await follow([wrong, stop(id="1")])):
        assert reasons(day) == expected
        assert "1" in ids(day)
    assert reasons(await plan([wrong])) == expected


async def test_far_away_position_is_ignored():
    day = await plan(along_a_street(1, 2), Point(40.7, -74.0))
    assert day.routes[0].start is None
    assert "too far away" in day.notices[1]


async def test_position_is_rounded_for_the_cache(live):
    jitter = Point(SOUTH.lat + 0.00001, SOUTH.lng - 0.00002)
    [route] = (await plan(along_a_street(1), jitter)).routes
    assert route.start == SOUTH


async def test_follow_keeps_the_given_order():
    assert ids(await follow(along_a_street(3, 1, 2), SOUTH)) == ["3", "1", "2"]


async def test_follow_names_late_stops():
    stops = along_a_street(1, 2, service_minutes=200)
    late = stop(id="late", window=within(TEN, 2))
    day = await follow([*stops, late], SOUTH)
    assert day.routes[0].late == ("late",)
    assert day.unserved == ()


async def test_solver_failure_fails_the_route_and_is_logged(monkeypatch, logged):
    class Broken:
        async def solve(self, problem):
            raise RuntimeError("out of memory")

    monkeypatch.setattr(day_route, "solver", Broken)
    with pytest.raises(RouteFailed, match=r"^Failed to calculate route: UNKNOWN_ERROR$"):
        await plan(along_a_street(1, 2))
    assert [entry["event"] for entry in logged] == ["day_route.unsolved"]


async def test_rate_limit_is_per_address():
    for _ in range(ROUTES.times):
        await follow([])
    with pytest.raises(TooManyRequests):
        await plan([])
    await day_route.plan([], address="203.0.113.2")


async def test_windows_take_precedence_over_the_shortest_way():
    near, middle, far = along_a_street(1, 2, 3)
    late, soon = within(TEN + timedelta(hours=4), 2), within(TEN, 2)
    stops = [stop(id="near", lat=near.lat, window=late), stop(id="far", lat=far.lat, window=soon)]
    day = await plan([*stops, stop(id="end", lat=middle.lat)], SOUTH, starts_at=TEN)
    assert ids(day) == ["far", "near", "end"]
    assert day.routes[0].begins[1] == TEN + timedelta(hours=4)
    assert day.routes[0].late == ()


async def test_day_begins_with_the_first_window():
    early = within(TEN - timedelta(hours=2), 2)
    [route] = (await plan([stop(id="1", window=early), stop(id="2")])).routes
    assert route.begins[0] == TEN - timedelta(hours=2)


async def test_last_reachable_stop_stays_last():
    gone = stop(id="gone", window=within(TEN, 2))
    starts_at = TEN + timedelta(hours=5)
    day = await plan([*along_a_street(3, 1, 2), gone], SOUTH, starts_at=starts_at)
    assert ids(day) == ["1", "3", "2"]
    only = await plan([gone], SOUTH, starts_at=starts_at)
    assert (ids(only), reasons(only)) == ([], {"gone": "It cannot be reached by 12:00 PM."})


async def test_truck_delivers_at_most_its_capacity_in_its_shift():
    day = await plan(along_a_street(1, 2, 3, gallons=20), SOUTH, trucks=[Truck(gallons=45)])
    assert len(day.stops) == 2
    assert set(reasons(day).values()) == {"The other stops leave too little fuel for it."}
    short = [Truck(shift=within(TEN, 0.7))]
    day = await plan(along_a_street(1, 2, service_minutes=25), SOUTH, trucks=short)
    assert len(day.stops) == 1


async def test_several_trucks_share_the_stops_and_return_to_their_depots():
    trucks = [Truck(gallons=40, depot=SOUTH)] * 2
    day = await plan(along_a_street(1, 2, 3, 4, gallons=20), trucks=trucks)
    assert sorted(ids(day)) == ["1", "2", "3", "4"]
    for route in day.routes:
        assert len(route.stops) == 2
        assert route.line[0] == route.line[-1] == SOUTH
        assert len(route.legs) == 3


async def test_truck_without_stops_does_not_drive():
    trucks = [Truck(depot=SOUTH), Truck(depot=NORTH)]
    day = await plan(along_a_street(1), trucks=trucks)
    assert [len(route.stops) for route in day.routes] == [1, 0]
    assert day.routes[1].legs == day.routes[1].line == ()
