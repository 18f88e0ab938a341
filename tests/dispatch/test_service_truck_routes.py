"""Writing routes: two at once, bookings that go meanwhile, and Undo."""

import asyncio
from datetime import timedelta
from itertools import pairwise

import pytest

from fuel_app.areas.rules.places import Point
from fuel_app.bookings.rules.bookings import BookingGone
from fuel_app.bookings.rules.states import CANCELLED, WEATHER_HOLD
from fuel_app.bookings.service import changes, road
from fuel_app.bookings.tables import BookingEvent
from fuel_app.dispatch import queries
from fuel_app.dispatch.providers.offline import road_meters, seconds
from fuel_app.dispatch.rules.arrivals import point_of
from fuel_app.dispatch.rules.day import (
    DayClosed,
    DayOver,
    NewStop,
    NoSuchDay,
    RouteChanged,
    ShiftGone,
    StopGone,
    StopStarted,
    TruckBroken,
    WrongGrade,
)
from fuel_app.dispatch.rules.route_changes import Cost
from fuel_app.dispatch.service import day_plan, truck_routes
from fuel_app.dispatch.service.days import read as read_day
from fuel_app.dispatch.state.cards import columns_of, span_of
from fuel_app.dispatch.tables import StoredStop
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import NothingToUndo, Refusal
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, ROUTES, SHIFTS, listening
from tests.helpers import fills, statements
from tests.helpers.bookings import NOW, STAFF, a_customer, an_area, at, booked, slot
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
    close,
    day_now,
    ids,
    on_route,
    revisions,
    route,
    shift_now,
    undo,
)
from tests.helpers.people import rows
from tests.helpers.stored_bookings import GUEST, a_booking, change, stored

pytestmark = pytest.mark.usefixtures("database", "_clock")
UNKNOWN = "00000000-0000-0000-0000-000000000000"


async def two_trucks(*kms, published=False):
    """Store bookings on the route of the first of two trucks."""
    first, bookings = await a_day(*kms, published=published)
    second = await a_shift(await a_truck(), await a_technician(2))
    return first, second, bookings


async def outcomes(*attempts):
    """Return what each attempt gave: the kind of its refusal, or None."""
    done = await asyncio.gather(*attempts, return_exceptions=True)
    unexpected = [e for e in done if isinstance(e, BaseException) and not isinstance(e, Refusal)]
    assert not unexpected
    return [type(each) if isinstance(each, Refusal) else None for each in done]


async def rewrite(shift, *stops, kind="plan", needed=""):
    seen = await revisions()
    async with transaction() as session:
        wanted = {shift.id: list(stops)}
        return await truck_routes.rewrite(session, STAFF, kind, seen, wanted, needed)


def a_stop(booking, **differs) -> NewStop:
    return NewStop(**{"id": booking.id, "leg_s": 60, "begins_at": NOW} | differs)


async def test_two_dispatchers_at_once_on_one_route_and_one_of_them_reads_why():
    first, second, [a, b] = await two_trucks(1, 2)
    seen = await revisions()
    done = await outcomes(
        truck_routes.move(STAFF, a.id, second.id, 0, seen),
        truck_routes.move(STAFF, b.id, second.id, 0, seen),
    )
    assert sorted(map(str, done)) == sorted(map(str, [None, RouteChanged]))
    assert (len(await ids(first)), len(await ids(second))) == (1, 1)


async def test_two_dispatchers_at_once_put_a_booking_on_two_trucks_and_one_succeeds():
    first, second, [a] = await two_trucks(1)
    new, seen = await at_km(a.area_id, 3), await revisions()
    done = await outcomes(
        *(truck_routes.move(STAFF, new.id, s.id, 0, seen) for s in (first, second))
    )
    assert sorted(map(str, done)) == sorted(map(str, [None, RouteChanged]))
    assert (await ids(first) + await ids(second)).count(new.id) == 1


async def test_cancellation_at_the_same_time_never_leaves_a_dispatched_stop():
    first, second, [a, _] = await two_trucks(1, 2, published=True)
    seen = await revisions()
    done = await outcomes(
        truck_routes.move(STAFF, a.id, second.id, 0, seen),
        changes.cancel(STAFF, a.id, 1, seen_fee=Money(0), reason="Sold the car"),
    )
    assert done in ([None, None], [StopGone, None])
    assert (await stored(a)).state == "cancelled"
    assert (await ids(first) + await ids(second)).count(a.id) <= 1


