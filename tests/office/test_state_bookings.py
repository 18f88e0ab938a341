"""The tab 'Bookings' of one customer: staff book, move and cancel for them, and record fills."""

from datetime import timedelta

import pytest

from fuel_app.accounts.rules import Role
from fuel_app.billing.tables import StoredInvoice
from fuel_app.bookings.rules.bookings import Booking, BookingChanged, CarGone
from fuel_app.bookings.rules.fills import FillRecord
from fuel_app.bookings.rules.states import BOOKED, CANCELLED
from fuel_app.bookings.service import access, bookings, changes
from fuel_app.bookings.service import slots as offers
from fuel_app.dispatch.service import fill_records
from fuel_app.dispatch.tables import FillPhoto, StoredStop
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.kit.outbox import SENT, Message
from fuel_app.kit.ui.forms import AGREED
from fuel_app.office.state.bookings import (
    BOOK,
    CANCEL,
    MOVE,
    NO_CHOICE,
    BookingDeskState,
    BookingsTab,
    FillState,
)
from fuel_app.office.state.customers import CustomerDashboardState
from fuel_app.outcomes.service import charges
from tests.hardening.nasty import NASTY
from tests.helpers.admins import AdminTab
from tests.helpers.bookings import (
    NOW,
    STAFF,
    Customer,
    a_car,
    a_customer,
    an_area,
    at,
    booked,
    booked_by_guest,
    set_price,
    slot,
    stored,
    taken,
)
from tests.helpers.dispatch import a_shift, a_technician, a_truck, on_route
from tests.helpers.fills import FILLED
from tests.helpers.people import history, rows
from tests.helpers.tabs import problems, redirected, run

WHY = {"reason": "She called"}


@pytest.fixture
async def area_id(sqlite_database, monkeypatch) -> str:
    at(monkeypatch, NOW)
    return await an_area()


@pytest.fixture
async def ada(area_id) -> Customer:
    return await a_customer()


async def opened(who: Customer, *roles: Role) -> AdminTab:
    address = f"/customer-dashboard?customer={who.id}&tab=bookings"
    tab = await AdminTab.at(address, *(roles or (Role.DISPATCHER,)))
    await tab.fire(CustomerDashboardState.load)
    return tab


async def desk(tab: AdminTab, kind: str, booking_id: str = "") -> BookingDeskState:
    await tab.fire(BookingDeskState.begin, kind, booking_id)
    return await tab.screen(BookingDeskState)


async def test_bookings_are_listed_with_the_photos_whose_files_are_here(ada, area_id):
    fill = await booked(ada, slot(area_id))
    shared = {"booking_id": fill.id, "taken_at": NOW}
    async with transaction() as session:
        session.add_all((FillPhoto(id="here", file=b"x", **shared), FillPhoto(id="not", **shared)))
    shown = await (await opened(ada)).screen(BookingsTab)
    [row] = shown.rows
    assert (row.day, row.window) == ("Tuesday, November 24, 2026", "8–10 AM")  # noqa: RUF001
    assert (row.car, row.plate, row.status) == ("2020 Toyota Camry", "GUL 1", "Booked")
    assert (row.may_move, row.may_cancel) == (True, True)
    assert shown.photos == {fill.id: ["/api/fills/photos/here"]}


async def test_staff_see_who_comes_when_and_what_the_customer_was_told_last(
    ada, area_id, monkeypatch
):
    later, fill = await booked(ada, slot(area_id, 2)), await booked(ada, slot(area_id))
    at(monkeypatch, fill.starts_at)
    tab = await opened(ada)
    screen = await tab.screen(CustomerDashboardState)
    assert screen.arrivals == {}
    told = {
        "channel": "mail",
        "person_id": ada.id,
        "send_at": NOW,
        "created_at": NOW,
        "state": SENT,
        "sent_at": NOW,
    }
    async with transaction() as session:
        for booking, said in ((fill, "Now expected 8:25 AM"), (later, "Tomorrow")):
            message = {"kind": "arrival_moved", "payload": {"booking": booking.id}}
            session.add(Message(**told | message, subject=said))
    shift = await a_shift(await a_truck(name="Heron"), await a_technician(), day=fill.day)
    (stop,) = await on_route(shift, fill, published=True)
    await tab.fire(CustomerDashboardState.load)
    [(booking_id, shown)] = screen.arrivals.items()
    assert (booking_id, shown.who, shown.advice) == (fill.id, "Tech1, Heron", "")
    assert shown.eta == "Tech1 comes to you next, 8:00–8:25 AM"  # noqa: RUF001
    assert (shown.told, shown.told_how) == (
        "Now expected 8:25 AM",
        f"E-mail, Sent, {clock.date_and_time(NOW)}",
    )
    [away] = await run(CustomerDashboardState.track.fn(screen, fill.id))
    assert (redirected(away) or "").startswith("/track/")
    for unknown in (later.id, "", *NASTY):
        assert await run(CustomerDashboardState.track.fn(screen, unknown)) == [None]
    async with transaction() as session:
        await session.delete(await session.get_one(StoredStop, stop.id))
    await tab.fire(CustomerDashboardState.load)
    assert (screen.arrivals[fill.id].who, screen.arrivals[fill.id].eta) == ("On no route", "")
    await tab.fire(CustomerDashboardState.choose, "")
    assert screen.arrivals == {}


