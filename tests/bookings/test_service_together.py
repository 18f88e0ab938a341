"""Bookings of one moment share a transaction, and none of them suffers from another."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import Booking, NeedsCard, Request, SlotFull
from fuel_app.bookings.rules.estimates import PriceChanged
from fuel_app.bookings.service import booking, known, together
from fuel_app.bookings.tables import FreeFill, SlotPlace
from fuel_app.customers.rules.profile import FreeFillOffer
from fuel_app.kit import outbox
from fuel_app.kit.db.session import engine
from fuel_app.kit.outbox import Message
from fuel_app.plans.tables import LedgerBalance
from tests.helpers.bookings import (
    CAR,
    CONTACT,
    NOW,
    PLACE,
    Customer,
    a_customer,
    an_area,
    at,
    seen_by,
    slot,
    stored,
    taken,
)
from tests.helpers.people import rows

pytestmark = pytest.mark.usefixtures("database", "_clock")


@pytest.fixture
def _clock(monkeypatch):
    at(monkeypatch, NOW)


async def ready(*wanted: tuple[Customer, str]) -> list[Any]:
    """Return the presses of a button, each ready to be awaited, with what is seen before it."""
    seen = [await seen_by(who, who.wants(where)) for who, where in wanted]
    return [
        booking.book(who.actor, who.wants(where), key=str(uuid4()), seen=each)
        for (who, where), each in zip(wanted, seen, strict=True)
    ]


async def press(*presses: Any) -> list[Any]:
    return await asyncio.gather(*presses, return_exceptions=True)


async def customers(count: int) -> list[Customer]:
    return [await a_customer(number) for number in range(1, count + 1)]


async def test_bookings_of_one_moment_take_hardly_more_statements_than_one():
    area, everyone = await an_area(capacity=20), await customers(14)
    statements: list[str] = []

    def count(*args: Any) -> None:
        statements.append(args[2])

    async def counted(*who: Customer) -> int:
        presses = await ready(*[(each, slot(area)) for each in who])
        statements.clear()
        event.listen(engine().sync_engine, "before_cursor_execute", count)
        done = await press(*presses)
        event.remove(engine().sync_engine, "before_cursor_execute", count)
        assert all(isinstance(each, Booking) for each in done)
        return len(statements)

    await counted(everyone[0])  # makes the slot's places
    one = await counted(everyone[1])
    assert await counted(*everyone[2:]) <= 3 * one  # the first alone, then eleven together


async def test_each_of_one_moment_gets_its_own_booking_fill_place_and_messages():
    area, everyone = await an_area(capacity=4), await customers(6)
    slots = [slot(area), slot(area, 2)] * 3
    done = await press(*await ready(*zip(everyone, slots, strict=True)))
    assert [each.person_id for each in done] == [who.id for who in everyone]
    assert [each.slot_id for each in done] == slots
    assert [await taken(each) for each in slots[:2]] == [3, 3]
    assert [each.balance for each in await rows(LedgerBalance)] == [3] * 6
    for who, mine in zip(everyone, done, strict=True):
        theirs = await rows(Message, person_id=who.id)
        assert {each.payload["booking"] for each in theirs} == {mine.id}


async def test_more_presses_of_one_moment_than_places_book_exactly_these():
    area, everyone = await an_area(capacity=3), await customers(7)
    done = await press(*await ready(*[(who, slot(area)) for who in everyone]))
    assert [isinstance(each, Booking) for each in done].count(True) == 3
    assert [isinstance(each, SlotFull) for each in done].count(True) == 4
    assert len(await stored()) == await taken(slot(area)) == 3


async def test_one_without_a_card_does_not_keep_others_from_booking():
    area, everyone = await an_area(), await customers(2)
    lacking = await a_customer(3, has_card=False)
    done = await press(*await ready(*[(who, slot(area)) for who in (*everyone, lacking)]))
    assert [type(each) for each in done] == [Booking, Booking, NeedsCard]


async def test_free_fill_of_a_shared_phone_goes_to_one_of_a_moment(monkeypatch):
    async def offers(_, wanted):
        return dict.fromkeys(wanted, FreeFillOffer(None))

    monkeypatch.setattr(known, "free_fills", offers)
    area, first = await an_area(), await a_customer()
    others = [await a_customer(number, phone="9415550009") for number in (2, 3)]
    done = await press(*await ready(*[(who, slot(area)) for who in (first, *others)]))
    assert [each.pays_by for each in done if isinstance(each, Booking)] == ["free_fill"] * 2
    (lost,) = (each for each in done if not isinstance(each, Booking))
    assert isinstance(lost, PriceChanged)
    assert lost.estimate.pays_by == "allowance"
    assert len(await rows(FreeFill)) == len(await stored()) == 2


async def test_outage_is_one_for_all_of_a_moment_and_stores_none(monkeypatch):
    area, everyone = await an_area(), await customers(4)
    presses = await ready(*[(who, slot(area)) for who in everyone])

    async def gone(*_):
        raise OperationalError("", {}, Exception())

    with monkeypatch.context() as patched:
        patched.setattr(outbox, "add_all", gone)
        done = await press(*presses)
    assert [type(each) for each in done] == [OperationalError] * 4
    assert await stored() == await rows(LedgerBalance) == []


async def test_others_are_booked_where_the_one_who_books_them_goes_away(monkeypatch):
    area, everyone = await an_area(), await customers(4)
    presses = await ready(*[(who, slot(area)) for who in everyone])
    reached, store = asyncio.Event(), queries.add
    leaders: list[int] = []

    async def slow(session, new):
        leaders.append(len(new))
        if len(leaders) == 2:  # the first of those who waited
            reached.set()
            await asyncio.Event().wait()
        await store(session, new)

    monkeypatch.setattr(queries, "add", slow)
    tasks = [asyncio.create_task(each) for each in presses]
    async with asyncio.timeout(10):
        await reached.wait()
        tasks[1].cancel()
        done = await press(*tasks)
    assert [type(each) for each in done] == [Booking, asyncio.CancelledError, Booking, Booking]
    assert leaders == [1, 3, 2]
    assert len(await stored()) == 3


async def test_one_who_goes_away_while_waiting_is_not_booked(monkeypatch):
    area, everyone = await an_area(), await customers(3)
    presses = await ready(*[(who, slot(area)) for who in everyone])
    reached, go_on, store = asyncio.Event(), asyncio.Event(), queries.add

    async def slow(session, new):
        reached.set()
        await go_on.wait()
        await store(session, new)

    monkeypatch.setattr(queries, "add", slow)
    tasks = [asyncio.create_task(each) for each in presses]
    async with asyncio.timeout(10):
        await reached.wait()
        tasks[1].cancel()
        await asyncio.wait([tasks[1]])
        go_on.set()
        done = await press(*tasks)
    assert [type(each) for each in done] == [Booking, asyncio.CancelledError, Booking]
    assert len(await stored()) == 2


async def test_moment_with_more_presses_than_one_transaction_takes_is_booked_in_several(
    monkeypatch,
):
    monkeypatch.setattr(together, "MOST", 2)
    area, everyone = await an_area(capacity=6), await customers(6)
    done = await press(*await ready(*[(who, slot(area)) for who in everyone]))
    assert all(isinstance(each, Booking) for each in done)
    assert await taken(slot(area)) == 6


async def test_guests_of_one_moment_with_the_same_hold_get_a_place_each():
    slot_id, hold_id = slot(await an_area(capacity=3)), str(uuid4())
    await booking.hold(slot_id, hold_id, "198.51.100.7")
    request = Request(slot_id, CAR, PLACE)
    seen = await booking.estimate_guest(request)
    more = {"seen": seen, "test_card": True, "address": "198.51.100.7"}
    presses = [
        booking.book_guest(CONTACT, request, key=str(uuid4()), hold_id=each, **more)
        for each in ("", hold_id, hold_id)  # the first alone, then two together
    ]
    assert len({each.id for each in await press(*presses)}) == 3
    assert await taken(slot_id) == len(await rows(SlotPlace)) == 3
