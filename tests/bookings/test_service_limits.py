"""Limits of bookings, holds and mails per customer, network address and mailbox."""

import asyncio
from uuid import uuid4

import pytest

from fuel_app.bookings.service import bookings
from fuel_app.bookings.tables import SlotPlace
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.throttle import OWN_BOOKINGS, throttle
from tests.helpers.bookings import (
    NOW,
    STAFF,
    a_customer,
    an_area,
    at,
    booked,
    booked_by_guest,
    seen_by,
    slot,
)
from tests.helpers.people import rows

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
async def area(database, monkeypatch) -> str:
    at(monkeypatch, NOW)
    return await an_area()


async def test_one_address_holds_three_places_however_many_tabs_ask_at_once(area):
    wanted = [slot(area, day, opens) for day in range(1, 6) for opens in (8, 10, 14)]
    asked = (bookings.hold_slot(each, str(uuid4()), "198.51.100.7") for each in wanted)
    await asyncio.gather(*asked, return_exceptions=True)
    assert len([each for each in await rows(SlotPlace) if each.hold_id]) == 3


async def test_a_customer_books_so_many_fills_in_an_hour_and_staff_more(area):
    who = await a_customer()
    for _ in range(OWN_BOOKINGS.times):
        await throttle().spend(OWN_BOOKINGS, who.id)
    with pytest.raises(TooManyRequests):
        await booked(who, slot(area))
    request = who.wants(slot(area))
    given = {"customer_id": who.id, "reason": "By phone", "seen": await seen_by(who, request)}
    assert await bookings.book(STAFF, request, key=str(uuid4()), **given)


async def test_guests_cannot_fill_one_mailbox(area):
    for number in range(8):
        await booked_by_guest(slot(area, 1 + number % 4), key=str(uuid4()))
    with pytest.raises(TooManyRequests):
        await booked_by_guest(slot(area, 2))