async def test_staff_see_who_comes_to_a_guest(area_id, monkeypatch):
    fill = await booked_by_guest(slot(area_id))
    at(monkeypatch, fill.starts_at)
    shift = await a_shift(await a_truck(), await a_technician(), day=fill.day)
    await on_route(shift, fill, published=True)
    tab = await AdminTab.at(f"/customer-dashboard?guest={fill.id}", Role.DISPATCHER)
    await tab.fire(CustomerDashboardState.load)
    [shown] = (await tab.screen(CustomerDashboardState)).arrivals.values()
    assert (shown.eta != "", shown.told, shown.told_how) == (True, "", "")


async def test_what_belongs_to_another_customer_is_not_reached(ada, area_id):
    other = await a_customer(2)
    made = await booked(other, slot(area_id))
    tab = await opened(ada)
    assert (await desk(tab, CANCEL, made.id)).kind == ""
    shown = await desk(tab, BOOK)
    await tab.fire(BookingDeskState.choose_vehicle, other.car_id, True)
    await tab.fire(BookingDeskState.choose_location, other.place_id)
    assert (shown.vehicle_ids, shown.place_id) == ([ada.car_id], ada.place_id)
    await tab.fire(BookingDeskState.choose_vehicle, ada.car_id, True)
    await tab.fire(BookingDeskState.choose_location, ada.place_id)
    assert (shown.refusal, shown.price.total != "") == ("", True)


async def test_staff_book_for_a_customer_with_a_reason(ada, area_id):
    tab = await opened(ada)
    shown = await desk(tab, BOOK)
    assert (shown.loading, shown.refusal, shown.vehicle_ids) == (False, "", [ada.car_id])
    assert (shown.place_id, shown.price.total != "", shown.slot != "") == (ada.place_id, True, True)
    await tab.fire(BookingDeskState.choose_day, "2026-11-25")
    await tab.fire(BookingDeskState.choose_slot, slot(area_id, 2, 14))
    window = shown.window
    for _ in range(2):  # a double click
        await tab.fire(BookingDeskState.submit, WHY)
    assert (shown.opened, shown.busy, await tab.said()) == (False, False, ["Booked"])
    [row] = await stored()
    assert (row.person_id, row.slot_id) == (ada.id, slot(area_id, 2, 14))
    [event] = await access.list_steps(row.id)
    assert (event.actor, event.note) == ("Grace Hopper", "She called")
    assert ("booking_book", {"what": f"{window}, She called"}) in await history(ada.id)
    assert len((await tab.screen(BookingsTab)).rows) == 1


async def test_every_change_needs_a_reason(ada, area_id):
    made = await booked(ada, slot(area_id))
    tab = await opened(ada)
    for kind in (BOOK, MOVE, CANCEL):
        shown = await desk(tab, kind, made.id)
        assert await tab.fire(BookingDeskState.submit, {"reason": " "}) == ["booking_desk_reason"]
        assert problems(shown.errors) == {"reason": "Reason is required"}
        assert (shown.kind, shown.busy) == (kind, False)
        await tab.fire(BookingDeskState.edit, WHY)
        assert problems(shown.errors) == {}
        await tab.fire(BookingDeskState.close, False)
    assert [(row.state, row.revision) for row in await stored()] == [(BOOKED, 1)]


