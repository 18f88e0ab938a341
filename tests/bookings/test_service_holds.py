"""Places held on the payment page: they lapse, count as taken for others, and are given back."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy.exc import IntegrityError

from fuel_app.bookings.rules.bookings import SlotClosed, SlotFull, SlotPast, TooManySlotHolds
from fuel_app.bookings.service import bookings, slots
from fuel_app.bookings.service.slots import FirstOffer
from fuel_app.bookings.tables import SlotSeat
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.money import FuelPrice
from fuel_app.kit.throttle import HOLDS
from tests.helpers.bookings import (
    MILLS,
    NOW,
    PLACE,
    a_customer,
    an_area,
    at,
    booked,
    booked_by_guest,
    slot,
    taken,
)
from tests.helpers.people import rows

pytestmark = pytest.mark.usefixtures("database", "_clock")

HOME, OFFICE = "198.51.100.7", "203.0.113.9"
MINE, THEIRS = str(uuid4()), str(uuid4())


async def held():
    return {each.slot_id: each.hold_id for each in await rows(SlotSeat) if each.hold_id}


async def test_hold_keeps_a_place_for_fifteen_minutes():
    area = await an_area(capacity=1)
    assert await bookings.hold_slot(slot(area), MINE, HOME) == NOW + timedelta(minutes=15)
    with pytest.raises(SlotFull):
        await bookings.hold_slot(slot(area), THEIRS, OFFICE)
    (first, *_) = await slots.offered(None, PLACE.zip_code)
    assert [each.note for each in first.slots][:2] == ["Full", "1 left"]
    (own, *_) = await slots.offered(None, PLACE.zip_code, hold_id=MINE)
    assert own.slots[0].note == "1 left"
    offer = FirstOffer(FuelPrice(MILLS), first.slots[1].when)
    assert await slots.first_offer(PLACE.zip_code) == offer


async def test_place_held_by_another_is_not_free():
    area, who = await an_area(capacity=1), await a_customer()
    await bookings.hold_slot(slot(area), THEIRS, OFFICE)
    for hold_id in ("", MINE):
        with pytest.raises(SlotFull):
            await booked(who, slot(area), hold_id=hold_id)


async def test_second_press_at_the_same_moment_renews_the_hold(monkeypatch):
    area, real, calls = await an_area(), bookings._hold_slot, []

    async def taken_a_moment_ago(*args):
        calls.append(args)
        if len(calls) == 1:
            raise IntegrityError("", {}, Exception())
        return await real(*args)

    monkeypatch.setattr(bookings, "_hold_slot", taken_a_moment_ago)
    await bookings.hold_slot(slot(area), MINE, HOME)
    assert await held() == {slot(area): MINE}


async def test_booking_uses_the_own_hold():
    area, who = await an_area(capacity=1), await a_customer()
    await bookings.hold_slot(slot(area), MINE, HOME)
    await booked(who, slot(area), hold_id=MINE)
    assert (await held(), await taken(slot(area))) == ({}, 1)


async def test_booking_another_slot_gives_the_hold_back():
    area = await an_area(capacity=1)
    await bookings.hold_slot(slot(area, 2), MINE, HOME)
    await booked_by_guest(slot(area), hold_id=MINE)
    assert await held() == {}


async def test_lapsed_hold_works_as_long_as_nobody_took_the_place(monkeypatch):
    area, who, other = await an_area(capacity=1), await a_customer(), await a_customer(2)
    await bookings.hold_slot(slot(area), MINE, HOME)
    await bookings.hold_slot(slot(area, 2), THEIRS, OFFICE)
    at(monkeypatch, NOW + timedelta(minutes=15))
    await booked(who, slot(area), hold_id=MINE)
    await booked(other, slot(area, 2))
    with pytest.raises(SlotFull):
        await booked(who, slot(area, 2), hold_id=THEIRS)


async def test_holding_another_slot_gives_the_first_back_and_again_renews(monkeypatch):
    area = await an_area(capacity=1)
    await bookings.hold_slot(slot(area), MINE, HOME)
    await bookings.hold_slot(slot(area, 2), MINE, HOME)
    assert await held() == {slot(area, 2): MINE}
    at(monkeypatch, NOW + timedelta(minutes=5))
    assert await bookings.hold_slot(slot(area, 2), MINE, HOME) == NOW + timedelta(minutes=20)


async def test_network_address_holds_three_places_at_most(monkeypatch):
    area = await an_area()
    ids = [str(uuid4()) for _ in range(4)]
    for each in ids[:3]:
        await bookings.hold_slot(slot(area), each, HOME)
    with pytest.raises(TooManySlotHolds):
        await bookings.hold_slot(slot(area), ids[3], HOME)
    await bookings.hold_slot(slot(area), ids[2], HOME)
    await bookings.hold_slot(slot(area), THEIRS, OFFICE)
    at(monkeypatch, NOW + timedelta(minutes=16))
    await bookings.hold_slot(slot(area), ids[0], HOME)


async def test_one_address_holds_three_places_however_many_tabs_ask_at_once():
    area = await an_area()
    wanted = [slot(area, day, opens) for day in range(1, 6) for opens in (8, 10, 14)]
    asked = (bookings.hold_slot(each, str(uuid4()), HOME) for each in wanted)
    await asyncio.gather(*asked, return_exceptions=True)
    assert len(await held()) == 3


async def test_slot_that_cannot_be_booked_is_not_held():
    area = await an_area()
    for sent in ("", None, 7, slot(str(uuid4()))):
        with pytest.raises(SlotClosed):
            await bookings.hold_slot(sent, MINE, HOME)
    with pytest.raises(SlotPast):
        await bookings.hold_slot(slot(area, 8), MINE, HOME)


async def test_a_network_address_that_renews_its_holds_forever_is_refused():
    area = await an_area()
    for _ in range(HOLDS.times):
        await bookings.hold_slot(slot(area), MINE, HOME)
    with pytest.raises(TooManyRequests):
        await bookings.hold_slot(slot(area), MINE, HOME)
    await bookings.hold_slot(slot(area, 2), THEIRS, OFFICE)
