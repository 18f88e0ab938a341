"""The dispatch board of a day: what it shows, and planning and publishing it."""

import asyncio
from dataclasses import asdict, replace
from datetime import timedelta
from functools import partial
from typing import Any
from unittest.mock import AsyncMock

import pytest

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import staff
from fuel_app.accounts.state import screens
from fuel_app.accounts.state.screens import UndoState
from fuel_app.bookings.rules.states import CANCELLED, COMPLETED, EN_ROUTE, WEATHER_HOLD
from fuel_app.dispatch.rules.day import DayBegun, PlanStopped
from fuel_app.dispatch.rules.day_plan import Search
from fuel_app.dispatch.service import day_plan, truck_routes
from fuel_app.dispatch.service import truck_routes as service
from fuel_app.dispatch.service.day_plan import Planned
from fuel_app.dispatch.state import board as state
from fuel_app.dispatch.state.board import ESTIMATED, BoardState
from fuel_app.dispatch.state.cards import next_step_of
from fuel_app.dispatch.state.dialogs import MOST_NAMED, MovingState, PublishState
from fuel_app.dispatch.tables import StoredShift
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED, Refusal
from fuel_app.kit.outbox import FAILED as UNSENT
from fuel_app.kit.outbox import Message
from fuel_app.kit.signals import Changes
from tests.helpers.board import STRANGE, BoardTab
from tests.helpers.bookings import NOW, STAFF, an_area, at
from tests.helpers.dispatch import (
    TOMORROW,
    a_shift,
    a_technician,
    a_truck,
    change_stop,
    on_route,
    revisions,
    route,
)
from tests.helpers.signed_in import a_person
from tests.helpers.stored_bookings import CAR, GUEST, a_booking, change
from tests.helpers.tabs import run

pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")


async def two_stops(**differs):
    """Store a shift tomorrow with two bookings. Return the shift, the bookings and the stops."""
    area = await an_area()
    shift = await a_shift(await a_truck(name="Truck A"), await a_technician(), **differs)
    bookings = [await a_booking(area, days=1), await a_booking(area, days=1, opens=10)]
    return shift, bookings, await on_route(shift, *bookings)


async def test_the_board_shows_the_day_of_its_address():
    await two_stops()
    tab = await BoardTab.open()
    board = await tab.board
    assert (board.day, board.title) == ("2026-11-24", "Tuesday, November 24, 2026")
    assert (board.status, board.loading, board.failed) == ("Open", False, False)
    (column,) = board.columns
    assert (column.truck, column.technician) == ("Truck A", "Tech1 Nician")
    assert column.hours == "7 AM–7 PM"  # noqa: RUF001
    assert column.driving == "27 min driving"  # 20 min to the stops, 7 home
    assert column.loads == ["Regular: 19.2 gal to fill, tank 300.0"]
    first, second = column.stops
    assert (first.place, first.at, first.window) == ("1", "8:00 AM", "8–10 AM")  # noqa: RUF001
    assert (first.customer, first.car) == ("Gus Guest", "2022 Toyota Camry")
    assert (first.fuel, first.street) == ("9.6 gal regular", "1234 Palm Ave")
    assert (first.gap, second.gap) == (f"{column.id} 0", f"{column.id} 1")
    assert column.last_gap == f"{column.id} 2"
    assert len(column.line) == 4  # from home, and back
    assert [tick.label for tick in board.ticks] == ["7 AM", "9 AM", "11 AM", "1 PM", "3 PM", "5 PM"]
    assert (first.window_x, first.window_width) == ("8.33%", "16.67%")
    assert board.now_x == ""


async def test_another_day_is_shown_and_stands_in_the_address():
    tab = await BoardTab.open(routes.DISPATCH)
    board = await tab.board
    assert (board.day, board.address) == ("2026-11-23", "/dispatch")
    assert (board.before, board.after) == ("2026-11-22", "2026-11-24")
    await tab.fire(BoardState.show_day, board.after)
    assert (board.day, board.address) == ("2026-11-24", "/dispatch?day=2026-11-24")
    assert not board.address_replaces
    assert board.view == state._AREA
    await tab.arrive(routes.DISPATCH)  # Back
    assert (board.day, board.today) == ("2026-11-23", "2026-11-23")