async def test_a_price_that_changes_meanwhile_is_shown_before_it_is_booked(ada, area_id):
    tab = await opened(ada)
    shown = await desk(tab, BOOK)
    before = shown.price.total
    await set_price(area_id, 3999, NOW - timedelta(minutes=1))
    await tab.fire(BookingDeskState.submit, WHY)
    assert shown.refusal.startswith("The price has changed from")
    assert (shown.price.total != before, await stored()) == (True, [])
    await tab.fire(BookingDeskState.submit, WHY)
    assert [row.fills[0].price_mills for row in await stored()] == [3999]


async def test_the_second_press_of_a_double_click_agrees_to_nothing_new(ada, area_id):
    made = await booked(ada, slot(area_id))
    tab = await opened(ada)
    shown = await desk(tab, BOOK)
    book, cancel = {AGREED: shown.price.total}, {AGREED: f"{made.revision} "}
    await set_price(area_id, 3999, NOW - timedelta(minutes=1))
    for _ in range(2):
        await tab.fire(BookingDeskState.submit, WHY | book)
        assert shown.refusal.startswith("The price has changed from")
    await desk(tab, CANCEL, made.id)
    await changes.move(ada.actor, made.id, made.revision, slot(area_id, 2))
    for _ in range(2):
        await tab.fire(BookingDeskState.submit, WHY | cancel)
    assert [row.state for row in await stored()] == [BOOKED]


async def test_staff_move_a_booking_after_the_customers_cutoff(ada, area_id, monkeypatch):
    made = await booked(ada, slot(area_id))
    at(monkeypatch, made.starts_at - timedelta(minutes=30))
    tab = await opened(ada)
    shown = await desk(tab, MOVE, made.id)
    assert (shown.slot, shown.refusal, shown.card.id) == ("", "", made.id)
    assert shown.day == made.day.isoformat()
    await tab.fire(BookingDeskState.submit, WHY)
    assert shown.refusal == "Please choose a window."
    await tab.fire(BookingDeskState.choose_slot, slot(area_id, 1, 10))
    await tab.fire(BookingDeskState.submit, WHY)
    [row] = await stored()
    assert (row.slot_id, row.fills[0].price_mills) == (
        slot(area_id, 1, 10),
        made.fills[0].price.mills,
    )
    assert (await taken(slot(area_id)), await tab.said()) == (0, ["Moved"])
    assert "booking_move" in [kind for kind, _ in await history(ada.id)]


@pytest.mark.parametrize(("waive", "cents"), [({}, 1500), ({"waive": "yes"}, 0)])
async def test_a_late_cancellation_shows_the_fee_and_staff_may_waive_it(
    ada, area_id, monkeypatch, waive, cents
):
    made = await booked(ada, slot(area_id))
    at(monkeypatch, made.starts_at - timedelta(minutes=30))
    tab = await opened(ada)
    shown = await desk(tab, CANCEL, made.id)
    assert (shown.fee, shown.loading) == ("$15.00", False)
    await tab.fire(BookingDeskState.submit, WHY | waive)
    [row] = await stored()
    assert (row.state, row.late_fee_cents, row.reason) == (CANCELLED, cents, "She called")
    [line] = (await tab.screen(BookingsTab)).rows
    assert (line.status, line.reason, line.may_cancel) == ("Cancelled", "She called", False)


async def test_a_booking_that_has_changed_meanwhile_is_shown_anew(ada, area_id):
    made = await booked(ada, slot(area_id))
    tab = await opened(ada)
    shown = await desk(tab, CANCEL, made.id)
    await changes.move(ada.actor, made.id, made.revision, slot(area_id, 2))
    await tab.fire(BookingDeskState.submit, WHY)
    assert shown.refusal.startswith("This booking has changed meanwhile")
    assert (shown.kind, shown.card.day) == (CANCEL, "Wednesday, November 25, 2026")
    await tab.fire(BookingDeskState.submit, WHY)
    assert [row.state for row in await stored()] == [CANCELLED]


async def test_a_customer_without_a_vehicle_or_address_cannot_be_booked_for(ada, monkeypatch):
    async def nothing(*_: object) -> tuple[tuple, tuple]:
        return (), ()

    monkeypatch.setattr("fuel_app.customers.service.directory.garage", nothing)
    tab = await opened(ada)
    shown = await desk(tab, BOOK)
    assert (shown.refusal, shown.days) == (NO_CHOICE, [])
    await tab.fire(BookingDeskState.submit, WHY)
    assert (shown.kind, await stored()) == (BOOK, [])


