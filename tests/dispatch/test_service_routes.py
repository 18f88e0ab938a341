"""Writing routes: two at once, bookings that go meanwhile, and Undo."""

import asyncio
from datetime import timedelta

import pytest

from fuel_app.bookings.service import changes
from fuel_app.bookings.tables import BookingEvent
from fuel_app.dispatch.rules.day import (
    DayClosed,
    DayOver,
    NewStop,
    RouteChanged,
    ShiftGone,
    StopGone,
    StopStarted,
)
from fuel_app.dispatch.service import truck_routes
from fuel_app.dispatch.tables import StoredStop
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import NothingToUndo, Refusal
from fuel_app.kit.money import Money
from tests.helpers import fills
from tests.helpers.bookings import NOW, STAFF, at, slot
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
    undo,
)
from tests.helpers.people import rows
from tests.helpers.stored_bookings import change, stored

pytestmark = pytest.mark.usefixtures("database", "_now")
UNKNOWN = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


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
