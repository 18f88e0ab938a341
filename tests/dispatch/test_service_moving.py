"""Changing routes by hand: costs, moves, pins, refills."""

from datetime import timedelta
from itertools import pairwise

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas.rules.places import Point
from fuel_app.bookings.service import changes
from fuel_app.dispatch.providers.offline import road_meters, seconds
from fuel_app.dispatch.rules.arrivals import point_of
from fuel_app.dispatch.rules.day import (
    NoSuchDay,
    RouteChanged,
    ShiftGone,
    StopGone,
    TruckBroken,
    WrongGrade,
)
from fuel_app.dispatch.rules.route_changes import Cost
from fuel_app.dispatch.service import truck_routes
from fuel_app.kit.signals import BOOKINGS, ROUTES, SHIFTS, listening
from tests.helpers.bookings import NOW, STAFF, an_area, at, slot
from tests.helpers.dispatch import (
    HOME_LAT,
    HOME_LNG,
    LEG_S,
    TOMORROW,
    a_day,
    a_shift,
    a_technician,
    a_truck,
    at_km,
    change_stop,
    day_now,
    ids,
    revisions,
    route,
    shift_now,
)
from tests.helpers.stored_bookings import stored

STRANGE = (
    *(None, -1, 99, 1.0, True, [], {}, "", "0", "é" * 99, object(), {"id": 1}),
    *("\x00", "00000000-0000-0000-0000-000000000000"),
)

pytestmark = pytest.mark.usefixtures("database", "_now")


@pytest.fixture
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def another_shift(number: int = 2, **truck):
    return await a_shift(await a_truck(**truck), await a_technician(number))


async def move(stop_id, shift, place):
    return await truck_routes.move(STAFF, stop_id, shift.id, place, await revisions())


async def driving_s() -> float:
    """Return the estimated driving of the day, ways home included."""
    total = 0.0
    for each in (await day_now()).routes:
        home = each.shift.truck.point
        way = [home, *(point_of(stop) or home for stop in each.stops), home]
        total += sum(seconds(road_meters(*leg)) for leg in pairwise(way))
    return total


async def test_stop_moves_to_another_truck_and_both_routes_are_timed_anew():
    first, [a, b, c] = await a_day(1, 2, 3)
    second = await another_shift()
    async with listening(SHIFTS, ROUTES, BOOKINGS) as heard:
        await move(b.id, second, 0)
        assert await heard.next(0) == {ROUTES}  # an open day changes no booking
    assert (await ids(first), await ids(second)) == ([a.id, c.id], [b.id])
    stops = [*await route(first), *await route(second)]
    assert [stop.place for stop in stops] == [1, 2, 1]
    assert LEG_S not in {stop.leg_s for stop in stops}
    assert [(await shift_now(each)).revision for each in (first, second)] == [2, 2]
    eight, then = (stop.begins_at for stop in stops[:2])
    assert eight == a.starts_at  # the window opens
    assert then == eight + timedelta(minutes=11, seconds=stops[1].leg_s)
    assert (await stored(b)).state == "booked"


async def test_cost_of_each_place_is_what_the_day_drives_more():
    first, [a, b, c] = await a_day(2, 7, 4)
    second = await another_shift()
    before = await driving_s()
    costs = await truck_routes.find_costs(STAFF, b.id, TOMORROW)
    assert [len(costs[each.id]) for each in (first, second)] == [3, 1]
    assert costs[first.id][1] == Cost(0, 0)  # where it is
    for shift, place in [(first, 0), (first, 2), (second, 0)]:
        moved = await move(b.id, shift, place)
        now = await driving_s()
        assert moved.cost.minutes == pytest.approx((now - before) / 60, abs=0.51)
        before = now
    assert await ids(first) == [a.id, c.id]


async def test_place_that_makes_others_late_costs_more_than_any_way_there():
    shift, [_, morning] = await a_day(1, 2)
    evening = await at_km(morning.area_id, 0.5, opens=16)
    places = (await truck_routes.find_costs(STAFF, evening.id, TOMORROW))[shift.id]
    assert places == [Cost(2, 0), Cost(1, 2), Cost(0, 0)]  # all on one line
    assert (await move(evening.id, shift, 2)).cost == places[2]
    back = (await truck_routes.find_costs(STAFF, morning.id, TOMORROW))[shift.id]
    assert [cost.late for cost in back] == [0, 0, 1]  # where it is late itself