async def test_a_refusal_is_said_above_the_button(ada, monkeypatch):
    tab = await opened(ada)
    shown = await desk(tab, BOOK)

    async def refuses(*_: object, **__: object) -> None:
        raise CarGone

    monkeypatch.setattr(bookings, "book", refuses)
    await tab.fire(BookingDeskState.submit, WHY)
    assert (shown.refusal, shown.kind, shown.busy) == (CarGone.message, BOOK, False)


async def test_a_failure_is_said_and_the_dialog_stays(ada, monkeypatch):
    tab = await opened(ada)

    async def fails(*_: object, **__: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(offers, "offered", fails)
    shown = await desk(tab, BOOK)
    assert (shown.refusal, shown.loading, shown.kind) == (FAILED, False, BOOK)
    monkeypatch.setattr(access, "upcoming_and_past", fails)
    await tab.fire(CustomerDashboardState.load)
    assert (await tab.screen(BookingsTab)).failed
    monkeypatch.setattr(access, "upcoming", fails)
    await tab.fire(CustomerDashboardState.load)
    screen = await tab.screen(CustomerDashboardState)
    assert (screen.failed, screen.missing, screen.profile.id) == (True, False, "")


@pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
async def test_nasty_values_change_nothing(ada, area_id, nasty):
    made = await booked(ada, slot(area_id))
    tab = await opened(ada)
    await tab.fire(BookingDeskState.begin, nasty, nasty)
    for kind in (BOOK, MOVE, CANCEL):
        await desk(tab, kind, made.id)
        for event in ("choose_location", "choose_day", "choose_slot", "edit"):
            await tab.fire(getattr(BookingDeskState, event), nasty)
        await tab.fire(BookingDeskState.choose_vehicle, nasty, nasty)
        await tab.fire(BookingDeskState.submit, nasty)
    assert [row.revision for row in await stored()] == [1]


@pytest.fixture
async def booking(ada: Customer, area_id: str) -> Booking:
    return await booked(ada, slot(area_id))


@pytest.fixture
async def tab(ada: Customer, booking: Booking, monkeypatch) -> AdminTab:
    at(monkeypatch, booking.starts_at)
    return await opened(ada)


async def begun(tab: AdminTab, booking: Booking) -> FillState:
    await tab.fire(FillState.begin, booking.id)
    return await tab.screen(FillState)


async def test_a_visit_is_booked_for_two_cars_and_each_is_recorded(ada, area_id, monkeypatch):
    second = a_car(ada.id, 2)
    async with transaction() as session:
        session.add(second)
    tab = await opened(ada)
    shown = await desk(tab, BOOK)
    await tab.fire(BookingDeskState.choose_vehicle, second.id, True)
    assert shown.vehicle_ids == [ada.car_id, second.id]
    await tab.fire(BookingDeskState.submit, {"reason": "called"})
    [row] = await stored()
    assert [each.vehicle_id for each in row.fills] == [ada.car_id, second.id]
    at(monkeypatch, row.starts_at)
    await tab.fire(CustomerDashboardState.load)
    await tab.fire(FillState.begin, row.id)
    dialog = await tab.screen(FillState)
    assert [each.details for each in dialog.cars] == ["to do", "to do"]
    await tab.fire(FillState.choose_car, row.fills[1].id)
    await tab.fire(FillState.choose_car, "x")
    await tab.fire(FillState.submit, FILLED)
    await tab.fire(FillState.begin, row.id)
    assert [each.details for each in dialog.cars] == ["to do", "filled"]
    assert dialog.fill_id == row.fills[0].id
    await tab.fire(FillState.give_up)
    await tab.fire(FillState.give_up)  # it is closed
    [row] = await stored()
    assert (row.state, [e.outcome for e in row.fills]) == ("completed", ["not_filled", "filled"])


async def test_fill_is_recorded_once_and_then_corrected(tab: AdminTab, booking: Booking):
    shown = await begun(tab, booking)
    assert shown.card.record == "Record the fill"
    for _ in range(2):
        await tab.fire(FillState.submit, FILLED)
    assert (shown.card.id, await tab.said()) == ("", ["Fill recorded"])
    [row] = (await tab.screen(BookingsTab)).rows
    assert (row.status, row.total, row.record) == ("Done", "$42.70", "Correct the fill")
    await begun(tab, booking)
    assert shown.typed == FILLED
    await tab.fire(FillState.submit, FILLED | {"gallons": "12"})
    done = await access.find(STAFF, booking.id)
    assert done
    assert done.filled_milligallons == 12_000


@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ({"gallons": "", "meter_start": "20,000", "meter_end": "20,012.3"}, {}),
        ({"gallons": "", "meter_start": "0", "meter_end": "12.3"}, {}),
        ({"gallons": "12.3", "meter_start": "20,000"}, {}),
        ({"gallons": "12.3", "meter_end": "20,012.3"}, {}),
        ({"gallons": "12.3", "meter_start": "5", "meter_end": "17.3"}, {"gallons": ""}),
    ],
)
async def test_correction_begins_with_what_is_recorded(
    tab: AdminTab, booking: Booking, sent, shown
):
    await begun(tab, booking)
    await tab.fire(FillState.submit, FILLED | sent)
    typed = (await begun(tab, booking)).typed
    known = FillRecord.parse(FILLED | sent | shown)
    assert FillRecord.parse(typed) == known
    await tab.fire(FillState.submit, typed)
    done = await access.find(STAFF, booking.id)
    assert done
    assert done.fills[0].ticket == known.stored


