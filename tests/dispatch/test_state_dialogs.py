"""Moving stops on the board, and its dialogs."""

from dataclasses import replace
from typing import Any
from unittest.mock import AsyncMock

import pytest

from fuel_app import routes
from fuel_app.accounts.state.screens import NOTHING_UNDONE, UndoState
from fuel_app.bookings.rules.states import ARRIVED, REASONS
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.rules.day import RouteChanged, RouteStop, Unassigned
from fuel_app.dispatch.rules.route_changes import Cost
from fuel_app.dispatch.service import interruptions, truck_routes
from fuel_app.dispatch.service.interruptions import Breakdown
from fuel_app.dispatch.state.board import BoardState
from fuel_app.dispatch.state.cards import NOT_FILLED
from fuel_app.dispatch.state.dialogs import (
    NOTHING_TO_HOLD,
    NOWHERE,
    OFF_ROUTE,
    BreakdownState,
    Details,
    DetailsState,
    Gap,
    LoadState,
    MovingState,
    WeatherHoldState,
    cost_text,
)
from fuel_app.dispatch.tables import FillPhoto, StoredShift
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from tests.helpers.board import CHANGED, BoardTab
from tests.helpers.bookings import NOW, STAFF, a_customer, an_area, at, booked, slot
from tests.helpers.dispatch import (
    TOMORROW,
    a_shift,
    a_technician,
    a_truck,
    change_stop,
    ids,
    on_route,
    revisions,
)
from tests.helpers.fills import failed
from tests.helpers.stored_bookings import a_booking, change

pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")


class Trucks:
    """Two trucks: three stops on the first one, none on the second; and a waiting booking."""

    async def store(self) -> "Trucks":
        area = await an_area()
        self.first = await a_shift(await a_truck(name="A"), await a_technician(1))
        self.second = await a_shift(await a_truck(name="B"), await a_technician(2))
        self.bookings = [await a_booking(area, days=1, opens=opens) for opens in (8, 10, 14)]
        self.stops = await on_route(self.first, *self.bookings)
        self.waiting = await a_booking(area, days=1, opens=16)
        return self

    async def routes(self) -> list[list[str]]:
        return [await ids(shift) for shift in (self.first, self.second)]


def costing(monkeypatch: pytest.MonkeyPatch, **costs: Any) -> None:
    """Let places cost so, or let asking for it fail."""
    monkeypatch.setattr(truck_routes, "find_costs", AsyncMock(**costs))


@pytest.fixture
async def trucks() -> Trucks:
    return await Trucks().store()


async def picked(tab: BoardTab, stop_id: str) -> MovingState:
    await tab.fire(MovingState.pick, stop_id)
    return await tab.screen(MovingState)


async def test_a_stop_that_is_picked_up_has_a_cost_at_every_place_but_its_own(trucks):
    tab = await BoardTab.open()
    held = await picked(tab, trucks.bookings[1].id)
    assert (held.held, held.name, held.is_on_route) == (trucks.bookings[1].id, "Gus Guest", True)
    one, two = trucks.first.id, trucks.second.id
    assert sorted(held.gaps) == sorted([f"{one} 0", f"{one} 3", f"{two} 0"])
    assert held.gaps[f"{two} 0"].label.startswith("Here +")
    assert held.gaps[f"{two} 0"].is_best
    assert held._places[f"{one} 3"] == (one, 2)
    await tab.fire(MovingState.cancel)
    assert (held.held, held.gaps) == ("", {})


async def test_the_best_place_is_one_that_is_offered_and_makes_nobody_late(trucks, monkeypatch):
    """The stop's own place is not offered, although it costs nothing."""
    one, two = trucks.first.id, trucks.second.id
    places = {one: [Cost(0, 5), Cost(0, 0), Cost(0, 7)], two: [Cost(1, 0)]}
    costing(monkeypatch, return_value=places)
    held = await picked(await BoardTab.open(), trucks.bookings[1].id)
    assert held.gaps == {
        f"{one} 0": Gap("Here +5 min", is_best=True, is_late=False),
        f"{one} 3": Gap("Here +7 min", is_best=False, is_late=False),
        f"{two} 0": Gap("Here +0 min, 1 late", is_best=True, is_late=True),
    }