async def test_place_after_the_shift_counts_as_late():
    """Nobody will come: it is not refused, and never the better one."""
    area = await an_area()
    early = await a_shift(await a_truck(), await a_technician(), ends=16)
    long = await another_shift()
    booking = await at_km(area, 1, opens=18)
    costs = await truck_routes.find_costs(STAFF, booking.id, TOMORROW)
    assert [(each.late, each.after_shift) for each in costs[early.id]] == [(1, 1)]
    assert [(each.late, each.after_shift) for each in costs[long.id]] == [(0, 0)]
    assert (await move(booking.id, early, 0)).cost.after_shift == 1
    there = (await truck_routes.find_costs(STAFF, booking.id, TOMORROW))[early.id]
    assert [(each.late, each.after_shift) for each in there] == [(1, 1)]


async def test_places_are_counted_after_what_has_started():
    shift, [a, b, c] = await a_day(1, 2, 3)
    [started, *_] = await route(shift)
    await change_stop(started, driving_at=NOW)
    costs = await truck_routes.find_costs(STAFF, c.id, TOMORROW)
    assert len(costs[shift.id]) == 2
    await move(c.id, shift, 0)
    stops = await route(shift)
    assert [stop.booking_id for stop in stops] == [a.id, c.id, b.id]
    assert (stops[0].id, stops[0].leg_s, stops[0].driving_at) == (started.id, LEG_S, NOW)
    assert stops[1].leg_s == round(seconds(road_meters(_km(1), _km(3))))  # from there, not home


def _km(km: float) -> Point:
    return Point(HOME_LAT + km / 111, HOME_LNG)


async def test_broken_trucks_and_trucks_without_the_grade_cannot_take_a_stop():
    shift, [a] = await a_day(1)
    diesel = await at_km(a.area_id, 2, grade="diesel")
    broken = await a_shift(await a_truck(), await a_technician(2), broken_at=NOW)
    gas_only = await another_shift(3, name="Gasser", tanks={"regular": 1, "diesel": 0})
    assert (await truck_routes.find_costs(STAFF, diesel.id, TOMORROW)).keys() == {shift.id}
    assert (await truck_routes.find_costs(STAFF, a.id, TOMORROW)).keys() == {shift.id, gas_only.id}
    with pytest.raises(WrongGrade, match=r"^Gasser carries no diesel\.$"):
        await move(diesel.id, gas_only, 0)
    with pytest.raises(TruckBroken):
        await move(a.id, broken, 0)
    with pytest.raises(TruckBroken):
        await truck_routes.add_refill(STAFF, broken.id, 0, await revisions())


async def test_pinned_stop_stays_pinned_when_it_is_moved_and_can_be_let_go():
    shift, [a, b] = await a_day(1, 2)
    before = await route(shift)
    await truck_routes.pin(STAFF, b.id, True, await revisions())
    after = await route(shift)
    assert [stop.is_pinned for stop in after] == [False, True]
    assert [(s.leg_s, s.begins_at) for s in after] == [(s.leg_s, s.begins_at) for s in before]
    await move(b.id, shift, 0)
    assert [stop.is_pinned for stop in await route(shift)] == [True, False]
    await truck_routes.pin(STAFF, b.id, "yes", await revisions())
    assert [stop.is_pinned for stop in await route(shift)] == [False, False]
    assert await ids(shift) == [b.id, a.id]


async def test_refill_is_added_moved_and_removed():
    shift, [a, b] = await a_day(1, 2)
    other = await another_shift()
    await truck_routes.add_refill(STAFF, shift.id, 1, await revisions())
    stops = await route(shift)
    assert [stop.booking_id for stop in stops] == [a.id, None, b.id]
    assert [
        stop.leg_s == round(seconds(road_meters(_km(0), _km(km))))
        for stop, km in zip(stops, (1, 1, 2), strict=True)
    ] == [True] * 3
    assert stops[2].begins_at >= stops[1].begins_at + timedelta(minutes=20)
    refill = stops[1].id
    assert (await truck_routes.find_costs(STAFF, refill, TOMORROW))[other.id][
        0
    ].minutes < 0  # it is at home
    await move(refill, shift, 2)
    assert await ids(shift) == [a.id, b.id, ""]
    await truck_routes.unassign(STAFF, refill, await revisions())
    assert await ids(shift) == [a.id, b.id]