async def test_break_that_is_due_is_shown_before_its_stop():
    _, _, (_, second) = await two_stops()
    await change_stop(second, leg_s=5 * 3600)
    tab = await BoardTab.open()
    first, after = await tab.cards()
    assert (first.rest, first.rest_x) == ("", "")
    assert (after.rest, after.at) == ("Break 30 min, 8:11 AM", "1:41 PM")
    assert (after.rest_x, after.rest_width) == ("9.86%", "4.17%")


async def test_late_and_at_risk_stops_say_by_how_much():
    _, _, (first, second) = await two_stops()
    await change_stop(second, leg_s=0)
    tab = await BoardTab.open()
    for drive_minutes, shown in (
        (180, ("", "")),
        (185, ("at_risk", "At risk: 5 min over")),
        (195, ("late", "Late by 15 min")),
        (245, ("late", "Late by 1 h 5 min")),
    ):
        await change_stop(first, leg_s=60 * drive_minutes)
        await tab.fire(BoardState.load)
        stop, fine = await tab.cards()
        assert (stop.lateness, stop.late, fine.late) == (*shown, "")


async def test_stops_after_the_shift_are_named_and_counted_with_the_late_ones(monkeypatch):
    _, _, (first, second) = await two_stops(ends=9)
    tab = await BoardTab.open()
    fine, after = await tab.cards()
    assert (fine.lateness, fine.late) == ("", "")
    assert (after.lateness, after.late) == ("after_shift", "After shift, ends 9:00 AM")
    (column,) = await tab.columns()
    assert (column.late, column.late_count) == ("1 after shift", 1)
    assert (await tab.board).notified_by_publishing == 1
    said = "1 stop is late or after the shift. Truck A: 1 after shift."
    assert (await tab.board).late == said
    at(monkeypatch, first.begins_at + timedelta(hours=2, minutes=15))  # the shift is over by now
    tab = await BoardTab.open(email="alan@example.com")
    assert [card.late for card in await tab.cards()] == [
        "After shift, ends 9:00 AM. Late by 25 min",
        "After shift, ends 9:00 AM",
    ]
    await change_stop(first, driving_at=first.begins_at)
    await tab.fire(BoardState.load)
    (column,) = await tab.columns()
    assert column.late == "1 late, 1 after shift"
    said = "2 stops are late or after the shift. Truck A: 1 late, 1 after shift."
    assert (await tab.board).late == said
    await change_stop(first, ended_at=first.begins_at)
    await change_stop(second, ended_at=second.begins_at)
    await tab.fire(BoardState.load)
    assert (await tab.board).late == ""


@pytest.mark.parametrize(
    ("leaves", "who"),
    [
        (staff.deactivate, "Tech1 Nician is not an active technician any more"),
        (partial(staff.set_roles, roles=[Role.DISPATCHER]), "Tech1 Nician is not an active"),
        (None, "This route has no technician"),
    ],
)
async def test_route_whose_technician_has_left_says_so_and_what_to_do(leaves, who, monkeypatch):
    shift, _, _ = await two_stops()
    tab = await BoardTab.open()
    (column,) = await tab.columns()
    assert (column.left, (await tab.board).left) == ("", "")
    if leaves:
        admin = Actor(frozenset({Role.ADMIN}), await a_person(Role.ADMIN, email="a@example.com"))
        await leaves(admin, shift.technician_id)
    else:
        async with transaction() as session:
            (await session.get_one(StoredShift, shift.id)).technician_id = None
    await tab.fire(BoardState.load)
    (column,) = await tab.columns()
    assert column.left.startswith(who)
    assert column.left.endswith("Choose another one under Shifts, or move these stops to other "
                                "trucks.")  # fmt: skip
    assert (await tab.board).left == "No active technician: Truck A."
    at(monkeypatch, NOW + timedelta(days=2))  # the day is over
    (column,) = await (await BoardTab.open(email="alan@example.com")).columns()
    assert (column.late_count, column.left) == (2, "")