async def test_a_place_after_the_shift_is_red_and_never_the_best(trucks, monkeypatch):
    one, two = trucks.first.id, trucks.second.id
    places = {one: [Cost(1, 0, 1), Cost(0, 9), Cost(2, 1, 1)], two: [Cost(1, 0, 1)]}
    costing(monkeypatch, return_value=places)
    held = await picked(await BoardTab.open(), trucks.waiting.id)
    over = "after shift, ends 7:00 PM"
    assert held.gaps == {
        f"{one} 0": Gap(f"Here +0 min, {over}", is_best=False, is_late=True),
        f"{one} 1": Gap("Here +9 min", is_best=True, is_late=False),
        f"{one} 2": Gap(f"Here +1 min, 1 late, {over}", is_best=False, is_late=True),
        f"{two} 0": Gap(f"Here +0 min, {over}", is_best=False, is_late=True),
    }


async def test_a_waiting_booking_fits_everywhere(trucks):
    tab = await BoardTab.open()
    await tab.fire(BoardState.show_tab, "unassigned")
    held = await picked(tab, trucks.waiting.id)
    assert len(held.gaps) == 5
    assert not held.is_on_route
    assert (await tab.board).tab == "trucks"
    await tab.fire(MovingState.put, f"{trucks.first.id} 1")
    assert (await trucks.routes())[0][1] == trucks.waiting.id
    assert (await tab.board).unassigned == []


async def test_a_stop_is_put_on_another_truck_and_that_is_undone_while_it_is_the_last(trucks):
    tab = await BoardTab.open()
    before = await trucks.routes()
    await picked(tab, trucks.bookings[1].id)
    await tab.fire(MovingState.put, f"{trucks.second.id} 0")
    a, b, c = (each.id for each in trucks.bookings)
    assert await trucks.routes() == [[a, c], [b]]
    columns = await tab.columns()
    assert [[stop.id for stop in column.stops] for column in columns] == [[a, c], [b]]
    assert (await tab.offered()).startswith("Gus Guest moved, +")
    assert (await tab.screen(MovingState)).held == ""
    last = await tab.screen(UndoState)
    await tab.fire(UndoState.expire, last.action_id)
    assert (last.is_offered, last.board_day) == (False, (await tab.board).day)
    await tab.undo()
    assert await trucks.routes() == before


async def test_two_dispatchers_never_overwrite_each_other(trucks):
    one = await BoardTab.open()
    other = await BoardTab.open(email="alan@example.com")
    for tab in (one, other):
        await picked(tab, trucks.bookings[1].id)
    await one.fire(MovingState.put, f"{trucks.second.id} 0")
    after = await trucks.routes()
    await (await other.board)._refresh()  # what the other does arrives while a stop is held
    await other.fire(MovingState.put, f"{trucks.first.id} 0")
    assert await other.said() == [CHANGED]
    assert await trucks.routes() == after
    assert [len(column.stops) for column in await other.columns()] == [2, 1]


async def test_a_stop_that_began_meanwhile_is_refused(trucks):
    tab = await BoardTab.open()
    await change_stop(trucks.stops[0], driving_at=NOW)
    assert (await picked(tab, trucks.bookings[0].id)).held == ""
    assert "stays where it is" in (await tab.said())[0]


async def test_a_stop_that_no_truck_can_take_says_so(trucks, monkeypatch):
    tab = await BoardTab.open()
    for costs in ({"return_value": {}}, {"side_effect": OSError}):
        costing(monkeypatch, **costs)
        assert (await picked(tab, trucks.waiting.id)).held == ""
    assert await tab.said() == [NOWHERE, FAILED]


async def test_a_stop_is_pinned_and_unpinned_and_a_refill_added_at_the_end(trucks):
    tab = await BoardTab.open()
    for pinned, said in ((True, "Pinned to its truck"), (False, "Unpinned")):
        await tab.fire(MovingState.pin, trucks.bookings[0].id, pinned)
        assert (await tab.offered(), (await tab.cards())[0].is_pinned) == (said, pinned)
    await tab.fire(MovingState.refill, trucks.first.id)
    assert (await trucks.routes())[0][-1] == ""
    assert (await tab.offered(), (await tab.cards())[-1].customer) == ("A: refill added", "Refill")