async def test_fill_whose_invoice_is_open_leads_to_its_correction(tab, booking):
    await begun(tab, booking)
    await tab.fire(FillState.submit, FILLED)
    [invoice] = await rows(StoredInvoice)
    await charges.open_and_settle(invoice.id)
    await tab.fire(CustomerDashboardState.load)
    [row] = (await tab.screen(BookingsTab)).rows
    assert (row.status, row.record, row.is_invoiced) == ("Done", "", True)
    assert (await begun(tab, booking)).card.id == ""


async def test_more_than_the_tank_is_asked_about_and_confirmed_for_these_gallons_alone(
    tab: AdminTab, booking: Booking
):
    shown = await begun(tab, booking)
    await tab.fire(FillState.submit, FILLED | {"gallons": "30"})
    assert shown.question.startswith("The tank holds 17.600 gallons")
    await tab.fire(FillState.edit, FILLED | {"gallons": "300"})
    assert shown.question == ""
    for seen in ({}, {}, {AGREED: "The tank holds 1.000 gallons"}):  # a double press is no answer
        await tab.fire(FillState.submit, FILLED | {"gallons": "300"} | seen)
        assert shown.question
    await tab.fire(FillState.submit, FILLED | {"gallons": "301", AGREED: shown.question})
    assert shown.card.id
    await tab.fire(FillState.submit, FILLED | {"gallons": "301", AGREED: shown.question})
    assert await tab.said() == ["Fill recorded"]


async def test_wrong_fields_are_marked_and_checked_again_as_they_change(
    tab: AdminTab, booking: Booking
):
    shown = await begun(tab, booking)
    assert await tab.fire(FillState.submit, FILLED | {"ticket": ""}) == ["fill_ticket"]
    assert shown.errors["ticket"] == "Ticket number is required"
    unlike = FILLED | {"meter_start": "1", "meter_end": "3"}
    await tab.fire(FillState.submit, unlike)
    await tab.fire(FillState.edit, unlike)
    assert shown.errors["gallons"] == "The meter says 2.000"
    await tab.fire(FillState.edit, FILLED)
    assert shown.errors["ticket"] == ""


async def test_booking_that_has_changed_meanwhile_is_shown_anew(tab: AdminTab, booking: Booking):
    shown = await begun(tab, booking)
    await fill_records.complete_booking(STAFF, booking.id, 1, FILLED)
    await tab.fire(FillState.submit, FILLED)
    assert shown.error == BookingChanged.message
    await tab.fire(FillState.submit, FILLED | {"gallons": "11"})
    assert shown.card.id == ""
    await tab.fire(FillState.close, False)


async def test_fill_is_not_recorded_long_before_its_window(
    ada: Customer, booking: Booking, monkeypatch
):
    at(monkeypatch, booking.starts_at - timedelta(hours=3))
    tab = await opened(ada)
    assert (await begun(tab, booking)).card.id == ""
