"""Bookings on hold: stops of a truck that breaks down, and weather holds."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from fuel_app.areas.queries import set_week
from fuel_app.areas.rules.hours import Window, default_week
from fuel_app.bookings.rules.bookings import BookingChanged
from fuel_app.bookings.service import changes, notifications, road
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.providers.offline import OFFLINE
from fuel_app.dispatch.rules.day import (
    NewStop,
    RouteChanged,
    ShiftGone,
    StopStarted,
)
from fuel_app.dispatch.service import interruptions, truck_routes
from fuel_app.dispatch.tables import StoredShift
from fuel_app.kit import audit, clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.outbox import Message
from fuel_app.messages.rules import delivery
from tests.dispatch.planning import Solver, solver
from tests.helpers import outbox
from tests.helpers.bookings import NOW, STAFF, TODAY, a_customer, an_area, at, booked, slot
from tests.helpers.dispatch import (
    a_day,
    a_shift,
    a_technician,
    a_truck,
    at_km,
    change_stop,
    day_now,
    ids,
    on_route,
    revisions,
    route,
    shift_now,
    undo,
)
from tests.helpers.outbox import run_worker
from tests.helpers.statements import noted
from tests.helpers.stored_bookings import a_booking, change, stored

__all__ = ["solver"]
PAUSE = timedelta(minutes=3)  # before news is told
pytestmark = pytest.mark.usefixtures("database", "solver")


async def a_second_truck(**differs: Any) -> StoredShift:
    return await a_shift(await a_truck(**differs), await a_technician(2))


async def two_trucks(
    *kms: float, published: bool = True
) -> tuple[StoredShift, list[StoredBooking], StoredShift]:
    """Store tomorrow's two trucks; all bookings are on the first one."""
    shift, bookings = await a_day(*kms, published=published)
    return shift, bookings, await a_second_truck(name="Other")


async def breaks(
    shift: StoredShift, told: object = (), seen: Any = None
) -> interruptions.Breakdown:
    return await interruptions.confirm_breakdown(STAFF, shift.id, seen or await revisions(), told)


async def states(*bookings: StoredBooking) -> list[str]:
    return [(await stored(each)).state for each in bookings]


async def count_notified(kind: str) -> list[Any]:
    return sorted(each.payload["booking"] for each in await told(kind))


@pytest.mark.parametrize("published", [True, False])
async def test_stops_move_to_the_other_truck_and_back_by_undo(published):
    shift, [a, b], other = await two_trucks(1, 2, published=published)
    before = await states(a, b)
    shown = await interruptions.preview_breakdown(STAFF, shift.id, await revisions())
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
    shown = await interruptions.preview_breakdown(STAFF, shift.id, await revisions())
    assert {(each.booking.id, each.reason) for each in shown.unserved} == {
        (each.id, "No truck on shift carries premium.") for each in premium
    }
    done = await breaks(shift, [each.booking.id for each in shown.unserved])
    assert (await ids(shift), await ids(other)) == ([], [a.id])
    assert await states(a, *premium) == ["dispatched", "weather_hold", "weather_hold"]
    assert (await stored(premium[0])).reason == interruptions.BREAKDOWN_REASON
    assert await count_notified("cannot_come") == sorted(each.id for each in premium)
    await undo(done.action_id)
    assert await ids(shift) == [each.id for each in (a, *premium)]
    assert await states(a, *premium) == ["dispatched"] * 3
    assert await count_notified("on_again") == []  # nobody was told of the breakdown
    assert {each.state for each in await told("cannot_come")} == {"skipped"}


async def test_number_of_customers_who_will_be_told_is_known_before():
    shift, [a, b] = await a_day(1, 2, published=True)
    premium = await at_km(a.area_id, 3, grade="premium")
    await on_route(shift, premium, published=True)
    other = await a_second_truck()
    own = await at_km(a.area_id, 4)
    await on_route(other, own, published=True)
    for stop in await route(shift):  # told: much later than it will be
        await change_stop(stop, told_at=b.ends_at)
    shown = await interruptions.preview_breakdown(STAFF, shift.id, await revisions())
    assert shown.told == 4
    await breaks(shift, [premium.id])
    assert await count_notified("cannot_come") == [premium.id]
    assert await count_notified("arrival_moved") == sorted([a.id, b.id, own.id])


@pytest.mark.parametrize("shown", [(), None, {"a": 1}, [["x"], None]])
async def test_customer_whose_stop_the_dispatcher_was_not_shown_is_not_told(shown):
    shift, [a] = await a_day(1, published=True)
    done = await breaks(shift, shown)
    assert [each.reason for each in done.unserved] == [interruptions.NO_OTHER_TRUCK]
    assert await states(a) == ["booked"]
    assert not await count_notified("cannot_come")
    (waiting,) = (await day_now()).unassigned
    assert (waiting.booking.id, waiting.reason) == (a.id, interruptions.NO_OTHER_TRUCK)


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
    solver: Solver, stop_now, state, began
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


