"""Planning a day: routes by the solver, pins, refills, broken trucks."""

import asyncio
from concurrent.futures.process import BrokenProcessPool
from datetime import timedelta

import pytest

from fuel_app.bookings.service import changes
from fuel_app.bookings.tables import BookingEvent
from fuel_app.dispatch.providers.offline import OFFLINE
from fuel_app.dispatch.rules.arrivals import LATE
from fuel_app.dispatch.rules.day import (
    DayClosed,
    DayOver,
    NoShifts,
    NoSuchDay,
    NothingToPublish,
    NotPlanned,
    PlanStopped,
    RouteChanged,
    StopStarted,
    TooManyStops,
)
from fuel_app.dispatch.rules.day_plan import REFILL_JOB, Search, Solution
from fuel_app.dispatch.service import arrivals, day_plan, truck_routes
from fuel_app.dispatch.tables import PublishedDay
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, SHIFTS, listening
from tests.dispatch.planning import Live, Solver, ask, plan, provider, solver, unassigned
from tests.helpers import outbox
from tests.helpers.bookings import NOW, STAFF, TODAY, an_area, at, slot
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
    revisions,
    route,
    shift_now,
    undo,
)
from tests.helpers.people import rows
from tests.helpers.stored_bookings import change, stored

__all__ = ["solver"]
PAUSE = timedelta(minutes=3)  # before news is told
pytestmark = pytest.mark.usefixtures("database", "solver")


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


async def test_plan_that_is_cancelled_changes_nothing():
    shift, _ = await a_day(1, 3, 2)
    before = await shift_now(shift)
    with pytest.raises(PlanStopped):
        await plan(search=Search(is_stopped=True))
    assert (await shift_now(shift)).revision == before.revision


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


async def test_plan_of_a_published_day_says_how_many_customers_will_be_told():
    shift, bookings = await a_day(1, 9, 2, published=True)
    for stop in await route(shift):  # told: much later than it will be
        await change_stop(stop, told_at=bookings[0].ends_at)
    planned = await plan()
    assert {each.payload["booking"] for each in await told()} == {each.id for each in bookings}
    assert planned.told == len(bookings)


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

    async def refill_in_between(*_):
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
    for sent in (None, 1, True, [], {}, "", "2026-02-30", "9" * 99, NOW):
        with pytest.raises(NoSuchDay):
            await day_plan.plan(STAFF, sent, {})


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


async def publish(seen=None) -> int:
    return await day_plan.publish(STAFF, TOMORROW, await revisions() if seen is None else seen)


async def told():
    return [each for each in await outbox.stored() if each.kind == "arrival_moved"]


async def dispatched() -> int:
    return len(await rows(BookingEvent, kind="publish"))


async def test_publishing_dispatches_the_bookings_and_notes_the_arrivals_that_they_know():
    shift, bookings = await a_day(1, 2)
    await truck_routes.add_refill(STAFF, shift.id, 1, await revisions())
    async with listening(SHIFTS, BOOKINGS) as heard:
        assert await publish() == 2
        assert await heard.next(0) == {SHIFTS, BOOKINGS}
    assert {(await stored(each)).state for each in bookings} == {"dispatched"}
    stops = await route(shift)
    assert [stop.told_at for stop in stops] == [stops[0].begins_at, None, stops[2].begins_at]
    assert ((await day_now()).published_at, await told()) == (NOW, [])


@pytest.mark.parametrize("is_after_shift", [False, True])
async def test_customer_of_a_late_stop_is_told_once_by_publishing(monkeypatch, is_after_shift):
    shift, [a] = await a_day(1)
    begins_at = (shift.ends_at if is_after_shift else a.ends_at) + timedelta(minutes=30)
    [stop] = await route(shift)
    drive = begins_at - shift.starts_at
    await change_stop(stop, leg_s=int(drive.total_seconds()), begins_at=begins_at)
    seen = await revisions()
    assert [await publish(seen), await publish({})] == [1, 0]
    [stop] = await route(shift)
    assert stop.told_at == a.ends_at  # nothing said so far but the window
    at(monkeypatch, NOW + PAUSE)
    await outbox.run_worker()
    async with transaction() as session:
        await arrivals.notify_moved(session, TOMORROW)
    [only] = await told()
    day = "tomorrow, Tuesday, November 24"
    if is_after_shift:
        assert only.subject == f"We may not reach you {day}"
        assert "before the shift ends. We will call you." in (only.body or "")
    else:
        moved = f"Your fill-up is now expected {day}, between 10:20 and 10:45 AM"
        assert (only.state, only.subject) == ("sent", moved)


async def test_two_dispatchers_at_once_publish_once():
    await a_day(1, 2)
    seen = await revisions()
    assert sorted(await asyncio.gather(publish(seen), publish(seen))) == [0, 2]
    assert await dispatched() == 2


async def test_cancelled_and_moved_bookings_are_not_dispatched():
    shift, [a, b, c] = await a_day(1, 2, 3)
    await change(a, state="cancelled")
    await changes.move(STAFF, b.id, 1, slot(b.area_id, day=2), reason="Rain")
    assert await publish() == 1
    assert [(await stored(each)).state for each in (a, b, c)] == [
        "cancelled",
        "booked",
        "dispatched",
    ]
    assert len(await ids(shift)) == 3


async def test_booking_that_moves_at_the_same_time_is_dispatched_on_its_own_day_alone():
    _, [a, b] = await a_day(1, 2)
    moved = changes.move(STAFF, a.id, 1, slot(a.area_id, day=2), reason="Rain")
    published, _ = await asyncio.gather(publish(), moved, return_exceptions=True)
    now = await stored(a)
    assert (published, now.state, now.slot_id) in (
        (1, "booked", slot(a.area_id, day=2)),
        (2, "booked", slot(a.area_id, day=2)),  # dispatched first, then moved
        (2, "dispatched", a.slot_id),  # the move came too late
    )
    assert (await stored(b)).state == "dispatched"


async def test_routes_have_to_be_those_on_the_screen():
    _, [a] = await a_day(1)
    seen = await revisions()
    await a_shift(await a_truck(), await a_technician(2))  # another dispatcher's
    with pytest.raises(RouteChanged):
        await publish(seen)
    seen = await revisions()
    await truck_routes.pin(STAFF, a.id, True, seen)
    for stale in (seen, {}, None, "x", [], 1):
        with pytest.raises(RouteChanged):
            await day_plan.publish(STAFF, TOMORROW, stale)  # type: ignore[arg-type]
    assert not await rows(PublishedDay)


async def test_day_without_stops_is_not_published():
    await an_area()
    with pytest.raises(NothingToPublish):
        await publish()
    shift = await a_shift(await a_truck(), await a_technician())
    await truck_routes.add_refill(STAFF, shift.id, 0, await revisions())
    with pytest.raises(NothingToPublish):
        await publish()
    assert not await rows(PublishedDay)


async def test_day_that_is_over_or_closed_is_not_published():
    await a_day(1)
    with pytest.raises(DayOver):
        await day_plan.publish(STAFF, TODAY - timedelta(1), {})
    await close(TOMORROW)
    with pytest.raises(DayClosed):
        await publish()