async def test_cards_say_what_has_happened_to_a_stop():
    area = await an_area()
    shift = await a_shift(await a_truck(), await a_technician(), lat=27.4, lng=-82.5,
                          position_at=NOW - timedelta(minutes=3))  # fmt: skip
    bookings = [await a_booking(area, days=1, opens=opens) for opens in (6, 8, 10, 12, 14)]
    away, cancelled, held, moved, waiting = bookings
    stops = await on_route(shift, *bookings)
    await change_stop(stops[0], driving_at=NOW)
    await change_stop(stops[4], is_pinned=True)
    await change(away, state=EN_ROUTE)
    await change(cancelled, state=CANCELLED)
    await change(held, state=WEATHER_HOLD, reason="Storm")
    await change(moved, slot_id=f"{area}-2026-11-24-16")
    await change(waiting, place={**waiting.place, "is_approximate": True}, fee_asked_at=NOW)
    tab = await BoardTab.open()
    cards = await tab.cards()
    assert [(card.place, card.is_fixed, card.gone) for card in cards] == [
        ("1", True, ""),
        ("2", True, "Cancelled meanwhile"),
        ("3", True, "On hold"),
        ("4", True, "Moved meanwhile"),
        ("5", False, ""),
    ]
    assert [card.state for card in cards[:2]] == ["On the way", "Cancelled"]
    last = cards[-1]
    assert (last.is_pinned, last.is_approximate, last.is_unpaid) == (True, True, True)
    (column,) = await tab.columns()
    assert (column.truck_age, column.truck_at[0]) == ("3 min ago", 27.4)
    board = await tab.board
    assert [(stop.customer, stop.reason) for stop in board.on_hold] == [("Gus Guest", "Storm")]
    assert [stop.id for stop in board.unassigned] == [moved.id]


async def test_a_done_stop_and_a_refill_are_shown():
    shift, [booking, _], (first, _) = await two_stops()
    await change(booking, state=COMPLETED)
    await change_stop(first, driving_at=NOW, ended_at=NOW)
    tab = await BoardTab.open()
    await tab.fire(MovingState.refill, shift.id)
    done, _, refill = await tab.cards()
    assert (done.state, done.is_fixed) == ("Done", True)
    assert (refill.customer, refill.is_booking, refill.window) == ("Refill", False, "")


async def test_a_published_day_warns_of_bookings_on_no_route():
    _, [booking, _], _ = await two_stops()
    await on_route(await a_shift(await a_truck(), await a_technician(2)), published=True)
    await a_booking(booking.area_id, days=1, opens=14)
    tab = await BoardTab.open()
    board = await tab.board
    assert board.status == "Published"
    assert "The day is published. Still on no route: 1 booking." in board.warnings


async def test_the_timeline_marks_now_on_the_day_itself(monkeypatch):
    shift, _, _ = await two_stops()
    at(monkeypatch, shift.starts_at + timedelta(hours=6))
    tab = await BoardTab.open()
    assert (await tab.board).now_x == "50.00%"


async def test_a_stop_that_is_selected_is_shown_among_the_trucks():
    _, [booking, _], _ = await two_stops()
    tab = await BoardTab.open()
    board = await tab.board
    await tab.fire(BoardState.show_tab, "map")
    for strange in STRANGE:
        await tab.fire(BoardState.select, strange)
        await tab.fire(BoardState.show_tab, strange)
    assert (board.selected, board.tab) == ("", "map")
    await tab.fire(BoardState.select, booking.id)
    assert (board.selected, board.tab) == (booking.id, "trucks")


async def test_routes_that_others_change_appear_and_the_others_stay(monkeypatch):
    first, bookings, _ = await two_stops()
    second = await a_shift(await a_truck(name="Truck B"), await a_technician(2))
    third = await a_shift(await a_truck(name="Truck C"), await a_technician(3))
    tab = await BoardTab.open()
    before = await tab.columns()
    whole = AsyncMock(side_effect=service.read_board)
    monkeypatch.setattr(service, "read_board", whole)
    listens, shown = asyncio.Event(), asyncio.Event()
    real = Changes.next

    async def next_one(self: Changes, seconds: float | None = None) -> frozenset[str]:
        (listens if not listens.is_set() else shown).set()
        return await real(self, seconds)

    monkeypatch.setattr(Changes, "next", next_one)
    monkeypatch.setattr(screens, "_PAUSE_S", 0)
    monkeypatch.setattr(state, "_AFTER_S", 0)
    task = asyncio.create_task(tab.fire(BoardState.watch))
    await listens.wait()
    await truck_routes.move(STAFF, bookings[0].id, second.id, 0, await revisions())
    await shown.wait()
    task.cancel()
    await asyncio.wait([task])
    now = await tab.columns()
    assert [[card.id for card in column.stops] for column in now] == [
        [bookings[1].id],
        [bookings[0].id],
        [],
    ]
    assert [column.id for column in now] == [first.id, second.id, third.id]
    assert [column.color for column in now] == [column.color for column in before]
    assert now[2] == before[2]
    whole.assert_not_awaited()