async def test_move_of_the_booking_at_the_same_time_never_dispatches_it_on_the_old_day():
    _, second, [a] = await two_trucks(1, published=True)
    new = await at_km(a.area_id, 3)
    done = await outcomes(
        truck_routes.move(STAFF, new.id, second.id, 0, await revisions()),
        changes.move(STAFF, new.id, 1, slot(a.area_id, day=2), reason="Asked for"),
    )
    now = await stored(new)
    if done[1] is None:
        assert (now.state, now.slot_id) == ("booked", slot(a.area_id, day=2))
    else:  # dispatched before it was read
        assert (done[0], now.state) == (None, "dispatched")


async def test_bookings_that_have_gone_are_left_out_and_the_way_leads_past_them():
    shift, [a, b, c, d, e] = await a_day(1, 2, 3, 4, 5)
    await change(a, state="cancelled")
    await change(b, state="weather_hold")
    await changes.move(STAFF, c.id, 1, slot(c.area_id, day=2), reason="Rain")
    await changes.move(STAFF, d.id, 1, slot(d.area_id, opens=10), reason="Asked for")
    stops = [a_stop(each, slot_id=each.slot_id) for each in (a, b, c, d, e)]
    await rewrite(shift, *stops, a_stop(e, id=UNKNOWN))
    [stop] = await route(shift)
    assert (stop.booking_id, stop.leg_s, stop.place) == (e.id, 5 * 60, 1)
    for each in (a, d):
        with pytest.raises(StopGone):
            await rewrite(shift, a_stop(each, slot_id=each.slot_id), needed=each.id)


async def test_stop_planned_for_any_slot_follows_its_booking():
    shift, [a] = await a_day(1)
    await change_stop((await route(shift))[0], told_at=NOW)
    await changes.move(STAFF, a.id, 1, slot(a.area_id, opens=10), reason="Asked for")
    await rewrite(shift, a_stop(a))
    [stop] = await route(shift)
    assert (stop.slot_id, stop.told_at) == (slot(a.area_id, opens=10), None)


async def test_arrival_beyond_the_window_of_a_stop_that_is_new_on_the_road_is_told():
    shift, [a] = await a_day(1, published=True)
    b, c = await at_km(a.area_id, 1), await at_km(a.area_id, 1, opens=10)
    at_11 = b.starts_at + timedelta(hours=3, minutes=10)  # beyond the first window
    at_11_20 = at_11 + timedelta(minutes=10)
    stops = NewStop(b.id, 3 * 3600, at_11), NewStop(c.id, 60, at_11_20)
    await rewrite(shift, a_stop(a), *stops)
    assert [each.told_at for each in await route(shift)][1:] == [b.ends_at, at_11_20]
    assert {each["booking"] for each in await fills.said("arrival_moved")} == {b.id}


async def test_started_stops_stay_first():
    shift, [a, b] = await a_day(1, 2, published=True)
    await change_stop((await route(shift))[0], driving_at=NOW)
    await change(a, state="en_route")
    for stops in ([], [a_stop(b)], [a_stop(b), a_stop(a)]):
        with pytest.raises(StopStarted):
            await rewrite(shift, *stops)
    await change(a, state="completed")
    await rewrite(shift, a_stop(a), a_stop(b))
    assert await ids(shift) == [a.id, b.id]
    with pytest.raises(StopStarted):
        await truck_routes.unassign(STAFF, a.id, await revisions())


async def test_routes_of_closed_days_and_removed_shifts_stay():
    shift, [a] = await a_day(1)
    with pytest.raises(ShiftGone):
        async with transaction() as session:
            await truck_routes.rewrite(session, STAFF, "plan", {UNKNOWN: 1}, {UNKNOWN: []})
    await close(TOMORROW)
    with pytest.raises(DayClosed):
        await rewrite(shift)
    for attempt in (
        truck_routes.find_costs(STAFF, a.id, TOMORROW),
        truck_routes.unassign(STAFF, a.id, await revisions()),
        truck_routes.add_refill(STAFF, shift.id, 0, await revisions()),
    ):
        with pytest.raises(DayClosed):
            await attempt


