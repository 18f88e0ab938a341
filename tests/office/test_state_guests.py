"""Guests on the staff's screen of customers: found by the search, shown with their bookings."""

from datetime import timedelta

import pytest

from fuel_app.accounts.rules import Role
from fuel_app.billing.tables import StoredInvoice
from fuel_app.bookings.rules.states import CANCELLED
from fuel_app.bookings.service import changes, guests
from fuel_app.kit.db.session import transaction
from fuel_app.kit.outbox import Message
from fuel_app.office.state.bookings import (
    BOOK,
    CANCEL,
    MOVE,
    BookingDeskState,
    BookingsTab,
    FillState,
)
from fuel_app.office.state.customers import CustomerDashboardState, GuestState
from fuel_app.outcomes.service import charges
from tests.factories import UNKNOWN_ID
from tests.hardening.nasty import NASTY
from tests.helpers.admins import AdminTab
from tests.helpers.bookings import (
    NOW,
    a_customer,
    an_area,
    at,
    booked_by_guest,
    slot,
    stored,
)
from tests.helpers.fills import FILLED
from tests.helpers.people import rows

SCREEN = "/customer-dashboard"
WHY = {"reason": "He called"}


@pytest.fixture
async def area_id(sqlite_database, monkeypatch) -> str:
    at(monkeypatch, NOW)
    return await an_area()


@pytest.fixture
async def gus(area_id) -> str:
    """Return the id of a guest's booking."""
    return (await booked_by_guest(slot(area_id))).id


async def loaded(address: str = SCREEN) -> tuple[AdminTab, CustomerDashboardState]:
    tab = await AdminTab.at(address, Role.DISPATCHER)
    await tab.fire(CustomerDashboardState.load)
    return tab, await tab.screen(CustomerDashboardState)


async def test_a_search_finds_guests_besides_customers(gus):
    await a_customer()
    tab, shown = await loaded()
    assert (shown.guests, len(shown.rows)) == ([], 1)
    await tab.fire(CustomerDashboardState.narrow, {"q": "gus@"})
    [found] = shown.guests
    assert (found.name, found.email, found.phone) == (
        "Gus Guest",
        "gus@example.com",
        "(941) 555-0199",
    )
    assert found.about == "2020 Toyota Camry, GUL 123. Tue, Nov 24, 8–10 AM"  # noqa: RUF001
    assert (found.bookings, shown.more_guests, shown.summary) == ("1 booking", "", "0 customers")
    await tab.fire(CustomerDashboardState.narrow, {"q": "gus@", "plan": "family"})
    assert shown.guests == []


async def test_guests_who_are_not_listed_are_counted(gus, monkeypatch):
    monkeypatch.setattr(guests, "SHOWN", 0)
    _, shown = await loaded(f"{SCREEN}?q=guest")
    assert (shown.guests, shown.more_guests) == (
        [],
        "1 more guest. Add a word to narrow the search.",
    )


async def test_a_guest_is_shown_with_their_bookings_which_staff_change(gus, area_id):
    tab, shown = await loaded(f"{SCREEN}?q=gus")
    await tab.fire(CustomerDashboardState.choose_guest, gus)
    assert shown.address == f"{SCREEN}?q=gus&guest={gus}"
    guest, listed = await tab.screen(GuestState), await tab.screen(BookingsTab)
    assert (guest.card.id, guest.card.next_booking) == (gus, "Tue, Nov 24, 8–10 AM")  # noqa: RUF001
    assert [(row.id, row.may_move, row.may_cancel) for row in listed.rows] == [(gus, True, True)]
    desk = await tab.screen(BookingDeskState)
    await tab.fire(BookingDeskState.begin, BOOK, "")
    assert desk.kind == ""  # a guest has no garage to book from
    await tab.fire(BookingDeskState.begin, MOVE, gus)
    await tab.fire(BookingDeskState.choose_slot, slot(area_id, 1, 14))
    await tab.fire(BookingDeskState.submit, WHY)
    assert [row.slot_id for row in await stored()] == [slot(area_id, 1, 14)]
    await tab.fire(BookingDeskState.begin, CANCEL, gus)
    await tab.fire(BookingDeskState.submit, WHY)
    assert [row.state for row in await stored()] == [CANCELLED]
    assert (guest.card.next_booking, len(listed.rows)) == ("", 1)
    await tab.fire(CustomerDashboardState.choose, "")
    assert (guest.card.id, listed.rows, shown.address) == ("", [], f"{SCREEN}?q=gus")


async def test_the_receipt_of_a_guests_fill_is_at_hand(gus, monkeypatch):
    at(monkeypatch, NOW + timedelta(days=1))
    tab, _ = await loaded(f"{SCREEN}?guest={gus}")
    listed = await tab.screen(BookingsTab)
    await tab.fire(FillState.begin, gus)
    await tab.fire(FillState.submit, FILLED)
    [invoice] = await rows(StoredInvoice)
    await charges.open_and_settle(invoice.id)
    await tab.fire(CustomerDashboardState.load)
    assert [row.is_invoiced for row in listed.rows] == [True]
    assert listed.receipts == {gus: f"/receipts/{invoice.id}"}


async def test_an_unknown_guest_is_said(gus):
    tab, shown = await loaded()
    for booking_id in (UNKNOWN_ID, "nonsense"):
        await tab.fire(CustomerDashboardState.choose_guest, booking_id)
        assert (shown.missing, (await tab.screen(GuestState)).card.id) == (True, "")
        assert (await tab.screen(BookingsTab)).rows == []


async def test_a_guest_who_has_signed_up_is_shown_as_the_customer(gus):
    ada = await a_customer()
    async with transaction() as session:
        await changes.attach_guest_bookings(session, ada.id, "gus@example.com")
    _, shown = await loaded(f"{SCREEN}?guest={gus}")
    assert (shown.profile.id, shown.tab) == (ada.id, "bookings")
    assert shown.address == f"{SCREEN}?customer={ada.id}&tab=bookings"


async def test_the_link_is_sent_once_for_a_press(gus):
    tab, _ = await loaded(f"{SCREEN}?guest={gus}")
    await tab.fire(GuestState.send_link, gus)
    assert await tab.said() == ["The link is on its way to gus@example.com."]
    assert [row.payload["booking"] for row in await rows(Message, kind="booking_link")] == [gus]
    await tab.fire(GuestState.send_link, UNKNOWN_ID)
    assert (await tab.screen(GuestState)).error == "There is no such booking (any more)."
    for nasty in NASTY:
        await tab.fire(GuestState.send_link, nasty)
    assert len(await rows(Message, kind="booking_link")) == 1


async def test_without_a_guest_no_link_is_sent(gus):
    tab, _ = await loaded()
    await tab.fire(GuestState.send_link, gus)
    assert (await tab.said(), await rows(Message, kind="booking_link")) == ([], [])