async def test_a_shift_that_others_add_appears_with_the_next_change():
    _, bookings, _ = await two_stops()
    tab = await BoardTab.open()
    second = await a_shift(await a_truck(name="Truck B"), await a_technician(2))
    await truck_routes.move(STAFF, bookings[0].id, second.id, 0, await revisions())
    await (await tab.board)._refresh(changed_alone=True)
    assert [len(column.stops) for column in await tab.columns()] == [1, 1]


async def test_what_has_not_changed_is_not_sent_again():
    await two_stops()
    tab = await BoardTab.open()
    board = await tab.board
    board._clean()
    await tab.fire(BoardState.load)
    assert board.dirty_vars.isdisjoint({"columns", "unassigned", "ticks", "view"})


async def test_a_board_that_cannot_be_read_says_so_and_keeps_what_it_shows(monkeypatch):
    await two_stops()
    tab = await BoardTab.open()

    async def broken(*_):
        raise OSError

    monkeypatch.setattr(service, "read_board", broken)
    await tab.fire(BoardState.load)
    board = await tab.board
    assert (board.failed, len(board.columns)) == (True, 1)


def acting(monkeypatch: pytest.MonkeyPatch, name: str, **outcome: Any) -> AsyncMock:
    """Let planning or publishing end so."""
    act = AsyncMock(**outcome)
    monkeypatch.setattr(day_plan, name, act)
    return act


async def test_a_plan_is_said_and_can_be_undone(monkeypatch):
    shift, _, (first, _) = await two_stops()
    await change_stop(first, leg_s=3 * 60 * 60 + 900)  # late, unlike the second one
    tab = await BoardTab.open()
    act = acting(monkeypatch, "plan", return_value=Planned("action", 2, 1, True, told=3))
    await tab.fire(BoardState.plan)
    assert act.await_args
    assert act.await_args.args[1:] == (TOMORROW.isoformat(), {shift.id: 1})
    said = "2 stops planned, 1 late, 1 fit on no truck. 3 customers will be told"
    assert await tab.offered() == said
    board = await tab.board
    assert (board.busy, ESTIMATED in board.warnings) == ("", True)
    acting(monkeypatch, "plan", return_value=Planned("", 2, 0, False))
    await tab.fire(BoardState.plan)
    assert await tab.said() == ["2 stops planned, 1 late. Nothing had to change"]
    assert ESTIMATED not in board.warnings


@pytest.mark.parametrize(
    ("problem", "said"), [(Refusal("No shift."), "No shift."), (OSError(), FAILED)]
)
async def test_a_plan_that_fails_says_why(monkeypatch, problem, said):
    await two_stops()
    tab = await BoardTab.open()
    acting(monkeypatch, "plan", side_effect=problem)
    await tab.fire(BoardState.plan)
    board = await tab.board
    assert (await tab.said(), board.busy, len(board.columns)) == ([said], "", 1)


async def test_a_plan_says_its_progress_and_is_cancelled(monkeypatch):
    await two_stops()
    tab = await BoardTab.open()
    searches: list[Search] = []

    async def plan(*_: Any, search: Search) -> Planned:
        searches.append(search)
        search.share = 0.4
        while not search.is_stopped:  # noqa: ASYNC110
            await asyncio.sleep(0)
        raise PlanStopped

    monkeypatch.setattr(day_plan, "plan", plan)
    monkeypatch.setattr(state, "_LOOK_S", 0.01)
    board = await tab.board
    await tab.fire(BoardState.stop_plan)  # nothing is planned
    assert not board.is_stopping
    planning = asyncio.create_task(tab.fire(BoardState.plan))
    async with asyncio.timeout(10):
        while board.progress != "Planning 40%":  # noqa: ASYNC110
            await asyncio.sleep(0)
        await tab.fire(BoardState.stop_plan)
        await planning
    assert await tab.said() == [str(PlanStopped())]
    assert (board.busy, len(searches)) == ("", 1)


