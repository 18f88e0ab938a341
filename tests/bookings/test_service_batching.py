"""Concurrent bookings share a transaction, and none of them suffers from another."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import event
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from fuel_app.bookings import queries
from fuel_app.bookings.rules.bookings import Booking, NeedsCard, Request, SlotFull
from fuel_app.bookings.rules.estimates import FreeFillUsed
from fuel_app.bookings.service import bookings
from fuel_app.bookings.tables import FreeFill, SlotPlace
from fuel_app.customers.rules.customers import FreeFillOffer
from fuel_app.kit import outbox
from fuel_app.kit.db import session
from fuel_app.kit.outbox import Message
from tests.helpers.bookings import (
    CAR,
    CONTACT,
    PLACE,
    Customer,
    a_customer,
    an_area,
    seen_by,
    slot,
    stored,
    taken,
)
from tests.helpers.cards import guest_with_card
from tests.helpers.people import rows
from tests.helpers.plans import all_fills_left

pytestmark = pytest.mark.usefixtures("database", "_clock")


async def ready(*wanted: tuple[Customer, str]) -> list[Any]:
    """Return the presses of a button, each ready to be awaited, with what is seen before it."""
    seen = [await seen_by(who, who.wants(where)) for who, where in wanted]
    return [
        bookings.book(who.actor, who.wants(where), key=str(uuid4()), seen=each)
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
        event.listen(session.engine().sync_engine, "before_cursor_execute", count)
        done = await press(*presses)
        event.remove(session.engine().sync_engine, "before_cursor_execute", count)
        assert all(isinstance(each, Booking) for each in done)
        return len(statements)

    await counted(everyone[0])  # makes the slot's places
    one = await counted(everyone[1])
    assert one > 10
    assert await counted(*everyone[2:]) <= 3 * one  # in two batches, or three


async def test_each_of_one_moment_gets_its_own_booking_fill_place_and_messages():
    area, everyone = await an_area(capacity=4), await customers(6)
    slots = [slot(area), slot(area, 2)] * 3
    done = await press(*await ready(*zip(everyone, slots, strict=True)))
    assert [each.person_id for each in done] == [who.id for who in everyone]
    assert [each.slot_id for each in done] == slots
    assert [await taken(each) for each in slots[:2]] == [3, 3]
    assert await all_fills_left() == [3] * 6
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

    monkeypatch.setattr(bookings, "free_fills", offers)
    area, first = await an_area(), await a_customer()
    others = [await a_customer(number, phone="9415550009") for number in (2, 3)]
    done = await press(*await ready(*[(who, slot(area)) for who in (first, *others)]))
    assert [each.pays_by for each in done if isinstance(each, Booking)] == ["free_fill"] * 2
    (lost,) = (each for each in done if not isinstance(each, Booking))
    assert isinstance(lost, FreeFillUsed)
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
    assert await stored() == await all_fills_left() == []


async def test_one_whose_tab_closes_in_the_middle_keeps_none_of_the_others_from_booking(
    monkeypatch,
):
    area, everyone = await an_area(), await customers(4)
    presses = await ready(*[(who, slot(area)) for who in everyone])
    tasks = [asyncio.create_task(each) for each in presses]
    store = queries.add

    async def close_tab(session, new):
        tasks[1].cancel()
        await store(session, new)

    monkeypatch.setattr(queries, "add", close_tab)
    done = await press(*tasks)
    assert [type(each) for each in done] == [Booking, asyncio.CancelledError, Booking, Booking]


async def test_one_whose_tab_closes_while_waiting_is_not_booked(monkeypatch):
    area, everyone = await an_area(), await customers(3)
    presses = await ready(*[(who, slot(area)) for who in everyone])
    reached, go_on, store = asyncio.Event(), asyncio.Event(), queries.add

    async def slow(session, new):
        reached.set()
        await go_on.wait()
        await store(session, new)

    arrived, book = asyncio.Semaphore(0), bookings._book_soon

    async def noted(new, asked):
        arrived.release()
        return await book(new, asked)

    monkeypatch.setattr(queries, "add", slow)
    monkeypatch.setattr(bookings, "_book_soon", noted)
    tasks = [asyncio.create_task(presses[0])]
    async with asyncio.timeout(10):
        await reached.wait()
        tasks += [asyncio.create_task(each) for each in presses[1:]]
        for _ in presses:
            await arrived.acquire()
        tasks[1].cancel()
        await asyncio.wait([tasks[1]])
        go_on.set()
        done = await press(*tasks)
    assert [type(each) for each in done] == [Booking, asyncio.CancelledError, Booking]
    assert len(await stored()) == 2


async def test_double_click_of_one_leaves_the_others_their_transaction(monkeypatch):
    area, everyone = await an_area(capacity=9), await customers(5)
    request, key = everyone[1].wants(slot(area)), str(uuid4())
    seen = await seen_by(everyone[1], request)
    twice = [bookings.book(everyone[1].actor, request, key=key, seen=seen) for _ in range(2)]
    others = await ready(*[(who, slot(area)) for who in (everyone[0], *everyone[2:])])
    batches: list[int] = []
    store = queries.add

    async def counted(session, new):
        batches.append(len(new))
        await store(session, new)

    monkeypatch.setattr(queries, "add", counted)
    done = await press(others[0], *twice, *others[1:])
    assert len({each.id for each in done}) == 5
    assert batches == [5]


async def test_error_that_one_causes_is_its_own(monkeypatch):
    area, everyone = await an_area(), await customers(4)
    store = queries.add

    async def fragile(session, new):
        if everyone[2].id in [row.person_id for row in new]:
            raise KeyError
        await store(session, new)

    monkeypatch.setattr(queries, "add", fragile)
    done = await press(*await ready(*[(who, slot(area)) for who in everyone]))
    assert [type(each) for each in done] == [Booking, Booking, KeyError, Booking]
    assert len(await stored()) == 3


class _PostgresError(Exception):
    def __init__(self, sqlstate: str) -> None:
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("error", "is_outage"),
    [
        (OperationalError("", {}, Exception()), True),
        (DBAPIError("", {}, _PostgresError("08006")), True),
        (DBAPIError("", {}, _PostgresError(bookings.DEADLOCK)), False),
        (IntegrityError("", {}, Exception()), False),
        (TimeoutError(), True),
        (KeyError(), False),
    ],
)
def test_outage_is_what_no_single_booking_may_have_caused(error, is_outage):
    assert bookings._is_outage(error) == is_outage


async def test_moment_with_more_presses_than_one_transaction_takes_is_booked_in_several(
    monkeypatch,
):
    monkeypatch.setattr(bookings, "BATCH_MAX", 2)
    area, everyone = await an_area(capacity=6), await customers(6)
    done = await press(*await ready(*[(who, slot(area)) for who in everyone]))
    assert all(isinstance(each, Booking) for each in done)
    assert await taken(slot(area)) == 6


async def test_guests_of_one_moment_with_the_same_hold_get_a_place_each():
    slot_id, hold_id = slot(await an_area(capacity=3)), str(uuid4())
    await bookings.hold_slot(slot_id, hold_id, "198.51.100.7")
    request = Request(slot_id, CAR, PLACE)
    seen = await bookings.estimate_guest_fill(request)
    more = {"seen": seen, "payer_key": await guest_with_card(), "address": "198.51.100.7"}
    presses = [
        bookings.book_guest(CONTACT, request, key=str(uuid4()), hold_id=each, **more)
        for each in ("", hold_id, hold_id)  # the first alone, then two together
    ]
    assert len({each.id for each in await press(*presses)}) == 3
    assert await taken(slot_id) == len(await rows(SlotPlace)) == 3