@pytest.mark.parametrize("drops", [True, False])
async def test_a_stop_is_taken_off_its_route(trucks, drops):
    tab = await BoardTab.open()
    stop = trucks.bookings[0].id
    if drops:
        await picked(tab, stop)
        await tab.fire(MovingState.put, OFF_ROUTE)
    else:
        await tab.fire(MovingState.take_off, stop)
    assert stop not in (await trucks.routes())[0]
    assert stop in [each.id for each in (await tab.board).unassigned]
    assert await tab.offered() == "Taken off its route"


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (Cost(0, 6), "+6 min"),
        (Cost(0, 0), "+0 min"),
        (Cost(0, -3), "−3 min"),  # noqa: RUF001
        (Cost(2, -63), "−1 h 3 min, 2 late"),  # noqa: RUF001
        (Cost(2, 6, 2), "+6 min, 2 after shift, ends 4:30 PM"),
        (Cost(1, 6, -1), "+6 min, 1 late"),
        (Cost(0, 6, told=1), "+6 min, tells 1 customer"),
    ],
)
def test_minutes_have_a_sign(cost, text):
    assert cost_text(cost, "4:30 PM") == text


TIME = {"area_id": "", "starts": "08:00", "ends": "10:00"}


async def two_trucks() -> tuple[list[StoredShift], list[StoredBooking]]:
    """Store two trucks, two bookings on the first one. Return shifts and bookings."""
    area = await an_area()
    shifts = [
        await a_shift(await a_truck(name=name), await a_technician(number))
        for number, name in enumerate("AB")
    ]
    bookings = [await a_booking(area, days=1, opens=opens) for opens in (8, 14)]
    await on_route(shifts[0], *bookings)
    return shifts, bookings


async def test_a_stop_has_its_details_and_a_customers_one_leads_to_the_customer():
    _, (booking, _) = await two_trucks()
    place = booking.place | {"gate_code": "4711", "notes": "Beware of the dog"}
    await change(booking, place=place)
    tab = await BoardTab.open()
    await tab.fire(DetailsState.open, booking.id)
    shown = await tab.screen(DetailsState)
    assert (shown.opened, shown.stop.customer) == (True, "Gus Guest")
    assert shown.details == Details(
        address="1234 Palm Ave, Sarasota, FL 34236",
        spot=shown.details.spot,
        gate_code="4711",
        notes="Beware of the dog",
        phone="(941) 555-0188",
        plate="Silver 2022 Toyota Camry, ABC 123 FL",
        fuel_door=shown.details.fuel_door,
        customer_link=routes.guest(booking.id),
    )
    assert (await tab.board).selected == booking.id
    await tab.fire(DetailsState.close, False)
    assert not shown.opened
    customer = await a_customer()
    own = await booked(customer, slot(booking.area_id))
    await tab.fire(BoardState.load)
    await tab.fire(DetailsState.open, own.id)
    assert shown.details.customer_link == routes.customer_tab(customer.id, "bookings")


async def test_dialogs_of_a_day_are_shut_on_another_day():
    _, (booking, _) = await two_trucks()
    tab = await BoardTab.open()
    details = await tab.screen(DetailsState)
    hold = await tab.screen(WeatherHoldState)
    moving = await tab.screen(MovingState)
    await tab.fire(DetailsState.open, booking.id)
    await tab.fire(WeatherHoldState.open)
    await tab.fire(MovingState.pick, booking.id)
    assert (details.opened, hold.opened, moving.held) == (True, True, booking.id)
    await tab.arrive(f"{routes.DISPATCH}?day=2026-11-24")  # the connection was lost meanwhile
    assert (details.opened, hold.opened, moving.held) == (True, True, booking.id)
    await tab.arrive(routes.DISPATCH)
    assert (details.opened, hold.opened, moving.held) == (False, False, "")
    assert details.stop.id == ""


async def test_a_stop_that_was_not_filled_says_why_and_shows_its_photos():
    _, (booking, _) = await two_trucks()
    await change(booking, state=ARRIVED)
    await failed(booking, "unsafe", "A dog")
    async with transaction() as session:
        session.add(FillPhoto(id="dog", file=b"x", booking_id=booking.id, taken_at=NOW))
    tab = await BoardTab.open()
    await tab.fire(DetailsState.open, booking.id)
    shown = await tab.screen(DetailsState)
    assert (shown.stop.state, shown.stop.reason) == (NOT_FILLED, REASONS["unsafe"].label)
    assert (shown.details.note, shown.details.photos) == ("A dog", [routes.fill_photo("dog")])