async def test_a_published_day_is_said_and_a_press_while_planning_does_nothing(monkeypatch):
    await two_stops()
    tab = await BoardTab.open()
    act = acting(monkeypatch, "publish", return_value=1)
    (await tab.board).busy = "plan"
    await tab.fire(BoardState.publish)
    act.assert_not_awaited()
    (await tab.board).busy = ""
    await tab.fire(BoardState.publish)
    assert await tab.said() == ["Published: 1 stop sent to the technicians"]
    assert not (await tab.screen(UndoState)).action_id


async def test_stops_are_found_by_name_plate_street_and_kind():
    area = await an_area()
    shift = await a_shift(await a_truck(), await a_technician())
    contact = {**GUEST, "first_name": "José"}
    [jose, late] = [await a_booking(area, days=1, contact=contact), await a_booking(area, days=1)]
    _, second = await on_route(shift, jose, late)
    await change_stop(second, leg_s=3 * 60 * 60)
    waiting = await a_booking(
        area, days=1, vehicle={**asdict(CAR), "license_plate": "HZY E82"}, opens=14
    )
    tab = await BoardTab.open()
    board = await tab.board
    assert (board.found, board.found_count, board.late_count) == ({}, -1, 1)
    for typed, found in (
        ("jose", [jose]),
        ("JOSÉ palm", [jose]),
        ("hzy e82", [waiting]),
        ("1234 Palm", [jose, late, waiting]),
        ("nobody", []),
    ):
        await tab.fire(BoardState.search, typed)
        assert board.found == {each.id: True for each in found}
        assert board.found_count == len(found)
    for strange in STRANGE:
        await tab.fire(BoardState.show_only, strange)
        await tab.fire(BoardState.search, strange)
    await tab.fire(BoardState.search, "")
    assert (board.only, board.found_count) == ("", -1)
    async with transaction() as session:
        for payload in ({"booking": jose.id}, {}):
            session.add(Message(kind="arrived", channel="sms", state=UNSENT, payload=payload,
                                created_at=NOW, send_at=NOW))  # fmt: skip
    await tab.fire(BoardState.load)
    assert board.unsent_count == 1
    kinds = {"late": [late], "unserved": [waiting], "open": [jose, late, waiting], "done": [],
             "way": [], "unpaid": [], "unsent": [jose]}  # fmt: skip
    for only, found in kinds.items():
        await tab.fire(BoardState.show_only, only)
        assert board.found == {each.id: True for each in found}
        assert board.tab == ("unassigned" if only == "unserved" else "trucks")
    await tab.fire(BoardState.show_only, "unsent")
    assert (board.only, board.found_count) == ("", -1)
    await tab.fire(BoardState.search, "jose")
    await tab.fire(BoardState.show_day, board.today)
    assert (board.sought, board.found_count) == ("", -1)


async def test_head_of_a_truck_says_its_work_and_what_is_done():
    _, bookings, (first, second) = await two_stops()
    tab = await BoardTab.open()
    [column] = await tab.columns()
    assert (column.work, column.done) == ("2 stops, 19.2 gal to fill, home 10:14 AM", "")
    for booking in bookings:
        await change(booking, state=COMPLETED)
    await change_stop(first, driving_at=NOW, ended_at=NOW)
    await change_stop(second, driving_at=NOW, ended_at=NOW)
    await tab.fire(BoardState.load)
    [column] = await tab.columns()
    assert column.work.startswith("2 stops, home ")
    assert (column.done, [stop.is_done for stop in column.stops]) == ("2 done", [True, True])


async def test_what_is_wrong_is_said_before_a_day_is_published():
    _, [booking, _], (first, _) = await two_stops()
    tab = await BoardTab.open()
    question = await tab.screen(PublishState)
    assert await run(PublishState.ask.fn(question)) == [BoardState.publish]  # nothing is wrong
    assert not question.opened
    await change_stop(first, leg_s=4 * 60 * 60)
    await a_booking(booking.area_id, days=1, opens=14)
    await tab.fire(BoardState.load)
    await tab.fire(PublishState.ask)
    assert (question.opened, question.unpublishes, question.stops) == (True, False, 2)
    assert question.wrong == [
        "Gus Guest: Late by 1 h 0 min",
        "1 booking on no route",
    ]
    assert await run(PublishState.confirm.fn(question)) == [BoardState.publish]
    assert not any(await run(PublishState.confirm.fn(question)))  # pressed twice
    await tab.fire(PublishState.ask)
    await tab.fire(PublishState.close, False)
    assert not question.opened