async def test_routes_of_days_that_are_over_stay(monkeypatch):
    _, [a] = await a_day(1)
    at(monkeypatch, NOW + timedelta(days=2))
    with pytest.raises(DayOver):
        await truck_routes.unassign(STAFF, a.id, await revisions())


async def test_undo_restores_both_routes_of_a_move():
    first, second, [a, b] = await two_trucks(1, 2, published=True)
    before = [(stop.booking_id, stop.leg_s, stop.begins_at) for stop in await route(first)]
    moved = await truck_routes.move(STAFF, a.id, second.id, 0, await revisions())
    await undo(moved.action_id)
    after = [(stop.booking_id, stop.leg_s, stop.begins_at) for stop in await route(first)]
    assert (after, await ids(second)) == (before, [])
    assert {(await stored(each)).state for each in (a, b)} == {"dispatched"}
    with pytest.raises(NothingToUndo):
        await undo(moved.action_id)


async def test_undo_restores_neither_route_if_one_has_changed_since():
    first, second, [a, b] = await two_trucks(1, 2)
    moved = await truck_routes.move(STAFF, a.id, second.id, 0, await revisions())
    await truck_routes.pin(STAFF, b.id, True, await revisions())
    with pytest.raises(RouteChanged):
        await undo(moved.action_id)
    assert (await ids(first), await ids(second)) == ([b.id], [a.id])


async def test_undo_of_each_kind_restores_the_route():
    shift, [a, b] = await a_day(1, 2, published=True)
    new = await at_km(a.area_id, 3)
    seen = revisions
    for change_route in (
        lambda seen: truck_routes.pin(STAFF, a.id, True, seen),
        lambda seen: truck_routes.unassign(STAFF, a.id, seen),
        lambda seen: truck_routes.add_refill(STAFF, shift.id, 1, seen),
        lambda seen: truck_routes.move(STAFF, new.id, shift.id, 0, seen),
    ):
        done = await change_route(await seen())
        assert (await ids(shift), (await route(shift))[0].is_pinned) != ([a.id, b.id], False)
        await undo(done if isinstance(done, str) else done.action_id)
        assert (await ids(shift), (await route(shift))[0].is_pinned) == ([a.id, b.id], False)
    assert [(await stored(each)).state for each in (a, b, new)] == [
        "dispatched",
        "dispatched",
        "booked",
    ]


async def test_undo_restores_a_refill_that_was_removed():
    shift, _ = await a_day(1)
    await truck_routes.add_refill(STAFF, shift.id, 1, await revisions())
    refill = (await route(shift))[1]
    await undo(await truck_routes.unassign(STAFF, refill.id, await revisions()))
    assert (await ids(shift))[1:] == [""]
    kept = (await route(shift))[1]
    await undo(await truck_routes.pin(STAFF, kept.id, True, await revisions()))
    assert (await route(shift))[1].id == kept.id


async def test_undo_leaves_out_what_has_gone_since():
    first, second, [a, b] = await two_trucks(1, 2)
    moved = await truck_routes.move(STAFF, a.id, second.id, 0, await revisions())
    await changes.move(STAFF, b.id, 1, slot(b.area_id, day=2), reason="Rain")
    await undo(moved.action_id)
    assert (await ids(first), await ids(second)) == ([a.id], [])


async def test_undo_is_refused_once_the_booking_is_on_another_truck():
    first, second, [a] = await two_trucks(1)
    action_id = await truck_routes.unassign(STAFF, a.id, await revisions())
    await truck_routes.move(STAFF, a.id, second.id, 0, await revisions())
    with pytest.raises(RouteChanged):
        await undo(action_id)
    assert (await ids(first), await ids(second)) == ([], [a.id])


async def test_undo_at_the_same_time_as_a_move_and_one_of_them_wins():
    _, second, [a, b] = await two_trucks(1, 2)
    moved = await truck_routes.move(STAFF, a.id, second.id, 0, await revisions())
    seen = await revisions()
    done = await outcomes(undo(moved.action_id), truck_routes.move(STAFF, b.id, second.id, 0, seen))
    assert sorted(map(str, done)) == sorted(map(str, [None, RouteChanged]))
    assert len(await rows(StoredStop)) == 2


