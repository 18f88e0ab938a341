"""Planning a day: routes by the solver, pins, refills, broken trucks."""

from datetime import timedelta

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.dispatch.rules.arrivals import LATE
from fuel_app.dispatch.rules.day import (
    DayClosed,
    DayOver,
    NoShifts,
    NoSuchDay,
    RouteChanged,
    TooManyStops,
)
from fuel_app.dispatch.rules.day_plan import REFILL_JOB, Solution
from fuel_app.dispatch.service import day_plan, truck_routes
from fuel_app.kit.signals import BOOKINGS, SHIFTS, listening
from tests.helpers.bookings import NOW, STAFF, TODAY, an_area, at
from tests.helpers.dispatch import (
    TOMORROW,
    a_day,
    a_shift,
    a_technician,
    a_truck,
    at_km,
    change_stop,
    close,
    ids,
    revisions,
    route,
    shift_now,
    undo,
)
from tests.helpers.planning import plan, solver, unassigned
from tests.helpers.stored_bookings import change, stored

pytestmark = pytest.mark.usefixtures("database", "solver")

__all__ = ["solver"]


async def test_plan_puts_all_bookings_on_routes_in_the_best_order():
    area = await an_area()
    shift = await a_shift(await a_truck(), await a_technician())
    far, near, evening = [await at_km(area, *each) for each in ((9, 8), (2, 10), (4, 14))]
    async with listening(SHIFTS, BOOKINGS) as heard:
        planned = await plan()
        assert await heard.next(0) == {SHIFTS}
    assert (planned.served, planned.unserved, planned.estimated) == (3, 0, True)
    assert await ids(shift) == [far.id, near.id, evening.id]
    assert [stop.slot_id for stop in await route(shift)] == [
        each.slot_id for each in (far, near, evening)
    ]
    await undo(planned.action_id)
    assert await ids(shift) == []
    assert (await unassigned()).keys() == {far.id, near.id, evening.id}


async def test_bookings_that_fit_nowhere_are_listed_with_the_reason_until_a_route_has_them():
    shift, [a] = await a_day(1)
    premium = await at_km(a.area_id, 2, grade="premium")
    planned = await plan()
    assert (planned.served, planned.unserved) == (1, 1)
    assert await unassigned() == {premium.id: "No truck on shift carries premium."}
    with_premium = await a_shift(await a_truck(tanks={"premium": 99_000}), await a_technician(2))
    assert (await plan()).unserved == 0
    assert (await ids(shift), await ids(with_premium)) == ([a.id], [premium.id])
    assert await unassigned() == {}


async def test_planning_again_changes_only_what_is_better_and_may_leave_nothing_to_undo():
    shift, _ = await a_day(1, 3, 2)
    first = await plan()
    revision = (await shift_now(shift)).revision
    assert first.action_id
    again = await plan()
    assert (again.action_id, again.served) == ("", 3)
    assert (await shift_now(shift)).revision == revision


async def test_stops_that_cannot_be_in_time_stay_on_the_route(monkeypatch):
    shift, bookings = await a_day(1, 2, 3)
    evening = await at_km(bookings[0].area_id, 4, opens=14)
    await move(evening, shift, 1)
    at(monkeypatch, bookings[0].ends_at - timedelta(minutes=5))
    assert (await plan()).unserved == 0
    assert (await ids(shift))[-1] == evening.id
    assert len(await late()) == 2


async def move(booking, shift, place):
    await truck_routes.move(STAFF, booking.id, shift.id, place, await revisions())


async def late() -> set[str]:
    """Return the bookings that are late on their routes."""
    routes = (await truck_routes.read_board(STAFF, TOMORROW)).expected.values()
    return {each.stop.id for stops in routes for each in stops if each.lateness == LATE}


async def test_replanning_on_the_road_moves_only_what_has_not_started(monkeypatch):
    shift, [a, b, c] = await a_day(9, 5, 1, published=True)
    at(monkeypatch, a.starts_at)
    [started, *_] = await route(shift)
    await change_stop(started, driving_at=a.starts_at)
    await change(a, state="en_route")
    other = await a_shift(await a_truck(), await a_technician(2))
    new = await at_km(a.area_id, 2, opens=14, place=c.place)
    await plan()
    [first, *_] = await route(shift)
    assert (first.booking_id, first.driving_at, first.leg_s) == (a.id, a.starts_at, started.leg_s)
    everything = await ids(shift) + await ids(other)
    assert sorted(everything) == sorted(each.id for each in (a, b, c, new))
    assert (await stored(new)).state == "dispatched"
    assert (await stored(a)).state == "en_route"


async def test_pinned_stops_stay_on_their_truck_and_others_are_not_pinned_by_planning():
    shift, [a, b] = await a_day(1, 2)
    other = await a_shift(await a_truck(), await a_technician(2))
    await truck_routes.move(STAFF, a.id, other.id, 0, await revisions())
    await truck_routes.pin(STAFF, a.id, True, await revisions())
    await plan(keep=True)
    assert (await ids(shift), await ids(other)) == ([b.id], [a.id])
    assert [s.is_pinned for s in (*await route(shift), *await route(other))] == [False, True]
    await plan()
    assert await ids(other) in ([a.id], [b.id, a.id], [a.id, b.id])


async def test_refills_of_a_plan_stay_when_it_is_planned_again(monkeypatch, solver):
    shift, [a, b] = await a_day(1, 2)

    async def refill_in_between(_problem):
        return Solution(tours=((0, REFILL_JOB, 1),))

    monkeypatch.setattr(solver, "solve", refill_in_between)
    await plan()
    assert await ids(shift) == [a.id, "", b.id]
    assert (await plan()).action_id == ""
    await truck_routes.add_refill(STAFF, shift.id, 0, await revisions())
    await plan()
    assert await ids(shift) == [a.id, "", b.id]


async def test_broken_truck_keeps_what_has_started_and_gives_the_rest_to_the_others():
    shift, [a, b] = await a_day(1, 2, published=True)
    await change_stop((await route(shift))[0], driving_at=NOW)
    await change(a, state="en_route")
    async with day_plan.transaction() as session:
        (await session.get_one(type(shift), shift.id)).broken_at = NOW
    with pytest.raises(NoShifts):
        await plan()
    other = await a_shift(await a_truck(), await a_technician(2))
    assert (await plan()).served == 1
    assert (await ids(shift), await ids(other)) == ([a.id], [b.id])


async def test_day_with_too_many_places_says_so(monkeypatch):
    await a_day(1, 2)
    monkeypatch.setattr(day_plan, "MOST_STOPS", 2)
    with pytest.raises(TooManyStops, match=r"^This day has 3 places; at most 2 can be planned"):
        await plan()


async def test_days_that_cannot_be_planned_are_refused():
    await an_area()
    with pytest.raises(NoShifts):
        await plan()
    with pytest.raises(DayOver):
        await day_plan.plan(STAFF, TODAY - timedelta(1), {})
    await a_shift(await a_truck(), await a_technician())
    for stale in ({}, {"x": 1}, [], "x", 5):
        with pytest.raises(RouteChanged):
            await plan(stale)
    await close(TOMORROW)
    with pytest.raises(DayClosed):
        await plan()
    for role in (Role.CUSTOMER, Role.TECHNICIAN):
        with pytest.raises(NotAllowed):
            await day_plan.plan(Actor(frozenset({role})), TOMORROW, {})
    for sent in (None, 1, True, [], {}, "", "2026-02-30", "9" * 99, NOW):
        with pytest.raises(NoSuchDay):
            await day_plan.plan(STAFF, sent, {})
