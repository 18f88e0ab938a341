"""Staff record what was pumped, and correct it, in a dialog of the customer's bookings."""

from datetime import timedelta

import pytest

from fuel_app.billing.tables import StoredInvoice
from fuel_app.bookings.rules.bookings import Booking, BookingChanged
from fuel_app.bookings.rules.fills import Fill
from fuel_app.bookings.service import access
from fuel_app.dispatch.service import fill_records
from fuel_app.office.state.bookings import BookingsTab, FillState
from fuel_app.office.state.customers import CustomerDashboardState
from fuel_app.outcomes.service import charges
from tests.hardening.nasty import NASTY
from tests.helpers.admins import AdminTab
from tests.helpers.bookings import STAFF, Customer, a_customer, an_area, at, booked, slot
from tests.helpers.fills import FILLED, monday
from tests.helpers.people import rows
from tests.office.test_state_customer_bookings import opened

__all__ = ["monday"]


@pytest.fixture
async def who(sqlite_database, monday) -> Customer:
    return await a_customer()


@pytest.fixture
async def booking(who: Customer) -> Booking:
    return await booked(who, slot(await an_area()))


@pytest.fixture
async def tab(who: Customer, booking: Booking, monkeypatch) -> AdminTab:
    at(monkeypatch, booking.starts_at)
    return await opened(who)


async def begun(tab: AdminTab, booking: Booking) -> FillState:
    await tab.fire(FillState.begin, booking.id)
    return await tab.screen(FillState)


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
    known = Fill.parse(FILLED | sent | shown)
    assert Fill.parse(typed) == known
    await tab.fire(FillState.submit, typed)
    done = await access.find(STAFF, booking.id)
    assert done
    assert done.ticket == known.stored


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
    for _ in range(2):
        assert shown.card.id
        await tab.fire(FillState.submit, FILLED | {"gallons": "300"})
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
    await fill_records.record_fill(STAFF, booking.id, 1, FILLED)
    await tab.fire(FillState.submit, FILLED)
    assert shown.error == BookingChanged.message
    await tab.fire(FillState.submit, FILLED | {"gallons": "11"})
    assert shown.card.id == ""
    await tab.fire(FillState.close, False)


async def test_fill_is_not_recorded_long_before_its_window(
    who: Customer, booking: Booking, monkeypatch
):
    at(monkeypatch, booking.starts_at - timedelta(hours=3))
    tab = await opened(who)
    assert (await begun(tab, booking)).card.id == ""


async def test_forged_values_record_nothing(tab: AdminTab, booking: Booking):
    for nasty in NASTY.values():
        await tab.fire(FillState.begin, nasty)
        await tab.fire(FillState.submit, nasty)
    shown = await begun(tab, booking)
    for nasty in NASTY.values():
        await tab.fire(FillState.edit, nasty)
        await tab.fire(FillState.submit, nasty)
        await tab.fire(FillState.submit, FILLED | {"gallons": nasty})
    assert shown.card.id == booking.id
    found = await access.find(STAFF, booking.id)
    assert found
    assert found.state == "booked"
