"""A truck that breaks down: its stops go to the others, or their customers are told."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.providers import vrp
from fuel_app.dispatch.providers.offline import OFFLINE
from fuel_app.dispatch.rules.day import DayClosed, DayOver, RouteChanged, ShiftGone, StopStarted
from fuel_app.dispatch.rules.day_plan import Problem, Solution
from fuel_app.dispatch.service import day_plan, holds
from fuel_app.dispatch.tables import StoredShift
from tests.helpers import outbox
from tests.helpers.bookings import NOW, STAFF, at
from tests.helpers.dispatch import (
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
from tests.helpers.stored_bookings import change, stored

pytestmark = pytest.mark.usefixtures("database", "solver")


class Solver:
    """The real search, in this process; then what others do meanwhile."""

    def __init__(self) -> None:
        self.meanwhile: Callable[[], Awaitable[Any]] | None = None

    async def solve(self, problem: Problem) -> Solution:
        if self.meanwhile:
            await self.meanwhile()
        return vrp.solve(problem, seconds=0.1)


@pytest.fixture
def solver(monkeypatch: pytest.MonkeyPatch) -> Solver:
    at(monkeypatch, NOW)
    here = Solver()
    monkeypatch.setattr(day_plan, "solver", lambda: here)
    return here


async def a_second_truck(**differs: Any) -> StoredShift:
    return await a_shift(await a_truck(**differs), await a_technician(2))


async def two_trucks(
    *kms: float, published: bool = True
) -> tuple[StoredShift, list[StoredBooking], StoredShift]:
    """Store tomorrow's two trucks; all bookings are on the first one."""
    shift, bookings = await a_day(*kms, published=published)
    return shift, bookings, await a_second_truck(name="Other")


async def breaks(shift: StoredShift, told: object = (), seen: Any = None) -> holds.Breakdown:
    return await holds.confirm_breakdown(STAFF, shift.id, seen or await revisions(), told)


async def states(*bookings: StoredBooking) -> list[str]:
    return [(await stored(each)).state for each in bookings]


async def told(kind: str) -> list[Any]:
    return [each.payload["booking"] for each in await outbox.stored() if each.kind == kind]


@pytest.mark.parametrize("published", [True, False])
async def test_stops_move_to_the_other_truck_and_back_by_undo(published):
    shift, [a, b], other = await two_trucks(1, 2, published=published)
    before = await states(a, b)
    shown = await holds.preview_breakdown(STAFF, shift.id, await revisions())
    assert {(stop.id, truck) for stop, truck in shown.moved} == {(a.id, "Other"), (b.id, "Other")}
    assert (shown.unserved, shown.action_id) == ((), "")
    assert await ids(shift) == [a.id, b.id]
    done = await breaks(shift)
    begins = {stop.booking_id: stop.begins_at for stop in await route(other)}
    assert {stop.id: stop.begins_at for stop, _ in shown.moved} == begins
    assert (await ids(shift), sorted(await ids(other))) == ([], sorted([a.id, b.id]))
    assert (await shift_now(shift)).broken_at == NOW
    assert (await shift_now(other)).timed_by == OFFLINE
    assert await states(a, b) == before
    await undo(done.action_id)
    assert (await ids(shift), await ids(other)) == ([a.id, b.id], [])
    assert (await shift_now(shift)).broken_at is None
    assert (await shift_now(other)).timed_by == ""
    assert await states(a, b) == before


async def test_two_stops_that_fit_nowhere_are_listed_held_and_their_customers_told():
    shift, [a] = await a_day(1, published=True)
    premium = [await at_km(a.area_id, km, grade="premium") for km in (2, 3)]
    await on_route(shift, *premium, published=True)
    other = await a_second_truck()
    shown = await holds.preview_breakdown(STAFF, shift.id, await revisions())
    assert {(each.booking.id, each.reason) for each in shown.unserved} == {
        (each.id, "No truck on shift carries premium.") for each in premium
    }
    done = await breaks(shift, [each.booking.id for each in shown.unserved])
    assert (await ids(shift), await ids(other)) == ([], [a.id])
    assert await states(a, *premium) == ["dispatched", "weather_hold", "weather_hold"]
    assert (await stored(premium[0])).reason == holds.BREAKDOWN_REASON
    assert sorted(await told("cannot_come")) == sorted(each.id for each in premium)
    await undo(done.action_id)
    assert await ids(shift) == [each.id for each in (a, *premium)]
    assert await states(a, *premium) == ["dispatched"] * 3
    assert sorted(await told("on_again")) == sorted(each.id for each in premium)


@pytest.mark.parametrize("shown", [(), None, {"a": 1}, [["x"], None]])
async def test_customer_whose_stop_the_dispatcher_was_not_shown_is_not_told(shown):
    shift, [a] = await a_day(1, published=True)
    done = await breaks(shift, shown)
    assert [each.reason for each in done.unserved] == [holds.NO_OTHER_TRUCK]
    assert await states(a) == ["booked"]
    assert not await told("cannot_come")
    (waiting,) = (await day_now()).unassigned
    assert (waiting.booking.id, waiting.reason) == (a.id, holds.NO_OTHER_TRUCK)


