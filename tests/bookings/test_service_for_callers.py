"""Booking for a caller without an account: a guest's booking whose card comes by the link."""

from uuid import uuid4

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.areas.tables import Area
from fuel_app.billing.service import cards
from fuel_app.billing.tables import Payer
from fuel_app.bookings.rules.bookings import Booking, Guest, NeedsReason, Request
from fuel_app.bookings.rules.states import BOOKED, CANCELLED
from fuel_app.bookings.service import access, authorizations, bookings
from fuel_app.kit.legal import TERMS_VERSION
from fuel_app.kit.outbox import Message
from fuel_app.outcomes.service import checkouts
from tests.factories import UNKNOWN_ID
from tests.helpers.bank import Bank, bank, stored_payments
from tests.helpers.bookings import CAR, CONTACT, PLACE, STAFF, an_area, slot, stored
from tests.helpers.cards import add_at_page
from tests.helpers.fills import AUTHORIZE, authorized, evening, morning, run
from tests.helpers.people import rows

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database", "_clock")

BACK = "http://localhost:3000/manage/x"


@pytest.fixture(autouse=True)
async def _area(sqlite_database, _clock) -> str:
    return await an_area()


async def called(actor: Actor = STAFF, reason: str = "called", key: str = "") -> Booking:
    """Book for a caller, a day ahead."""
    [area] = await rows(Area)
    request = Request(slot(area.id), (CAR,), PLACE)
    return await bookings.book_for_caller(
        actor,
        CONTACT,
        request,
        key=key or str(uuid4()),
        seen=await bookings.estimate_fill(None, request),
        hold_id="",
        address="198.51.100.7",
        reason=reason,
    )


async def alert_of(booking: Booking) -> str:
    found = await access.find(STAFF, booking.id)
    assert found
    return (await authorizations.card_states([found]))[booking.id].alert.text


async def add_card(booking: Booking) -> None:
    """Add a card as the guest does, by the link."""
    guest = Guest(booking.id)
    page = await authorizations.begin_card_update(
        guest, booking.id, address="203.0.113.7", back=BACK
    )
    await checkouts.finish_booking_checkout(guest, booking.id, await add_at_page(page))


async def test_a_caller_is_booked_for_as_a_guest_without_a_card():
    key = str(uuid4())
    booking = await called(key=key)
    assert (await called(key=key)).id == booking.id  # a second press
    [row] = await stored()
    assert (row.person_id, row.guest_email, row.terms_version) == (None, CONTACT.email, "")
    assert row.guest_search.startswith("gus guest")
    [step] = await access.list_steps(row.id)
    assert (step.kind, step.note) == ("book", "called")
    [mail] = await rows(Message, kind="booking_confirmed")
    assert (mail.recipient, mail.payload["card_by"][:7]) == (CONTACT.email, "Tuesday")
    [payer] = await rows(Payer)
    assert (payer.id, payer.card_id) == (row.payer_id, "")
    state = (await authorizations.card_states([booking]))[booking.id]
    assert (state.payment, state.alert.state, state.alert.is_missing) == (
        "No card yet",
        "no card yet",
        True,
    )
    assert state.alert.text == (
        "Please add a card by 6:30 AM on Tuesday, November 24, or this fill-up is cancelled."
    )


async def test_the_guest_adds_the_card_and_accepts_the_terms(bank: Bank, monkeypatch):
    booking = await called()
    await authorizations.begin_card_update(
        Guest(booking.id), booking.id, address="203.0.113.7", back=BACK
    )
    [row] = await stored()
    assert row.terms_version == ""  # nothing is added yet
    await add_card(booking)
    [row] = await stored()
    assert (row.terms_version, await alert_of(booking)) == (TERMS_VERSION, "")
    await authorized(monkeypatch, booking)
    assert [each.state for each in await stored_payments()] == ["authorized"]


async def test_staff_who_add_the_card_accept_nothing():
    booking = await called()
    page = await authorizations.begin_card_update(
        STAFF, booking.id, address="203.0.113.7", back=BACK
    )
    await checkouts.finish_booking_checkout(STAFF, booking.id, await add_at_page(page))
    [row] = await stored()
    assert row.terms_version == ""


async def test_without_a_card_the_guest_is_asked_in_the_evening_and_the_morning_cancels(
    bank: Bank, monkeypatch
):
    booking = await called()
    evening(monkeypatch, booking)
    await run(AUTHORIZE)
    [mail] = await rows(Message, kind="hold_declined")
    assert mail.payload["missing"] == "yes"
    assert [row.state for row in await stored()] == [BOOKED]
    assert (await alert_of(booking)).startswith("Please add a card by 6:30 AM")
    morning(monkeypatch, booking)
    await run(AUTHORIZE)
    [row] = await stored()
    assert (row.state, row.reason, row.late_fee_cents) == (
        CANCELLED,
        "No card was added in time.",
        0,
    )


async def test_a_card_that_comes_late_is_authorized_at_once(bank: Bank, monkeypatch):
    booking = await called()
    evening(monkeypatch, booking)
    await run(AUTHORIZE)
    await add_card(booking)
    await run(AUTHORIZE)
    assert [each.state for each in await stored_payments()] == ["failed", "authorized"]
    assert await alert_of(booking) == ""


async def test_only_staff_book_for_others_and_say_why():
    with pytest.raises(NotAllowed):
        await called(Actor(frozenset({Role.CUSTOMER}), UNKNOWN_ID))
    with pytest.raises(NeedsReason):
        await called(reason=" ")
    assert await stored() == []


async def test_payers_without_a_card_are_looked_up_only_where_there_are_some():
    assert await cards.lacking_card([]) == set()