async def test_a_weather_hold_says_what_it_stops_and_is_resumed(monkeypatch):
    _, (early, late) = await two_trucks()
    tab = await BoardTab.open()
    await tab.fire(WeatherHoldState.open)
    dialog = await tab.screen(WeatherHoldState)
    assert [name for _, name in dialog.areas] == ["Sarasota"]
    assert dialog.affected == "2 bookings would be on hold."
    await tab.fire(WeatherHoldState.edit, TIME)
    assert (dialog.affected, dialog.told) == ("1 booking would be on hold.", "1 customer")
    await tab.fire(WeatherHoldState.edit, TIME | {"ends": "x"})
    assert (dialog.affected, dialog.told) == ("", "")
    await tab.fire(WeatherHoldState.submit, TIME | {"reason": "Lightning"})
    assert not dialog.opened
    assert await tab.offered() == "1 booking on hold, 1 customer will be told"
    board = await tab.board
    assert [(stop.id, stop.reason) for stop in board.on_hold] == [(early.id, "Lightning")]
    assert board.told_by_resuming == 1
    assert [stop.id for stop in await tab.cards()] == [late.id]
    await tab.fire(WeatherHoldState.resume, early.id)
    assert await tab.said() == ["1 booking resumed"]
    assert NOTHING_UNDONE in await tab.undo()
    assert [stop.id for stop in board.unassigned] == [early.id]
    await tab.fire(WeatherHoldState.resume, "")  # nothing is held
    await tab.fire(WeatherHoldState.open)
    await tab.fire(WeatherHoldState.submit, TIME | {"reason": "Lightning"})
    at(monkeypatch, early.ends_at)
    tab = await BoardTab.open(email="alan@example.com")
    await tab.fire(WeatherHoldState.resume, "")
    assert await tab.said() == [
        "0 bookings resumed. On hold, as their windows are over, closed or full: 1"
    ]


async def test_a_wrong_weather_hold_says_what_is_wrong():
    await two_trucks()
    tab = await BoardTab.open()
    await tab.fire(WeatherHoldState.submit, TIME)  # closed
    await tab.fire(WeatherHoldState.edit, TIME)
    await tab.fire(WeatherHoldState.open)
    dialog = await tab.screen(WeatherHoldState)
    assert await tab.fire(WeatherHoldState.submit, TIME | {"reason": ""}) == ["hold_reason"]
    assert dialog.errors["reason"] == "Reason is required"
    wrong, late = TIME | {"ends": "07:00", "reason": "Fog"}, "It has to end after it begins"
    await tab.fire(WeatherHoldState.submit, wrong)
    for form, said in ((wrong, late), (TIME, "")):
        await tab.fire(WeatherHoldState.edit, form)
        assert dialog.errors["ends"] == said
    await tab.fire(
        WeatherHoldState.submit, {**TIME, "starts": "06:00", "ends": "07:00", "reason": "Fog"}
    )
    assert (dialog.error, dialog.busy, dialog.opened) == (NOTHING_TO_HOLD, False, True)
    assert (await tab.board).on_hold == []
    await tab.fire(WeatherHoldState.close, False)
    assert not dialog.opened