async def test_stop_on_the_way_moves_and_the_one_being_fueled_stays(monkeypatch):
    shift, [a, b, c, d], other = await two_trucks(1, 2, 3, 4)
    first, second, third, _ = await route(shift)
    at(monkeypatch, a.starts_at)
    now = {"driving_at": a.starts_at, "arrived_at": a.starts_at}
    await change_stop(first, **now, ended_at=a.starts_at)
    await change_stop(second, **now, fueling_at=a.starts_at)
    await change_stop(third, **now)
    for booking, state in ((a, "failed"), (b, "fueling"), (c, "arrived")):
        await change(booking, state=state)
    done = await breaks(shift)
    assert {stop.id for stop, _ in done.moved} == {c.id, d.id}
    assert await ids(shift) == [a.id, b.id]
    assert await states(b, c, d) == ["fueling", "dispatched", "dispatched"]
    moved = next(stop for stop in await route(other) if stop.booking_id == c.id)
    assert (moved.driving_at, moved.arrived_at) == (None, None)


async def test_pinned_stops_of_other_trucks_stay_and_none_is_left_out_for_the_broken_one():
    shift, bookings, other = await two_trucks(1, 2)
    own = [await at_km(bookings[0].area_id, km) for km in (3, 4)]
    await on_route(other, *own, published=True)
    await change_stop((await route(other))[0], is_pinned=True)
    third = await a_shift(await a_truck(), await a_technician(3))
    await breaks(shift)
    assert own[0].id in await ids(other)
    everything = [*await ids(other), *await ids(third)]
    assert sorted(everything) == sorted(each.id for each in (*bookings, *own))
    assert [each.is_pinned for each in await route(other) if each.booking_id == own[0].id] == [True]


async def test_truck_with_nothing_left_breaks_down_without_planning():
    shift, [a], _ = await two_trucks(1)
    await change(a, state="cancelled")
    done = await breaks(shift)
    assert (done.moved, done.unserved) == ((), ())
    assert (await shift_now(shift)).broken_at


async def test_broken_trucks_take_no_stops():
    shift, [a], other = await two_trucks(1)
    await breaks(other)
    done = await breaks(shift)
    assert [each.booking.id for each in done.unserved] == [a.id]


async def test_two_dispatchers_at_once_move_the_stops_once():
    shift, [a, b], other = await two_trucks(1, 2)
    seen = await revisions()
    done = await asyncio.gather(*(breaks(shift, (), seen) for _ in "ab"), return_exceptions=True)
    assert sorted(type(each).__name__ for each in done) == ["Breakdown", "RouteChanged"]
    assert sorted(await ids(other)) == sorted([a.id, b.id])


@pytest.mark.parametrize(
    ("stop_now", "state"),
    [
        ({"driving_at": NOW}, "en_route"),
        ({"driving_at": NOW, "arrived_at": NOW, "fueling_at": NOW}, "fueling"),
    ],
)
@pytest.mark.parametrize("began", [True, False])
async def test_stop_that_is_begun_while_the_solver_searches_refuses_it_all(
    solver, stop_now, state, began
):
    shift, [a], other = await two_trucks(1)
    (stop,) = await route(shift)
    if began:  # on the way already: then it may go on to be there, but not to be fueled
        await change_stop(stop, driving_at=NOW)
        await change(a, state="en_route")

    async def begin() -> None:
        await change_stop(stop, **stop_now)
        await change(a, state=state)

    solver.meanwhile = begin
    if began and state == "en_route":
        assert len((await breaks(shift)).moved) == 1
        return
    with pytest.raises(StopStarted):
        await breaks(shift)
    assert (await ids(shift), await ids(other)) == ([a.id], [])
    assert (await shift_now(shift)).broken_at is None


async def test_held_customer_who_has_moved_meanwhile_stays_moved_at_undo():
    shift, [a] = await a_day(1, published=True)
    done = await breaks(shift, [a.id])
    assert await states(a) == ["weather_hold"]
    await change(a, state="booked", slot_id="another", revision=9)
    await undo(done.action_id)
    assert (await ids(shift), await states(a)) == ([], ["booked"])


async def test_routes_seen_in_an_older_state_are_refused():
    shift, _, _ = await two_trucks(1)
    for seen in ({}, {shift.id: 1}, None, [], {shift.id: "1"}):
        with pytest.raises(RouteChanged):
            await holds.preview_breakdown(STAFF, shift.id, seen)  # type: ignore[arg-type]
        with pytest.raises(RouteChanged):
            await holds.mark_repaired(STAFF, shift.id, {} if seen == {shift.id: 1} else seen)  # type: ignore[arg-type]


@pytest.mark.parametrize("shift_id", ["0" * 36, "x", None, 7, ["x"]])
async def test_shift_that_is_not_there_is_refused(shift_id):
    for attempt in (
        holds.preview_breakdown(STAFF, shift_id, {}),
        holds.confirm_breakdown(STAFF, shift_id, {}, ()),
        holds.mark_repaired(STAFF, shift_id, {}),
    ):
        with pytest.raises(ShiftGone):
            await attempt


async def test_days_that_are_over_or_closed_are_refused(monkeypatch):
    shift, _, _ = await two_trucks(1, published=False)
    await close(TOMORROW)
    with pytest.raises(DayClosed):
        await breaks(shift)
    at(monkeypatch, NOW + timedelta(days=2))
    with pytest.raises(DayOver):
        await breaks(shift)


@pytest.mark.parametrize("role", [Role.CUSTOMER, Role.TECHNICIAN])
async def test_only_dispatchers_say_that_a_truck_is_broken(role):
    stranger = Actor(frozenset({role}), "0" * 36)
    for attempt in (
        holds.preview_breakdown(stranger, "x", {}),
        holds.confirm_breakdown(stranger, "x", {}, ()),
        holds.mark_repaired(stranger, "x", {}),
    ):
        with pytest.raises(NotAllowed):
            await attempt
