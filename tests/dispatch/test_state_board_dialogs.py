"""The board's dialogs: the details of a stop, a weather hold, a truck that breaks down."""

import pytest

from fuel_app import routes
from fuel_app.bookings.rules.states import ARRIVED, REASONS
from fuel_app.dispatch.rules.day import RouteChanged, RouteStop, Unassigned
from fuel_app.dispatch.service import holds
from fuel_app.dispatch.service import truck_routes as service
from fuel_app.dispatch.service.holds import Breakdown
from fuel_app.dispatch.state.board import NOT_FILLED
from fuel_app.dispatch.state.dialogs import (
    NOTHING_TO_HOLD,
    BreakdownState,
    DetailsState,
    HoldState,
    MovingState,
)
from fuel_app.dispatch.tables import FillPhoto
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from tests.helpers.board import CHANGED, STRANGE, BoardTab
from tests.helpers.bookings import NOW, STAFF, a_customer, an_area, at, booked, slot
from tests.helpers.dispatch import TOMORROW, a_shift, a_technician, a_truck, on_route, revisions
from tests.helpers.fills import failed
from tests.helpers.stored_bookings import a_booking, change

pytestmark = pytest.mark.usefixtures("sqlite_database", "_now")
TIME = {"area_id": "", "starts": "08:00", "ends": "10:00"}


@pytest.fixture
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def two_trucks():
    """Store two trucks, two bookings on the first one. Return shifts and bookings."""
    area = await an_area()
    shifts = [
        await a_shift(await a_truck(name=name), await a_technician(number))
        for number, name in enumerate("AB")
    ]
    bookings = [await a_booking(area, days=1, opens=opens) for opens in (8, 14)]
    await on_route(shifts[0], *bookings)
    return shifts, bookings


async def test_a_stop_has_its_details():
    _, (booking, _) = await two_trucks()
    place = booking.place | {"gate_code": "4711", "notes": "Beware of the dog"}
    await change(booking, place=place)
    tab = await BoardTab.open()
    await tab.fire(DetailsState.open, booking.id)
    shown = await tab.screen(DetailsState)
    assert (shown.opened, shown.stop.customer) == (True, "Gus Guest")
    details = shown.details
    assert (details.gate_code, details.notes) == ("4711", "Beware of the dog")
    assert details.address == "1234 Palm Ave, Sarasota, FL 34236"
    assert details.plate == "Silver 2022 Toyota Camry, ABC 123 FL"
    assert (details.phone, details.customer_link) == ("(941) 555-0188", "")
    assert (details.note, details.photos) == ("", [])
    assert (await tab.board).selected == booking.id
    await tab.fire(DetailsState.close, False)
    assert not shown.opened


async def test_dialogs_of_a_day_are_shut_on_another_day():
    _, (booking, _) = await two_trucks()
    tab = await BoardTab.open()
    details = await tab.screen(DetailsState)
    hold = await tab.screen(HoldState)
    moving = await tab.screen(MovingState)
    await tab.fire(DetailsState.open, booking.id)
    await tab.fire(HoldState.open)
    await tab.fire(MovingState.pick, booking.id)
    assert (details.opened, hold.opened, moving.held) == (True, True, booking.id)
    await tab.arrive(f"{routes.DISPATCH}?day=2026-11-24")  # the connection was lost meanwhile
    assert (details.opened, hold.opened, moving.held) == (True, True, booking.id)
    await tab.arrive(routes.DISPATCH)
    assert (details.opened, hold.opened, moving.held) == (False, False, "")
    assert details.stop.id == ""


async def test_a_customers_stop_leads_to_the_customer():
    customer = await a_customer()
    booking = await booked(customer, slot(await an_area()))
    tab = await BoardTab.open()
    await tab.fire(DetailsState.open, booking.id)
    link = (await tab.screen(DetailsState)).details.customer_link
    assert link == f"/customer-dashboard?customer={customer.id}&tab=bookings"


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


async def test_details_that_cannot_be_read_say_so(monkeypatch):
    _, (booking, _) = await two_trucks()
    tab = await BoardTab.open()

    async def broken(*_):
        raise OSError

    monkeypatch.setattr(service, "read_details", broken)
    await tab.fire(DetailsState.open, booking.id)
    assert await tab.said() == [FAILED]
    assert not (await tab.screen(DetailsState)).opened


async def test_a_refill_has_no_details_but_its_buttons():
    (shift, _), _ = await two_trucks()
    tab = await BoardTab.open()
    await tab.fire(MovingState.refill, shift.id)
    refill = (await tab.cards())[-1]
    await tab.fire(DetailsState.open, refill.id)
    shown = await tab.screen(DetailsState)
    assert (shown.opened, shown.details.address) == (True, "")


async def test_a_weather_hold_says_what_it_stops_and_is_resumed():
    _, (early, late) = await two_trucks()
    tab = await BoardTab.open()
    await tab.fire(HoldState.open)
    dialog = await tab.screen(HoldState)
    assert [name for _, name in dialog.areas] == ["Sarasota"]
    assert dialog.affected == "2 bookings would be on hold."
    await tab.fire(HoldState.edit, TIME)
    assert dialog.affected == "1 booking would be on hold."
    await tab.fire(HoldState.edit, TIME | {"ends": "x"})
    assert dialog.affected == ""
    await tab.fire(HoldState.submit, TIME | {"reason": "Lightning"})
    assert not dialog.opened
    assert await tab.offered() == "1 booking on hold, their customers are told"
    board = await tab.board
    assert [(stop.id, stop.reason) for stop in board.on_hold] == [(early.id, "Lightning")]
    assert [stop.id for stop in await tab.cards()] == [late.id]
    await tab.fire(HoldState.resume, early.id)
    assert await tab.said() == ["1 booking resumed"]
    assert [stop.id for stop in board.unassigned] == [early.id]
    await tab.fire(HoldState.resume, "")
    assert len(await tab.said()) == 1