async def test_stop_on_a_published_day_is_dispatched_and_told_and_booked_again_without_a_route():
    shift, [a] = await a_day(1, published=True)
    late = await at_km(a.area_id, 2, opens=10)
    async with listening(BOOKINGS) as heard:
        await move(late.id, shift, 1)
        assert await heard.next(0) == {BOOKINGS}
    [first, second] = await route(shift)
    assert (await stored(late)).state == "dispatched"
    assert (first.told_at, second.told_at) == (a.starts_at, second.begins_at)
    await truck_routes.unassign(STAFF, late.id, await revisions())
    assert (await stored(late)).state == "booked"
    assert await ids(shift) == [a.id]


async def test_booking_moved_to_another_day_is_put_on_that_days_route():
    shift, [a, b] = await a_day(1, 2, published=True)
    later = await a_shift(await a_truck(), await a_technician(2), TOMORROW + timedelta(1))
    await changes.move(STAFF, a.id, 1, slot(a.area_id, day=2), reason="Rain")
    with pytest.raises(StopGone):
        await truck_routes.find_costs(STAFF, a.id, TOMORROW)
    with pytest.raises(StopGone):
        await truck_routes.pin(STAFF, a.id, True, await revisions())
    await move(a.id, later, 0)
    assert (await ids(shift), await ids(later)) == ([b.id], [a.id])
    assert (await stored(a)).state == "booked"  # that day is not published


async def test_booking_moved_away_and_back_waits_to_be_dispatched_again():
    shift, [a, b] = await a_day(1, 2, published=True)
    first = slot(a.area_id, opens=8)
    for revision, to in ((1, slot(a.area_id, opens=10)), (2, first)):
        await changes.move(STAFF, a.id, revision, to, reason="Asked for")
    day = await day_now()
    assert [each.booking.id for each in day.unassigned] == [a.id]
    other = await another_shift()
    await move(a.id, other, 0)
    assert (await ids(shift), await ids(other)) == ([b.id], [a.id])
    assert (await stored(a)).state == "dispatched"


@pytest.mark.parametrize("role", [Role.CUSTOMER, Role.TECHNICIAN, None])
async def test_only_dispatchers_change_routes(role):
    shift, [a] = await a_day(1)
    by, seen = Actor(frozenset({role} if role else ())), await revisions()
    for attempt in (
        truck_routes.find_costs(by, a.id, TOMORROW),
        truck_routes.move(by, a.id, shift.id, 0, seen),
        truck_routes.pin(by, a.id, True, seen),
        truck_routes.unassign(by, a.id, seen),
        truck_routes.add_refill(by, shift.id, 0, seen),
    ):
        with pytest.raises(NotAllowed):
            await attempt


@pytest.mark.parametrize("sent", STRANGE, ids=lambda each: type(each).__name__)
async def test_strange_values_are_refused(sent):
    shift, [a] = await a_day(1)
    seen = await revisions()
    for attempt, refusal in (
        (truck_routes.find_costs(STAFF, sent, TOMORROW), StopGone),
        (truck_routes.find_costs(STAFF, a.id, sent), NoSuchDay),
        (truck_routes.move(STAFF, sent, shift.id, 0, seen), StopGone),
        (truck_routes.move(STAFF, a.id, sent, 0, seen), ShiftGone),
        (truck_routes.move(STAFF, a.id, shift.id, sent, seen), RouteChanged),
        (truck_routes.move(STAFF, a.id, shift.id, 0, sent), RouteChanged),
        (truck_routes.pin(STAFF, sent, True, seen), StopGone),
        (truck_routes.unassign(STAFF, a.id, sent), RouteChanged),
        (truck_routes.add_refill(STAFF, sent, 0, seen), ShiftGone),
        (truck_routes.add_refill(STAFF, shift.id, sent, seen), RouteChanged),
    ):
        with pytest.raises(refusal):
            await attempt
    assert (await shift_now(shift)).revision == 1