@pytest.mark.parametrize("shift_id", ["0" * 36, "x", None, 7, ["x"]])
async def test_shift_that_is_not_there_is_refused(shift_id):
    for attempt in (
        interruptions.confirm_breakdown(STAFF, shift_id, {}, ()),
        interruptions.mark_repaired(STAFF, shift_id, {}),
    ):
        with pytest.raises(ShiftGone):
            await attempt


async def test_routes_seen_in_an_older_state_are_refused():
    shift, _, _ = await two_trucks(1)
    for seen in ({}, None, [], {shift.id: "1"}):
        for attempt in (
            interruptions.preview_breakdown(STAFF, shift.id, seen),  # type: ignore[arg-type]
            interruptions.mark_repaired(STAFF, shift.id, seen),  # type: ignore[arg-type]
        ):
            with pytest.raises(RouteChanged):
                await attempt


async def test_repaired_truck_takes_stops_and_its_breakdown_is_not_undone_any_more():
    shift, [a], other = await two_trucks(1)
    premium = await at_km(a.area_id, 2, grade="premium")
    await on_route(shift, premium, published=True)
    done = await breaks(shift, [])
    await interruptions.mark_repaired(STAFF, shift.id, await revisions())
    assert (await shift_now(shift)).broken_at is None
    unassigned = [(each.booking.id, each.reason) for each in (await day_now()).unassigned]
    assert unassigned == [(premium.id, "")]
    with pytest.raises(RouteChanged):
        await undo(done.action_id)
    assert await ids(other) == [a.id]


NEXT_DAY = (TODAY + timedelta(days=1)).isoformat()
DAY = TODAY.isoformat()
REASON = "Lightning until noon."


async def todays_route(*, published: bool = True) -> tuple[str, StoredShift, list[StoredBooking]]:
    """Store today's route of three windows: from 10, 12 and 14."""
    area, windows = await an_area(), (10, 12, 14)
    async with transaction() as session:
        week = (tuple(Window(opens, opens + 2, 6) for opens in windows),) * 7
        await set_week(session, area, week)
    shift = await a_shift(await a_truck(), await a_technician(), TODAY)
    bookings = [await a_booking(area, days=0, opens=opens) for opens in windows]
    await on_route(shift, *bookings, published=published)
    return area, shift, bookings


ASKED = {"day": DAY, "area_id": "", "starts": "11:00", "ends": "14:00", "reason": REASON}


async def hold(**differs: Any) -> interruptions.Held:
    return await interruptions.begin_weather_hold(STAFF, ASKED | differs)


