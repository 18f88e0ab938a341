"""Many at once: nothing is oversold, and no other error than 'full' comes up."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from fuel_app.bookings import queries
from fuel_app.bookings.rules.bookings import BookingChanged, Request, SlotFull
from fuel_app.bookings.rules.estimates import PriceChanged
from fuel_app.bookings.service import bookings, changes
from fuel_app.bookings.tables import SlotSeat
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from tests.helpers.bookings import (
    CONTACT,
    NOW,
    PLACE,
    a_customer,
    an_area,
    another_car,
    booked,
    booked_by_guest,
    slot,
    stored,
    taken,
)
from tests.helpers.cards import guest_with_card
from tests.helpers.people import rows
from tests.helpers.plans import all_fills_left

pytestmark = pytest.mark.usefixtures("database", "_clock")


async def outcomes(*attempts):
    """Return what each attempt gave: a value, or the kind of its error."""
    done = await asyncio.gather(*attempts, return_exceptions=True)
    return [type(each) if isinstance(each, BaseException) else each for each in done]


@pytest.mark.parametrize(("capacity", "people"), [(1, 25), (6, 30)])
async def test_people_who_come_at_once_get_exactly_the_places_there_are(capacity, people):
    area = await an_area(capacity=capacity)
    requests = [Request(slot(area), (another_car(each),), PLACE) for each in range(people)]
    seen = await bookings.estimate_fill(None, requests[0])
    more = {"seen": seen, "hold_id": "", "payer_key": await guest_with_card()}
    attempts = (
        bookings.book_guest(
            CONTACT, request, key=str(uuid4()), address=f"198.51.100.{each}", **more
        )
        for each, request in enumerate(requests)
    )
    done = await outcomes(*attempts)
    assert done.count(SlotFull) == people - capacity
    assert len(await stored()) == await taken(slot(area)) == capacity
    assert len(await rows(SlotSeat)) == capacity


async def test_tabs_of_one_customer_at_once_use_no_more_fills_than_there_are():
    area, who = await an_area(capacity=9), await a_customer()
    seen = await bookings.estimate_fill(who.actor, who.wants(slot(area)))
    attempts = (
        bookings.book(who.actor, who.wants(each), key=str(uuid4()), seen=seen)
        for each in [slot(area, 1 + n % 4, 8 + 2 * (n // 4)) for n in range(8)]
    )
    done = await outcomes(*attempts)
    assert done.count(PriceChanged) == 8 - seen.fills[0].fills_left
    assert len(await stored()) == seen.fills[0].fills_left


async def test_double_click_of_two_at_once_is_one_booking_and_one_fill():
    area, who = await an_area(capacity=1), await a_customer()
    key = str(uuid4())
    done: list[Any] = await outcomes(*(booked(who, slot(area), key=key) for _ in range(4)))
    assert {each.id for each in done} == {done[0].id}
    assert await all_fills_left() == [3]


async def test_tabs_that_hold_the_last_place_at_once_get_it_once():
    area = await an_area(capacity=1)
    done = await outcomes(
        *(bookings.hold_slot(slot(area), str(uuid4()), f"198.51.100.{each}") for each in range(10))
    )
    assert done.count(SlotFull) == 9


@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
async def test_place_that_one_transaction_has_locked_is_free_for_no_other():
    area, former = await an_area(capacity=1), str(uuid4())
    for day in (1, 2):  # the first one's row is there by then, and free again
        await bookings.hold_slot(slot(area, day), former, "198.51.100.7")
    asked = slot(area), NOW, ""
    async with transaction() as one, transaction() as other:
        assert await queries.lock_free_seat(one, *asked) == 1
        assert await queries.lock_free_seat(other, *asked) is None


async def test_second_press_of_hold_at_once_holds_one_place():
    area = await an_area()
    mine = str(uuid4())
    done = await outcomes(*(bookings.hold_slot(slot(area), mine, "198.51.100.7") for _ in range(4)))
    assert len(set(done)) == 1
    assert len([each for each in await rows(SlotSeat) if each.hold_id]) == 1


async def test_bookings_that_change_places_at_once_keep_one_each():
    area = await an_area(capacity=1)
    one, two = await a_customer(), await a_customer(2)
    first, second = await booked(one, slot(area, 2)), await booked(two, slot(area, 3))
    await outcomes(
        changes.move(one.actor, first.id, 1, slot(area, 3)),
        changes.move(two.actor, second.id, 1, slot(area, 2)),
    )
    assert (await taken(slot(area, 2)), await taken(slot(area, 3))) == (1, 1)


async def test_two_tabs_that_cancel_and_move_at_once_do_one_of_it():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 2))
    done = await outcomes(
        changes.move(who.actor, found.id, 1, slot(area, 3)),
        changes.cancel(who.actor, found.id, 1, seen_fee=Money(0)),
    )
    assert done.count(BookingChanged) == 1
    (row,) = await stored()
    assert await taken(slot(area, 2)) == 0
    assert await taken(slot(area, 3)) == (row.state == "booked")


async def test_guests_and_customers_share_the_places_of_a_slot():
    area, who = await an_area(capacity=2), await a_customer()
    done = await outcomes(
        booked(who, slot(area)),
        booked_by_guest(slot(area)),
        booked_by_guest(slot(area), car=another_car(2)),
    )
    assert done.count(SlotFull) == 1