async def test_a_window_that_has_passed_is_not_resumed(monkeypatch):
    _, (early, _) = await two_trucks()
    tab = await BoardTab.open()
    await tab.fire(HoldState.open)
    await tab.fire(HoldState.submit, TIME | {"reason": "Lightning"})
    at(monkeypatch, early.ends_at)
    fresh = await BoardTab.open(email="alan@example.com")
    await fresh.fire(HoldState.resume, "")
    assert await fresh.said() == ["0 bookings resumed. Windows that have passed: 1"]


async def test_a_wrong_weather_hold_says_what_is_wrong():
    await two_trucks()
    tab = await BoardTab.open()
    await tab.fire(HoldState.submit, TIME)  # closed
    await tab.fire(HoldState.edit, TIME)
    await tab.fire(HoldState.open)
    dialog = await tab.screen(HoldState)
    assert await tab.fire(HoldState.submit, TIME | {"reason": ""}) == ["hold_reason"]
    assert dialog.errors["reason"] == "Reason is required"
    wrong, late = TIME | {"ends": "07:00", "reason": "Fog"}, "It has to end after it begins"
    await tab.fire(HoldState.submit, wrong)
    for form, said in ((wrong, late), (TIME, "")):
        await tab.fire(HoldState.edit, form)
        assert dialog.errors["ends"] == said
    await tab.fire(HoldState.submit, {**TIME, "starts": "06:00", "ends": "07:00", "reason": "Fog"})
    assert (dialog.error, dialog.busy, dialog.opened) == (NOTHING_TO_HOLD, False, True)
    for strange in STRANGE:
        await tab.fire(HoldState.submit, strange)
        await tab.fire(HoldState.resume, strange)
    assert (await tab.board).on_hold == []
    await tab.fire(HoldState.close, False)
    assert not dialog.opened


async def outcome_of(bookings, monkeypatch, *, unserved: bool = True) -> list[tuple]:
    """Let the first stop move to B and the other one fit nowhere. Return the calls."""
    day = (await service.read_board(STAFF, TOMORROW)).day
    one, two = (stop.booking for route in day.routes for stop in route.stops if stop.booking)
    stop = RouteStop("", one, one.slot_id, "Gus Guest", False, 0, one.starts_at)
    none = (Unassigned(two, "Gus Guest", "Every truck is full."),) if unserved else ()
    calls = []

    async def preview(*given):
        calls.append(given)
        return Breakdown(((stop, "B"),), none)

    async def confirm(*given):
        calls.append(given)
        return Breakdown(((stop, "B"),), none, "action")

    monkeypatch.setattr(holds, "preview_breakdown", preview)
    monkeypatch.setattr(holds, "confirm_breakdown", confirm)
    return calls


async def test_a_truck_that_breaks_down_lists_what_moves_where_before_it_does(monkeypatch):
    (shift, _), bookings = await two_trucks()
    calls = await outcome_of(bookings, monkeypatch)
    tab = await BoardTab.open()
    await tab.fire(BreakdownState.ask, shift.id)
    dialog = await tab.screen(BreakdownState)
    assert (dialog.opened, dialog.loading, dialog.truck) == (True, False, "A")
    assert [(line.customer, line.text) for line in dialog.moved] == [("Gus Guest", "B, 8:00 AM")]
    assert [line.text for line in dialog.unserved] == ["Every truck is full."]
    await tab.fire(BreakdownState.confirm)
    assert calls[1][1:] == (shift.id, await revisions(), [bookings[1].id])
    assert not dialog.opened
    assert await tab.offered() == "A is out, 1 stop moved, 1 on hold"
    await tab.fire(BreakdownState.confirm)
    assert len(calls) == 2


async def test_a_breakdown_that_is_refused_says_why(monkeypatch):
    (shift, _), bookings = await two_trucks()
    await outcome_of(bookings, monkeypatch)
    tab = await BoardTab.open()
    await tab.fire(BreakdownState.ask, shift.id)

    async def changed(*_):
        raise RouteChanged

    monkeypatch.setattr(holds, "confirm_breakdown", changed)
    await tab.fire(BreakdownState.confirm)
    assert await tab.said() == [CHANGED]
    assert not (await tab.screen(BreakdownState)).opened
    monkeypatch.setattr(holds, "preview_breakdown", changed)
    await tab.fire(BreakdownState.ask, shift.id)
    dialog = await tab.screen(BreakdownState)
    assert (dialog.error, dialog.loading, dialog.moved) == (CHANGED, False, [])
    await tab.fire(BreakdownState.close, False)
    assert not dialog.opened


async def test_a_repaired_truck_takes_stops_again(monkeypatch):
    (shift, _), _ = await two_trucks()
    calls = []

    async def repaired(*given):
        calls.append(given)

    monkeypatch.setattr(holds, "mark_repaired", repaired)
    tab = await BoardTab.open()
    await tab.fire(BreakdownState.repaired, shift.id)
    assert await tab.said() == ["A takes stops again"]

    async def broken(*_):
        raise OSError

    monkeypatch.setattr(holds, "mark_repaired", broken)
    await tab.fire(BreakdownState.repaired, shift.id)
    assert (await tab.said())[1:] == [FAILED]
    assert len(calls) == 1