async def test_more_than_a_few_late_stops_are_counted_before_a_day_is_published():
    area = await an_area()
    shift = await a_shift(await a_truck(), None)
    stops = await on_route(shift, *[await a_booking(area, days=1) for _ in range(7)])
    await change_stop(stops[0], leg_s=4 * 60 * 60)
    tab = await BoardTab.open()
    question = await tab.screen(PublishState)
    await tab.fire(PublishState.ask)
    assert len(question.wrong) == MOST_NAMED + 2
    assert question.wrong[-2] == "and 2 more late stops"
    assert question.wrong[-1].startswith("No active technician")


async def test_published_day_is_opened_again_with_undo():
    shift, _, _ = await two_stops()
    await day_plan.publish(STAFF, TOMORROW, await revisions())
    tab = await BoardTab.open()
    board, question = await tab.board, await tab.screen(PublishState)
    await tab.fire(PublishState.ask)
    assert (question.opened, question.unpublishes, question.wrong) == (True, True, [])
    assert await run(PublishState.confirm.fn(question)) == [BoardState.unpublish]
    await tab.fire(BoardState.unpublish)
    assert (board.status, await tab.offered()) == ("Open", "The day is open again")
    await tab.undo()
    await tab.fire(BoardState.load)
    assert (board.status, board.has_begun) == ("Published", False)
    await change_stop((await route(shift))[0], driving_at=NOW)
    await tab.fire(BoardState.unpublish)
    assert (await tab.said())[-1] == str(DayBegun())
    assert board.has_begun


@pytest.mark.parametrize(
    ("status", "on_route", "waits", "is_over", "expected"),
    [
        ("open", True, True, False, "plan"),
        ("open", True, False, False, "publish"),
        ("open", False, False, False, ""),
        ("published", True, False, False, ""),
        ("published", True, True, False, "plan"),
        ("open", True, True, True, ""),
        ("closed", True, True, False, ""),
    ],
)
async def test_next_step_is_the_one_that_is_still_to_be_done(
    status, on_route, waits, is_over, expected
):
    await two_stops()
    (column,) = (await (await BoardTab.open()).board).columns
    column = column if on_route else replace(column, stops=[])
    waiting = column.stops[:1] if waits else []
    assert next_step_of(status, [column], waiting, is_over=is_over) == expected
    assert next_step_of(status, [], waiting, is_over=is_over) == ""


async def test_next_step_follows_what_happens_to_the_day():
    shift, _, stops = await two_stops()
    tab = await BoardTab.open()
    board = await tab.board
    assert board.next_step == "publish"
    await truck_routes.unassign(STAFF, stops[0].booking_id or "", await revisions())
    await board._refresh(changed_alone=True)
    assert (board.next_step, board.notified_by_publishing) == ("plan", 0)
    await truck_routes.move(STAFF, stops[0].booking_id or "", shift.id, 0, await revisions())
    await day_plan.publish(STAFF, TOMORROW, await revisions())
    await tab.fire(BoardState.load)
    assert board.next_step == ""


async def test_moved_pins_are_counted_and_named_where_the_day_is_planned():
    shift, bookings, _ = await two_stops()
    a = bookings[0]
    await truck_routes.move(STAFF, a.id, shift.id, 1, await revisions())
    for count, said in ((1, "1 pin has"), (2, "2 pins have")):
        stop = (await route(shift))[count - 1]
        booking = next(each for each in bookings if each.id == stop.booking_id)
        assert stop.lat
        await change(booking, place=booking.place | {"lat": stop.lat + 0.01})
        tab = await BoardTab.open(email=f"moved{count}@example.com")
        board = await tab.board
        assert (board.pin_count, board.next_step) == (count, "plan")
        assert f"{said} moved since the routes were planned. Plan the day again." in board.warnings
        await tab.fire(BoardState.show_only, "moved_pin")
        assert board.found_count == count
    await truck_routes.move(STAFF, a.id, shift.id, 0, await revisions())
    await board._refresh(changed_alone=True)
    assert (board.pin_count, board.next_step, board.warnings) == (0, "publish", [])
