"""Planning a day: what happens while the solver searches, and what is down."""

import asyncio
from concurrent.futures.process import BrokenProcessPool

import pytest

from fuel_app.bookings.service import changes
from fuel_app.dispatch.providers.offline import OFFLINE
from fuel_app.dispatch.rules.day import NotPlanned, RouteChanged, StopStarted
from fuel_app.dispatch.service import truck_routes
from fuel_app.kit.money import Money
from tests.helpers.bookings import NOW, STAFF, an_area, slot
from tests.helpers.dispatch import (
    a_day,
    a_shift,
    a_technician,
    a_truck,
    at_km,
    change_stop,
    ids,
    revisions,
    route,
    shift_now,
    undo,
)
from tests.helpers.planning import Live, Solver, ask, plan, provider, solver, unassigned

pytestmark = pytest.mark.usefixtures("database", "solver")

__all__ = ["solver"]


async def test_booking_that_goes_while_the_solver_searches_is_left_out(solver: Solver):
    shift, [a, b, c] = await a_day(1, 2, 3)
    await truck_routes.add_refill(
        STAFF, shift.id, 0, await revisions()
    )  # so that the route changes

    async def customers_change_their_minds():
        await changes.cancel(STAFF, a.id, 1, seen_fee=Money(0), reason="Sold the car")
        await changes.move(STAFF, b.id, 1, slot(b.area_id, day=2), reason="Rain")

    solver.meanwhile = customers_change_their_minds
    await plan()
    assert await ids(shift) == [c.id]
    assert await unassigned() == {}


async def test_move_while_the_solver_searches_is_not_overwritten(solver: Solver):
    _, [a, _] = await a_day(1, 2)
    other = await a_shift(await a_truck(), await a_technician(2))
    seen = await revisions()
    solver.meanwhile = lambda: truck_routes.move(STAFF, a.id, other.id, 0, seen)
    with pytest.raises(RouteChanged):
        await plan()
    assert await ids(other) == [a.id]


async def test_technician_who_sets_off_while_the_solver_searches_is_not_overtaken(solver: Solver):
    shift, [_, b] = await a_day(1, 2, published=True)
    stops = await route(shift)
    solver.meanwhile = lambda: change_stop(stops[1], driving_at=NOW)
    with pytest.raises(StopStarted):
        await plan()
    assert (await ids(shift))[1] == b.id


async def test_two_plans_at_once_and_one_of_them_reads_why():
    area = await an_area()
    shift = await a_shift(await a_truck(), await a_technician())
    bookings = [await at_km(area, 1, opens) for opens in (8, 10)]
    premium = await at_km(area, 3, grade="premium")
    seen = await revisions()
    done = await asyncio.gather(plan(seen), plan(seen), return_exceptions=True)
    assert sorted(type(each).__name__ for each in done) == ["Planned", "RouteChanged"]
    assert sorted(await ids(shift)) == sorted(each.id for each in bookings)
    again = await asyncio.gather(plan(), plan())  # nothing moves, and the reasons are noted twice
    assert [each.action_id for each in again] == ["", ""]
    assert (await unassigned()).keys() == {premium.id}


async def test_plan_says_when_no_provider_knew_the_traffic(monkeypatch):
    await a_day(1, 2)
    provider(monkeypatch, down=False)
    assert not (await plan()).estimated
    provider(monkeypatch, down=True)
    assert (await plan()).estimated
    provider(monkeypatch, down=False).estimated = True  # as OSRM: it knows roads, no traffic
    assert (await plan()).estimated


async def test_stop_is_timed_by_the_provider_of_the_plan_though_fewer_stops_are_left(monkeypatch):
    shift, [a, b, *_] = await a_day(1, 2, 3, 4)
    few, many = Live("Few", 4, down=False), Live("Many", down=False)
    ask(monkeypatch, few, many)
    await plan()
    assert (await shift_now(shift)).timed_by == "Many"
    await truck_routes.unassign(STAFF, a.id, await revisions())
    await truck_routes.unassign(STAFF, b.id, await revisions())
    assert (few.drives, many.drives) == (0, 2)
    assert (await shift_now(shift)).timed_by == "Many"


async def test_undo_of_a_plan_gives_back_the_provider_of_the_plan_before(monkeypatch):
    shift, [a, *_] = await a_day(1, 2)
    provider(monkeypatch, down=True)
    first = await plan()
    provider(monkeypatch, down=False)
    await truck_routes.unassign(STAFF, a.id, await revisions())
    second = await plan()
    assert (await shift_now(shift)).timed_by == "Live"
    await undo(second.action_id)
    assert (await shift_now(shift)).timed_by == OFFLINE
    assert first.estimated


async def test_plan_without_a_drive_has_no_provider():
    area = await an_area()
    shift = await a_shift(await a_truck(), await a_technician())
    home = await at_km(area, 0)
    await plan()
    assert (await ids(shift), (await shift_now(shift)).timed_by) == ([home.id], "")


async def test_killed_solver_is_a_refusal_and_changes_nothing(monkeypatch, solver, logged):
    shift, bookings = await a_day(2, 1)

    async def killed(_problem):
        raise BrokenProcessPool

    monkeypatch.setattr(solver, "solve", killed)
    with pytest.raises(NotPlanned):
        await plan()
    assert await ids(shift) == [each.id for each in bookings]
    assert [each["event"] for each in logged] == ["day.unsolved"]