@pytest.fixture
async def breakdown(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Let the first stop move to B and the other one fit nowhere."""
    shifts, bookings = await two_trucks()
    day = (await truck_routes.read_board(STAFF, TOMORROW)).day
    one, two = (stop.booking for route in day.routes for stop in route.stops if stop.booking)
    stop = RouteStop("", one, one.slot_id, "Gus Guest", False, 0, one.starts_at)
    outcome = Breakdown(((stop, "B"),), (Unassigned(two, "Gus Guest", "Every truck is full."),), 2)
    confirm = AsyncMock(return_value=replace(outcome, action_id="action"))
    monkeypatch.setattr(interruptions, "preview_breakdown", AsyncMock(return_value=outcome))
    monkeypatch.setattr(interruptions, "confirm_breakdown", confirm)
    return {"shift_id": shifts[0].id, "unserved": [bookings[1].id], "confirm": confirm}


async def test_a_truck_that_breaks_down_lists_what_moves_where_before_it_does(breakdown):
    tab = await BoardTab.open()
    await tab.fire(BreakdownState.ask, breakdown["shift_id"])
    dialog = await tab.screen(BreakdownState)
    assert (dialog.opened, dialog.loading, dialog.truck) == (True, False, "A")
    assert [(line.customer, line.text) for line in dialog.moved] == [("Gus Guest", "B, 8:00 AM")]
    assert [line.text for line in dialog.unserved] == ["Every truck is full."]
    assert dialog.told == "2 customers"
    for _ in range(2):
        await tab.fire(BreakdownState.submit, {})
    [(_, *asked)] = [each.args for each in breakdown["confirm"].await_args_list]
    assert asked == [breakdown["shift_id"], await revisions(), breakdown["unserved"]]
    assert not dialog.opened
    assert await tab.offered() == "A is out, 1 stop moved, 1 on hold"


async def test_a_breakdown_that_is_refused_says_why(breakdown, monkeypatch):
    tab = await BoardTab.open()
    await tab.fire(BreakdownState.ask, breakdown["shift_id"])
    breakdown["confirm"].side_effect = RouteChanged
    await tab.fire(BreakdownState.submit, {})
    dialog = await tab.screen(BreakdownState)
    assert (dialog.opened, dialog.error) == (True, CHANGED)
    await tab.fire(BreakdownState.submit, {})  # what is shown is not so any more
    assert breakdown["confirm"].await_count == 1
    monkeypatch.setattr(interruptions, "preview_breakdown", AsyncMock(side_effect=RouteChanged))
    await tab.fire(BreakdownState.ask, breakdown["shift_id"])
    assert (dialog.error, dialog.loading, dialog.moved) == (CHANGED, False, [])
    await tab.fire(BreakdownState.close, False)
    assert not dialog.opened


async def test_a_repaired_truck_takes_stops_again(monkeypatch):
    (shift, _), _ = await two_trucks()
    calls = []

    async def repaired(*given):
        calls.append(given)

    monkeypatch.setattr(interruptions, "mark_repaired", repaired)
    tab = await BoardTab.open()
    await tab.fire(BreakdownState.repaired, shift.id)
    assert await tab.said() == ["A takes stops again"]

    async def broken(*_):
        raise OSError

    monkeypatch.setattr(interruptions, "mark_repaired", broken)
    await tab.fire(BreakdownState.repaired, shift.id)
    assert (await tab.said())[1:] == [FAILED]
    assert len(calls) == 1


async def test_gallons_of_a_refill_are_recorded_on_the_board(monkeypatch):
    trucks = await Trucks().store()
    await truck_routes.add_refill(STAFF, trucks.first.id, 3, await revisions())
    at(monkeypatch, trucks.first.starts_at)
    tab = await BoardTab.open()
    refill = (await tab.cards())[3]
    assert (refill.is_booking, refill.loaded, refill.gallons) == (False, "", "")
    dialog = await tab.screen(LoadState)
    for nothing in ("x", None, (await tab.cards())[0].id):
        await tab.fire(LoadState.begin, nothing)
        assert not dialog.opened
    await tab.fire(DetailsState.open, refill.id)
    await tab.fire(LoadState.begin, refill.id)
    assert (dialog.opened, dialog.truck, dialog.grades) == (True, "A", ["regular", "diesel"])
    assert not (await tab.screen(DetailsState)).opened
    await tab.fire(LoadState.submit, {"regular": "400", "diesel": ""})
    assert (dialog.opened, dialog.errors["regular"]) == (True, "Regular: the tank holds 300")
    await tab.fire(LoadState.submit, {"regular": "250.75", "diesel": ""})
    refill = (await tab.cards())[3]
    assert (dialog.opened, await tab.offered()) == (False, "A: gallons recorded")
    assert (refill.loaded, refill.gallons) == ("Regular 250.75, Diesel 0 gal", "250.8 gal")
    await tab.fire(LoadState.begin, refill.id)
    assert dialog.typed == {"regular": "250.75", "plus": "", "premium": "", "diesel": "0"}
