"""The day's route: order, windows and the reasons for unserved stops."""

from dataclasses import replace

import pytest

from fuel_app.areas.rules.places import Point
from fuel_app.dispatch.rules.drives import ESTIMATED
from fuel_app.kit.errors import RouteFailed, TooManyRequests
from fuel_app.kit.throttle import ROUTES
from fuel_app.preview.rules import DayRoute
from fuel_app.preview.service import day_route
from tests.factories import stop
from tests.preview.day_routes import (
    SOUTH,
    TEN,
    Live,
    Solver,
    along_a_street,
    follow,
    ids,
    plan,
    reasons,
    route_of,
    within,
)

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture(autouse=True)
def _search_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(day_route, "solver", Solver)


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> Live:
    provider = Live()
    monkeypatch.setattr(day_route, "routing", lambda: provider)
    return provider


async def test_offline_route_takes_the_shortest_way_from_the_position():
    day = await plan(along_a_street(3, 1, 4, 2, 5), SOUTH)
    assert ids(day) == ["1", "2", "3", "4", "5"]
    assert (day.provider, day.notices) == ("Offline estimate", (ESTIMATED,))
    route = route_of(day)
    assert route.start == SOUTH == route.line[0]
    assert (route.next_leg, len(route.legs)) == (route.legs[0], 5)


async def test_live_route_has_no_notices(live):
    day = await plan(along_a_street(1, 2, window=within(TEN, 2)), SOUTH)
    assert (day.provider, day.notices) == ("Live", ())
    assert live.asked == [("matrix", 3), ("drive", 3)]


async def test_no_stop_one_stop_and_two_at_one_point():
    assert await plan([]) == await follow([]) == DayRoute()
    route = route_of(await plan(along_a_street(1), SOUTH))
    assert (len(route.stops), len(route.legs)) == (1, 1)
    alone = route_of(await plan(along_a_street(1)))
    assert (len(alone.stops), alone.legs) == (1, ())
    twins = route_of(await plan([stop(id="a"), stop(id="b")], SOUTH))
    assert (len(twins.stops), twins.legs[1].seconds) == (2, 0)


async def test_up_to_500_stops_are_planned():
    assert len(ids(await plan([stop(id=str(n)) for n in range(200)], SOUTH))) == 200
    said = "^Failed to calculate route: it has 501 stops, and one takes at most 500.$"
    with pytest.raises(RouteFailed, match=said) as refused:
        await plan([stop()] * 501)
    assert refused.value.status == "MAX_WAYPOINTS_EXCEEDED"


@pytest.mark.parametrize(("estimated", "credit"), [(True, ""), (False, "Live")])
async def test_order_by_estimate_credits_only_a_drive_with_live_traffic(
    live, monkeypatch, estimated, credit
):
    drive = live.drive

    async def down(_points: object, near_m: int) -> None:
        return None

    async def driven(points, near_m):
        return replace(await drive(points, near_m=near_m), estimated=estimated)

    monkeypatch.setattr(live, "matrix", down)
    monkeypatch.setattr(live, "drive", driven)
    assert (await plan(along_a_street(1, 2), SOUTH)).credit == credit
    assert (await plan(along_a_street(1))).credit == "Live"  # there is nothing to order


async def test_stop_with_a_faulty_position_is_unserved():
    wrong = stop(id="wrong", lat=float("nan"))
    expected = {"wrong": "It has no valid coordinates."}
    for day in (await plan([*along_a_street(1, 2), wrong]), await follow([wrong, stop(id="1")])):
        assert reasons(day) == expected
        assert "1" in ids(day)
    assert reasons(await plan([wrong])) == expected


async def test_far_away_position_is_ignored():
    day = await plan(along_a_street(1, 2), Point(40.7, -74.0))
    assert route_of(day).start is None
    assert "too far away" in day.notices[1]


async def test_follow_keeps_the_given_order():
    assert ids(await follow(along_a_street(3, 1, 2), SOUTH)) == ["3", "1", "2"]


async def test_follow_names_late_stops():
    stops = along_a_street(1, 2)
    late = stop(id="late", window=within(TEN, 0.1))
    day = await follow([*stops, late], SOUTH)
    assert route_of(day).late == ("late",)
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
    await day_route.plan_one_truck([], address="203.0.113.2")