async def test_steps_of_bookings_are_noted_once():
    _, second, [a] = await two_trucks(1, published=True)
    await truck_routes.move(STAFF, a.id, second.id, 0, await revisions())
    assert await rows(BookingEvent, kind="publish") == []  # it was dispatched before
    await truck_routes.unassign(STAFF, a.id, await revisions())
    assert len(await rows(BookingEvent, kind="unpublish")) == 1


STRANGE = (
    *(None, -1, 99, 1.0, True, [], {}, "", "0", "é" * 99, object(), {"id": 1}),
    *("\x00", "00000000-0000-0000-0000-000000000000"),
)


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


async def test_place_says_how_many_customers_of_a_published_day_are_told():
    first, [a, b] = await a_day(2, 7, published=True)
    second = await another_shift()
    assert [each.told for each in (await truck_routes.find_costs(STAFF, b.id, TOMORROW))[first.id]]
    for stop in await route(first):  # told: much later than it is
        await change_stop(stop, told_at=a.ends_at)
    costs = await truck_routes.find_costs(STAFF, b.id, TOMORROW)
    assert [each.told for each in costs[first.id]] == [2, 2]
    assert [each.told for each in costs[second.id]] == [2]  # the one that stays is told, too
    async with transaction() as session:  # told since, and true where it is
        known = await road.of_ids(session, [a.id])
        for stop in await route(first):
            if stop.booking_id == a.id:
                await queries.set_notified_arrival(session, known[a.id], "mail", stop.begins_at)
    costs = await truck_routes.find_costs(STAFF, b.id, TOMORROW)
    assert costs[first.id][1].told == 1
    await move(b.id, second, 0)
    assert b.id in {each["booking"] for each in await fills.said("arrival_moved")}


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


async def test_booking_moved_within_its_day_is_on_no_route_until_one_has_it():
    shift, [a] = await a_day(1)
    await changes.move(STAFF, a.id, 1, slot(a.area_id, opens=14), reason="Asked for")
    with pytest.raises(StopGone):
        await truck_routes.pin(STAFF, a.id, True, {})
    await move(a.id, shift, 0)
    assert [stop.slot_id for stop in await route(shift)] == [slot(a.area_id, opens=14)]


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


async def test_board_has_the_expected_times_of_each_route():
    area = await an_area()
    shift = await a_shift(await a_truck(), await a_technician())
    stops = [await a_booking(area, days=1, opens=opens) for opens in (8, 10)]
    gone = await a_booking(area, days=1, opens=12)
    unpaid = await a_booking(area, days=1, opens=14, fee_asked_at=NOW)
    await on_route(shift, *stops, gone)
    await change(gone, state=CANCELLED)
    read = await truck_routes.read_board(STAFF, TOMORROW)
    assert read.at == NOW
    (times,) = read.expected.values()
    assert [each.begins_at for each in times] == [stop.starts_at for stop in stops]
    assert read.unpaid == {unpaid.id}
    assert [each.booking.id for each in read.day.unassigned] == [unpaid.id]


async def test_board_alone_asks_whose_technician_has_left():
    shift, [booking] = await a_day(1)
    other = await a_shift(await a_truck(), None)
    assert (await truck_routes.read_board(STAFF, TOMORROW)).without_technician == {other.id}
    seen, screen = await revisions() | {shift.id: 0}, {shift.id: [booking.id], "": []}
    part = await truck_routes.read_changed_board(STAFF, TOMORROW, seen, screen)
    assert part
    assert part.without_technician == frozenset()
    with statements.noted() as asked:
        async with reading() as session:
            await read_day(session, TOMORROW)
    assert len(asked) <= 7
    assert not any("person_roles" in each for each in asked)


async def shown(day) -> dict[str, list[str]]:
    """Return the stops on a screen by their shift, by '' those on no route."""
    on_routes = {each.shift.id: [stop.id for stop in each.stops] for each in day.routes}
    return on_routes | {"": [each.booking.id for each in day.unassigned]}