async def pass_by(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the pause before news pass, and send what is due."""
    at(monkeypatch, clock.now() + PAUSE)
    await run_worker()


@pytest.mark.parametrize("is_in_time", [True, False])
async def test_hold_that_is_undone_within_the_pause_was_never_told(monkeypatch, is_in_time):
    await todays_route()
    held = await hold()
    assert {each.state for each in await told("weather_hold")} == {"queued"}
    if not is_in_time:
        await pass_by(monkeypatch)
    await undo(held.action_id)
    await pass_by(monkeypatch)
    holds, again = await told("weather_hold"), await told("on_again")
    if is_in_time:
        assert ([each.state for each in holds], again) == (["skipped"] * 2, [])
    else:
        assert [each.state for each in (*holds, *again)] == ["sent"] * 4


async def test_hold_that_was_queued_by_a_former_release_is_sent_and_taken_back(monkeypatch):
    await todays_route()
    held = await hold()
    async with transaction() as session:
        for each in await told("weather_hold"):
            row = await session.get_one(Message, each.id)
            row.payload = {name: row.payload[name] for name in row.payload if name != "live"}
    await run_worker()
    await pass_by(monkeypatch)
    await undo(held.action_id)
    await pass_by(monkeypatch)
    for kind in ("weather_hold", "on_again"):
        assert [each.state for each in await told(kind)] == ["sent", "sent"]


async def test_hold_that_is_over_when_it_is_told_is_not_told(monkeypatch):
    _, _, (first, second, _) = await todays_route()
    await hold()
    await change(first, state="cancelled", revision=9)
    await pass_by(monkeypatch)
    assert sorted(each.state for each in await told("weather_hold")) == ["sent", "skipped"]
    assert (await states(second)) == ["weather_hold"]


async def told(kind: str) -> list[Any]:
    return [each for each in await outbox.stored() if each.kind == kind]


async def test_bookings_whose_windows_overlap_are_held_leave_their_route_and_are_told():
    _, shift, bookings = await todays_route()
    touched = await interruptions.list_affected(STAFF, ASKED)
    assert [each.booking.id for each in touched] == [each.id for each in bookings[:2]]
    held = await hold()
    assert held.count == 2
    assert await states(*bookings) == ["weather_hold", "weather_hold", "dispatched"]
    (left,) = await route(shift)
    assert (left.booking_id, left.leg_s) == (bookings[2].id, 3 * 600)  # the way past the others
    assert (await shift_now(shift)).revision == 2
    first, second = await told("weather_hold")
    assert first.payload["reason"] == REASON
    assert "free of charge" in first.payload["what_next"]
    assert second.payload["booking"] == bookings[1].id
    assert (await stored(bookings[0])).reason == REASON  # the booking's page says it


async def test_reminders_of_held_bookings_are_withdrawn_and_come_back(monkeypatch):
    area, who = await an_area(), await a_customer()
    made = await booked(who, slot(area, 1, 14))
    await hold(day=NEXT_DAY, starts="14:00", ends="16:00")
    assert {each.state for each in await told("hour_before")} == {"skipped"}
    await pass_by(monkeypatch)
    assert await interruptions.resume_held(STAFF, NEXT_DAY, [made.id]) == 1
    assert [each.state for each in await told("hour_before")].count("queued") == 2
    assert {each.channel for each in await told("on_again")} == {"mail", "sms"}


async def test_only_the_chosen_area_is_held():
    area, _, bookings = await todays_route()
    assert (await hold(area_id="0" * 8 + area[8:])).count == 0
    assert (await hold(area_id=area)).count == 2
    assert (await states(*bookings))[2] == "dispatched"


async def test_stops_that_a_technician_has_begun_stay():
    _, shift, bookings = await todays_route()
    (stop, *_), technician = await route(shift), await a_technician(2)
    async with transaction() as session:
        await road.take_technician_step(session, technician, bookings[0].id, "drive", NOW)
    await change_stop(stop, driving_at=NOW)
    assert (await hold()).count == 1
    assert await states(*bookings) == ["en_route", "weather_hold", "dispatched"]
    assert [each.booking_id for each in await route(shift)] == [bookings[0].id, bookings[2].id]


async def test_two_holds_at_once_hold_each_booking_once():
    await todays_route()
    done = await asyncio.gather(hold(), hold(), hold())
    assert sorted(each.count for each in done) == [0, 0, 2]
    assert [each.action_id for each in done].count("") == 2
    assert len(await told("weather_hold")) == 2


async def test_hold_and_a_technicians_start_at_once_never_both_take_a_stop():
    _, shift, bookings = await todays_route()
    technician = await a_technician(2)

    async def drive() -> None:
        async with transaction() as session:
            await interruptions.queries.lock_shifts(session, [shift.id])
            await road.take_technician_step(session, technician, bookings[0].id, "drive", NOW)
            stop = await interruptions.queries.find_stop(session, bookings[0].id)
            assert stop
            await interruptions.queries.set_stop(session, stop.id, {"driving_at": NOW})

    held, drove = await asyncio.gather(hold(), drive(), return_exceptions=True)
    assert isinstance(held, interruptions.Held)
    is_held = isinstance(drove, BookingChanged)
    assert (held.count, (await states(*bookings))[0]) == (
        (2, "weather_hold") if is_held else (1, "en_route")
    )


@pytest.mark.slow
@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", id="two writers")])
async def test_hold_locks_the_routes_before_the_bookings():
    """Technicians and planning lock them in this order; SQLite has one writer."""
    await todays_route()
    with noted() as statements:
        assert (await hold()).count == 2
    locked = [each.partition("FROM ")[2].split()[0] for each in statements if "FOR " in each]
    assert locked.index("shifts") < locked.index("bookings")


async def test_booking_that_its_customer_moves_meanwhile_is_not_held_at_its_new_time(monkeypatch):
    area, who = await an_area(), await a_customer()
    made = await booked(who, slot(area, 1, 10))
    async with reading() as session:
        stale = await interruptions.read(session, TODAY + timedelta(days=1))
    await changes.move(who.actor, made.id, 1, slot(area, 1, 14))

    async def read(*_: Any) -> Any:
        return stale

    monkeypatch.setattr(interruptions, "read", read)
    assert (await hold(day=NEXT_DAY, starts="10:00", ends="11:00")).count == 0


async def test_resume_books_again_what_is_not_over(monkeypatch):
    _, _, bookings = await todays_route()
    await hold()
    await pass_by(monkeypatch)
    at(monkeypatch, NOW + timedelta(hours=3))  # 13:00: the first window is over
    ids = [each.id for each in bookings]
    assert await interruptions.resume_held(STAFF, DAY, [*ids, None, 7, "x"]) == 1
    assert await states(*bookings) == ["weather_hold", "booked", "dispatched"]
    assert await interruptions.resume_held(STAFF, DAY, ids) == 0
    assert len(await told("on_again")) == 1


async def test_two_who_resume_at_once_book_no_window_above_its_capacity():
    area = await an_area()
    made = [await booked(await a_customer(n), slot(area, 1, 14)) for n in (1, 2)]
    await hold(day=NEXT_DAY, starts="14:00", ends="16:00")
    async with transaction() as session:
        await set_week(session, area, default_week(1))
    resuming = [interruptions.resume_held(STAFF, NEXT_DAY, [each.id]) for each in made]
    assert sorted(await asyncio.gather(*resuming)) == [0, 1]


async def resumed(*bookings: StoredBooking, day: str = DAY) -> None:
    assert await interruptions.resume_held(STAFF, day, [each.id for each in bookings]) == len(
        bookings
    )


async def sent_again(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Let the pause pass. Return the state and subject, or reason, of what is told then."""
    await pass_by(monkeypatch)
    return [
        (each.state, (each.subject or each.error or "").partition(":")[0])
        for each in await told("on_again")
    ]


async def test_resumed_booking_is_promised_a_technician_only_on_a_route(monkeypatch):
    _, shift, (first, second, third) = await todays_route()
    await hold()
    await pass_by(monkeypatch)
    await resumed(first, second)
    shown = {shift.id: (await shift_now(shift)).revision}
    wanted = {shift.id: [NewStop(each.id, 600, NOW) for each in (third, second)]}
    async with transaction() as session:  # a dispatcher puts one of them back
        await truck_routes.rewrite(session, STAFF, "move", shown, wanted)
    assert await sent_again(monkeypatch) == [
        ("sent", "Booked again"),
        ("sent", "We come as booked"),
    ]


async def test_resumed_booking_that_changes_again_is_told_nothing_of_it(monkeypatch):
    area, _, (first, second, _) = await todays_route()
    await hold()
    await pass_by(monkeypatch)
    await resumed(first, second)
    await hold(ends="11:30")
    tomorrow = {"starts_at": NOW + timedelta(days=1), "ends_at": NOW + timedelta(days=1, hours=2)}
    await change(second, slot_id=slot(area, 1, 10), **tomorrow)
    assert await sent_again(monkeypatch) == [("skipped", delivery.OUTDATED)] * 2


async def test_message_of_a_former_release_that_a_booking_is_on_again_is_sent(monkeypatch):
    _, _, (first, *_) = await todays_route()
    async with transaction() as session:
        booking = (await road.of_ids(session, [first.id]))[first.id]
        await notifications.weather_hold_ended(session, booking)
    assert await sent_again(monkeypatch) == [("sent", "We come as booked")]


async def test_undo_resumes_exactly_what_the_hold_has_stopped():
    _, _, bookings = await todays_route()
    earlier = await hold(starts="10:00", ends="11:00")
    held = await hold(starts="11:00", ends="13:00")
    assert (earlier.count, held.count) == (1, 1)
    done = [each async for each in audit.undo(held.action_id, actor="staff")]
    assert done[-1].changed == 1
    assert await states(*bookings) == ["weather_hold", "booked", "dispatched"]


async def test_undo_leaves_what_has_changed_since():
    _, _, bookings = await todays_route()
    held = await hold()
    await change(bookings[0], revision=9)
    done = [each async for each in audit.undo(held.action_id, actor="staff")]
    assert (done[-1].changed, done[-1].left) == (1, 1)
    assert (await states(*bookings))[0] == "weather_hold"


@pytest.mark.parametrize(
    ("differs", "fields"),
    [
        ({"day": "2026-13-01"}, {"day"}),
        ({"day": None, "starts": 7, "ends": [], "reason": ""}, {"day", "starts", "ends", "reason"}),
        ({"area_id": "x"}, {"area_id"}),
        ({"area_id": {}}, {"area_id"}),
        ({"starts": "25:00"}, {"starts"}),
        ({"ends": "11:00"}, {"ends"}),
        ({"starts": "08:00", "ends": "09:00"}, {"ends"}),  # over
        ({"reason": "x" * 101}, {"reason"}),
    ],
)
async def test_what_no_control_sends_is_refused_beside_its_field(differs, fields):
    with pytest.raises(InvalidForm) as refused:
        await hold(**differs)
    assert refused.value.messages.keys() == fields


async def test_undo_of_a_breakdown_ends_no_weather_hold_made_since():
    _, shift, bookings = await todays_route()
    done = await interruptions.confirm_breakdown(STAFF, shift.id, await revisions(), [])
    assert (await hold(starts="12:00", ends="14:00")).count == 1
    await undo(done.action_id)
    assert await states(*bookings) == ["dispatched", "weather_hold", "dispatched"]
    assert await ids(shift) == [bookings[0].id, bookings[2].id]
