"""Booking for a customer by staff, and as a guest."""

from dataclasses import replace
from uuid import uuid4

import pytest

from fuel_app.accounts.rules import NotAllowed
from fuel_app.bookings.rules.bookings import CarGone, NeedsCard, NeedsReason, PlaceGone, Request
from fuel_app.bookings.service import access, bookings
from fuel_app.customers.rules.customers import CustomerGone
from fuel_app.kit.money import dollars
from fuel_app.kit.outbox import Message
from tests.helpers.bookings import (
    CAR,
    PLACE,
    STAFF,
    a_customer,
    an_area,
    booked,
    booked_by_guest,
    slot,
    stored,
)
from tests.helpers.people import rows

pytestmark = pytest.mark.usefixtures("database", "_clock")


async def test_staff_book_for_a_customer_with_a_reason_until_the_window_ends():
    area, who = await an_area(), await a_customer()
    request = who.wants(slot(area, 0))  # of today at 8, and it is 10
    seen = await bookings.estimate_fill(STAFF, who.wants(slot(area, 0, 10)), customer_id=who.id)
    more = {"key": str(uuid4()), "seen": seen, "customer_id": who.id}
    with pytest.raises(NeedsReason):
        await bookings.book(STAFF, request, **more)
    found = await bookings.book(STAFF, request, **more, reason="Asked by phone")
    (event,) = await access.list_steps(STAFF, found.id)
    assert (event.actor, event.note, found.person_id) == (
        "shared password",
        "Asked by phone",
        who.id,
    )


@pytest.mark.parametrize("sent", ["", None, 7, "x", []])
async def test_staff_who_name_nobody_are_refused(sent):
    with pytest.raises(CustomerGone):
        await bookings.estimate_fill(STAFF, Request("", CAR, PLACE), customer_id=sent)


async def test_only_customers_and_staff_book():
    who = await a_customer()
    with pytest.raises(NotAllowed):
        await bookings.estimate_fill(replace(who.actor, roles=frozenset()), who.wants(""))


async def test_customer_cannot_book_for_another():
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    found = await booked(who, slot(area), customer_id=other.id)
    assert found.person_id == who.id


async def test_guest_books_and_is_told_by_email_alone():
    area = await an_area()
    found = await booked_by_guest(slot(area, 3))
    assert (found.person_id, found.pays_by, found.fee) == ("", "fee", dollars(15))
    (row,) = await stored()
    assert (row.guest_email, row.terms_version != "") == ("gus@example.com", True)
    told = await rows(Message)
    assert {(each.recipient, each.channel) for each in told} == {("gus@example.com", "mail")}
    guest = await access.guest_of(access.manage_token(found))
    assert guest is not None
    assert await access.find(guest, found.id) == found
    assert await access.find(guest, str(uuid4())) is None
    (event,) = await access.list_steps(guest, found.id)
    assert event.actor == "guest"


async def test_guest_without_a_card_is_refused():
    area = await an_area()
    with pytest.raises(NeedsCard):
        await booked_by_guest(slot(area), payer_key="other")


async def test_guest_cannot_name_a_saved_vehicle_or_address():
    area, who = await an_area(), await a_customer()
    with pytest.raises(CarGone):
        await bookings.estimate_guest_fill(who.wants(slot(area)))
    with pytest.raises(PlaceGone):
        await bookings.estimate_guest_fill(who.wants(slot(area), car=CAR))


@pytest.mark.parametrize("sent", ["", None, 7, "x", "019ab000-0000-7000-8000-000000000000.x"])
async def test_link_that_is_not_ours_leads_nowhere(sent):
    assert await access.guest_of(sent) is None


async def test_booking_of_another_customer_is_not_found():
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    found = await booked(who, slot(area))
    assert await access.find(other.actor, found.id) is None
    assert await access.list_steps(other.actor, found.id) == ()
    assert await access.find(STAFF, found.id) == found
    assert await access.find(who.actor, ["x"]) is None
