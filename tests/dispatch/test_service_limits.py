"""Windows, shifts and tanks: what a route heeds, and what is said about a stop that it cannot."""

from datetime import timedelta

import pytest

from fuel_app.dispatch import service as day_route
from fuel_app.dispatch.rules.route import Depot, Truck
from tests.factories import stop
from tests.helpers.day_routes import (
    NORTH,
    SOUTH,
    TEN,
    Solver,
    along_a_street,
    ids,
    plan,
    reasons,
    within,
)


@pytest.fixture(autouse=True)
def _search_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(day_route, "solver", Solver)


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