async def test_routes_that_have_changed_are_read_alone_with_all_bookings_on_no_route():
    area = await an_area()
    shifts = [await a_shift(await a_truck(), await a_technician(n)) for n in (1, 2, 3)]
    moved, off, stays, waiting, held, late = [
        await a_booking(area, days=1, opens=opens) for opens in (8, 10, 12, 14, 16, 18)
    ]
    await on_route(shifts[0], moved, off, held)
    await on_route(shifts[2], stays)
    before = (await truck_routes.read_board(STAFF, TOMORROW)).day
    seen, screen = before.revisions, await shown(before)
    unchanged = await truck_routes.read_changed_board(STAFF, TOMORROW, seen, screen)
    assert unchanged
    assert unchanged.day.routes == ()
    await truck_routes.move(STAFF, moved.id, shifts[1].id, 0, seen)
    known = {each: seen[each] for each in seen} | {shifts[0].id: seen[shifts[0].id] + 1}
    await truck_routes.unassign(STAFF, off.id, known)
    await truck_routes.move(
        STAFF, late.id, shifts[0].id, 0, known | {shifts[0].id: seen[shifts[0].id] + 2}
    )
    await change(held, state=WEATHER_HOLD)
    changed = await truck_routes.read_changed_board(STAFF, TOMORROW, seen, screen)
    whole = await truck_routes.read_board(STAFF, TOMORROW)
    assert changed
    touched = [shift.id for shift in shifts[:2]]
    assert set(changed.day.revisions) == set(touched)
    assert changed.day.routes == tuple(
        route for route in whole.day.routes if route.shift.id in touched
    )
    assert changed.day.unassigned == whole.day.unassigned
    assert [each.booking.id for each in changed.day.unassigned] == [off.id, waiting.id]
    assert changed.expected == {each: whole.expected[each] for each in touched}


async def test_details_have_the_phone_of_a_customer_and_of_a_guest():
    area, customer = await an_area(), await a_customer(7)
    own = await booked(customer, slot(area))
    guests = await a_booking(area, days=1, opens=14)
    assert [(await truck_routes.read_details(STAFF, each.id)).phone for each in (own, guests)] == [
        "9415550007",
        GUEST["phone"],
    ]


@pytest.mark.parametrize("strange", [None, 1, "", "x", [], {}, "\x00"])
async def test_details_of_an_unknown_booking_are_gone(strange):
    with pytest.raises(BookingGone):
        await truck_routes.read_details(STAFF, strange)


async def test_pin_that_has_moved_since_the_plan_is_shown_until_the_drive_is_timed_anew():
    shift, [a, b] = await a_day(1, 2)
    await truck_routes.move(STAFF, b.id, shift.id, 0, await revisions())

    async def moved() -> list[str]:
        [of_day] = (await day_now()).routes
        return [stop.id for stop in of_day.stops if stop.has_moved_pin]

    assert await moved() == []
    await change(a, place=a.place | {"lat": a.place["lat"] + 0.0005})  # 55 m change no drive
    assert await moved() == []
    await change(a, place=a.place | {"lat": a.place["lat"] + 0.02})
    assert await moved() == [a.id]
    await truck_routes.pin(STAFF, b.id, True, await revisions())  # times no drive
    assert await moved() == [a.id]
    board = await truck_routes.read_board(STAFF, TOMORROW)
    [column] = columns_of(board, span_of(board.day.routes))
    assert [card.has_moved_pin for card in column.stops] == [False, True]
    await day_plan.plan(STAFF, TOMORROW, await revisions())
    assert await moved() == []


async def test_plan_renews_a_route_whose_pin_has_moved_although_its_order_stays():
    shift, [a] = await a_day(1)
    await day_plan.plan(STAFF, TOMORROW, await revisions())
    await change(a, place=a.place | {"lng": a.place["lng"] + 0.002})
    assert (await day_now()).routes[0].stops[0].has_moved_pin
    planned = await day_plan.plan(STAFF, TOMORROW, await revisions())
    assert planned.action_id
    assert not (await day_now()).routes[0].stops[0].has_moved_pin
    assert await ids(shift) == [a.id]
