"""Booking a fill by customers, staff and guests: what it stores, and what it costs."""

import asyncio
from dataclasses import replace
from datetime import date
from functools import partial
from uuid import uuid4

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from fuel_app.accounts.rules import NotAllowed
from fuel_app.areas import queries as area_queries
from fuel_app.areas.rules.hours import default_week
from fuel_app.areas.tables import Area
from fuel_app.bookings import queries
from fuel_app.bookings.rules.bookings import (
    BookingGone,
    CarGone,
    LocationGone,
    NeedsCard,
    NeedsReason,
    Request,
    SlotFull,
)
from fuel_app.bookings.rules.estimates import (
    FreeFillUsed,
    Line,
    PriceChanged,
    SpentFills,
    estimate_of,
)
from fuel_app.bookings.service import access, bookings
from fuel_app.bookings.tables import FreeFill, SlotSeat, StoredBooking, StoredFill
from fuel_app.customers.rules.customers import CustomerGone
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.money import Money, dollars
from fuel_app.kit.outbox import Message
from fuel_app.kit.throttle import OWN_BOOKINGS, throttle
from tests.helpers.bookings import (
    CAR,
    CONTACT,
    MILLS,
    PLACE,
    STAFF,
    a_customer,
    an_area,
    another_car,
    booked,
    booked_by_guest,
    offer_free_fills,
    seen_by,
    slot,
    stored,
    taken,
)
from tests.helpers.people import rows
from tests.helpers.plans import all_fills_left

pytestmark = pytest.mark.usefixtures("database", "_clock")


async def test_booking_takes_a_seat_and_a_fill_and_is_confirmed_with_its_reminders():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 3))
    assert (found.state, found.revision, found.fills[0].pays_by) == ("booked", 1, "allowance")
    assert found.when == "Thursday, November 26, 2026, 8–10 AM"  # noqa: RUF001
    assert (found.fills[0].price.mills, found.fills[0].estimated_milligallons) == (MILLS, 9600)
    assert found.fills[0].car.name == "2020 Toyota Camry"
    assert found.place.line == "100 Main St, Sarasota, FL 34236"
    assert await taken(found.slot_id) == 1
    assert await all_fills_left() == [3]
    kinds = {each.kind for each in await rows(Message, person_id=who.id)}
    assert kinds == {"booking_confirmed", "day_before", "hour_before"}
    (event,) = await access.list_steps(found.id)
    assert (event.kind, event.state, event.actor) == ("book", "booked", "Ada Lovelace")
    assert await access.find(who.actor, found.id) == found


async def test_a_key_books_once_and_for_its_customer_alone():
    area, who, key = await an_area(), await a_customer(), str(uuid4())
    first = await booked(who, slot(area), key=key)
    assert await booked(who, slot(area), key=key) == first
    with pytest.raises(BookingGone):
        await booked(await a_customer(2), slot(area), key=key)
    assert await taken(slot(area)) == 1


async def test_key_of_another_guest_books_nothing():
    area, key = await an_area(), str(uuid4())
    await booked_by_guest(slot(area), key=key)
    other = CONTACT.model_copy(update={"email": "other@example.com"})
    with pytest.raises(BookingGone):
        await booked_by_guest(slot(area), other, key=key)
    assert len(await stored()) == 1


@pytest.mark.parametrize("unseen", [1, 2])  # by the first reading, and under the locks
async def test_key_that_another_press_uses_in_the_same_moment_finds_its_booking(
    monkeypatch, unseen
):
    area, who = await an_area(), await a_customer()
    key, found = str(uuid4()), queries.by_key
    first = await booked(who, slot(area), key=key)
    looked_up: list[object] = []

    async def late(session, key):
        looked_up.append(key)
        return await found(session, key) if len(looked_up) > unseen else None

    monkeypatch.setattr(queries, "by_key", late)
    assert await booked(who, slot(area), key=key) == first
    assert await taken(slot(area)) == 1


async def test_second_press_for_the_last_place_finds_what_the_first_one_has_booked(monkeypatch):
    area, who = await an_area(capacity=1), await a_customer()
    key, found = str(uuid4()), queries.by_key
    first = await booked(who, slot(area), key=key)
    looked_up: list[object] = []

    async def late(session, key):
        looked_up.append(key)
        return await found(session, key) if len(looked_up) > 1 else None

    monkeypatch.setattr(queries, "by_key", late)
    assert await booked(who, slot(area), key=key) == first


async def test_row_that_the_database_refuses_for_another_reason_is_an_error(monkeypatch):
    area, who = await an_area(), await a_customer()

    async def refused(*_):
        raise IntegrityError("", {}, Exception())

    monkeypatch.setattr(queries, "add", refused)
    with pytest.raises(IntegrityError):
        await booked(who, slot(area))


async def test_beyond_the_allowance_a_fill_costs_the_fee_and_its_tax():
    area, who = await an_area(), await a_customer(plan="solo")
    async with transaction() as session:
        await session.execute(update(Area).values(tax_basis_points=700))
    for day in (1, 2):
        assert (await booked(who, slot(area, day))).fills[0].pays_by == "allowance"
    seen = await seen_by(who, who.wants(slot(area, 3)))
    assert (seen.fills[0].pays_by, seen.fills[0].fee, seen.fills[0].tax) == (
        "fee",
        dollars(15),
        Money(105),
    )
    assert [line.amount for line in seen.lines] == ["$33.21", "$15.00", "$1.05"]
    assert str(seen.total) == "$49.26"
    assert seen.fills[0].spent == SpentFills(2, date(2026, 12, 23), "Family Plan")


@pytest.mark.parametrize("is_free", [False, True])
async def test_two_tabs_that_take_the_last_fill_leave_one_with_the_fee(monkeypatch, is_free):
    area = await an_area()
    if is_free:
        offer_free_fills(monkeypatch)
        who = await a_customer(state="incomplete")
    else:
        who = await a_customer(plan="solo")
        await booked(who, slot(area, 1))
    wanted = [who.wants(slot(area, day)) for day in (2, 3)]
    seen = [await seen_by(who, each) for each in wanted]
    presses = (
        bookings.book(who.actor, request, key=str(uuid4()), seen=estimate)
        for request, estimate in zip(wanted, seen, strict=True)
    )
    done = await asyncio.gather(*presses, return_exceptions=True)
    (lost,) = [each for each in done if isinstance(each, PriceChanged)]
    assert lost.estimate.fills[0].pays_by == "fee"
    assert len(await stored()) == (1 if is_free else 2)
    assert len(await rows(FreeFill)) == is_free


async def test_car_that_is_not_registered_is_a_guest_fill_of_big_family_once():
    area, who = await an_area(), await a_customer(plan="big-family")
    request = who.wants(slot(area, 2), car=CAR)
    seen = await seen_by(who, request)
    assert (seen.fills[0].pays_by, seen.lines[1].amount) == ("guest_fill", "Guest fill")
    found = await bookings.book(who.actor, request, key=str(uuid4()), seen=seen)
    assert found.fills[0].period is not None
    again = await seen_by(who, who.wants(slot(area, 3), car=CAR))
    assert (again.fills[0].pays_by, again.fills[0].spent) == ("fee", None)


async def test_free_first_fill_comes_once_per_person_plate_and_phone(monkeypatch):
    offer_free_fills(monkeypatch, dollars(20))
    area, who = await an_area(), await a_customer(state="incomplete")
    first = await booked(who, slot(area))
    [fill] = first.fills
    assert (fill.pays_by, fill.free_cap, fill.fee) == ("free_fill", dollars(20), Money(0))
    again = await seen_by(who, who.wants(slot(area, 2)))
    assert (again.fills[0].pays_by, again.fills[0].free_fill_used) == (
        "fee",
        "",
    )  # nothing to explain
    same_phone = await a_customer(3, phone="9415550001")
    seen = await seen_by(same_phone, same_phone.wants(slot(area)))
    assert (seen.fills[0].pays_by, seen.fills[0].free_fill_used) == ("allowance", "phone number")
    same_plate = await a_customer(2)
    assert (await seen_by(same_plate, same_plate.wants(slot(area)))).fills[0].pays_by == "free_fill"
    # What was promised and used before is said at the price, in the mail and on the booking.
    request = same_plate.wants(slot(area, 2), car=replace(CAR, license_plate="gul-1"))
    seen = await seen_by(same_plate, request)
    assert seen.lines[-1] == Line("Free first fill", "Already used for this plate")
    made = await bookings.book(same_plate.actor, request, key=str(uuid4()), seen=seen)
    assert (made.fills[0].pays_by, made.fills[0].free_fill_used) == ("fee", "plate")
    assert estimate_of(made).lines[-1] == seen.lines[-1]
    mails = await rows(Message, person_id=same_plate.id, kind="booking_confirmed")
    assert "Free first fill: Already used for this plate" in mails[0].payload["price"]


async def test_promise_ends_once_none_of_the_customers_cars_can_have_it(monkeypatch):
    offer_free_fills(monkeypatch)
    area, who = await an_area(), await a_customer()
    await booked(who, slot(area))
    async with transaction() as session:
        used = partial(access.find_free_fill_use, session)
        assert await used(who.id, "9415550001", ["GUL 1"]) == ""
        assert await used("other", "9415550009", ["gul-1"]) == "plate"
        assert await used("other", "9415550009", ["gul-1", "NEW 1"]) is None
        assert await used("other", "9415550009", []) is None
        assert await used("other", "9415550001", []) == "phone number"


@pytest.mark.parametrize("times_unseen", [0, 2])  # 2: used in the very same moment
async def test_plate_used_meanwhile_shows_the_price_without_the_free_fill(
    monkeypatch, times_unseen
):
    offer_free_fills(monkeypatch)
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    request = who.wants(slot(area), car=replace(CAR, license_plate="GUL 2"))
    seen = await seen_by(who, request)
    await booked(other, slot(area, 2))
    found, looked_up = queries.free_fills_used, []

    async def unused(session, wanted, **_more):
        looked_up.append(wanted)
        return await found(session, wanted) if len(looked_up) > times_unseen else []

    monkeypatch.setattr(queries, "free_fills_used", unused)
    with pytest.raises(FreeFillUsed) as raised:
        await bookings.book(who.actor, request, key=str(uuid4()), seen=seen)
    assert raised.value.estimate.fills[0].pays_by == "fee"
    assert len(await rows(FreeFill)) == len(await stored()) == 1


async def test_lowered_capacity_keeps_what_is_booked_and_takes_no_more():
    area = await an_area(capacity=5)
    first, second, third = [await a_customer(number) for number in range(1, 4)]
    await booked(first, slot(area))
    await set_capacity(area, 2)
    await booked(second, slot(area))
    assert len(await rows(SlotSeat, slot_id=slot(area))) == 2  # free ones have gone
    await set_capacity(area, 1)
    with pytest.raises(SlotFull):
        await booked(third, slot(area))
    assert await taken(slot(area)) == 2
    await set_capacity(area, 3)
    await booked(third, slot(area))
    assert await taken(slot(area)) == len(await rows(SlotSeat, slot_id=slot(area))) == 3


async def set_capacity(area, capacity):
    async with transaction() as session:
        await area_queries.set_week(session, area, default_week(capacity))


async def test_estimate_uses_the_average_of_the_cars_fills():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area))
    async with transaction() as session:
        await session.execute(update(StoredBooking).values(state="completed"))
        values = {"outcome": "filled", "filled_milligallons": 11250}
        await session.execute(update(StoredFill).values(values))
    [seen] = (await seen_by(who, who.wants(slot(area, 2)))).fills
    assert (seen.milligallons, seen.gallons) == (11250, "11.3")
    assert await access.past(who.actor) == (await access.find(who.actor, found.id),)
    assert await access.upcoming(who.actor) == ()


async def test_staff_book_for_a_customer_with_a_reason_until_the_window_ends():
    area, who = await an_area(), await a_customer()
    request = who.wants(slot(area, 0))  # of today at 8, and it is 10
    seen = await bookings.estimate_fill(STAFF, who.wants(slot(area, 0, 10)), customer_id=who.id)
    more = {"key": str(uuid4()), "seen": seen, "customer_id": who.id}
    with pytest.raises(NeedsReason):
        await bookings.book(STAFF, request, **more)
    found = await bookings.book(STAFF, request, **more, reason="Asked by phone")
    (event,) = await access.list_steps(found.id)
    assert (event.actor, event.note) == ("shared password", "Asked by phone")
    assert found.person_id == who.id
    assert await access.find(STAFF, found.id) == found


async def test_who_books_for_whom_is_checked():
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    for sent in ("", None, 7, "x", []):
        with pytest.raises(CustomerGone):
            await bookings.estimate_fill(STAFF, Request("", (CAR,), PLACE), customer_id=sent)
    with pytest.raises(NotAllowed):
        await bookings.estimate_fill(replace(who.actor, roles=frozenset()), who.wants(""))
    found = await booked(who, slot(area), customer_id=other.id)
    assert found.person_id == who.id
    assert await access.find(other.actor, found.id) is None
    assert await access.find(who.actor, ["x"]) is None


async def test_guest_books_and_is_notified_by_email_alone():
    area = await an_area()
    found = await booked_by_guest(slot(area, 3))
    assert (found.person_id, found.fills[0].pays_by, found.fills[0].fee) == ("", "fee", dollars(15))
    (row,) = await stored()
    assert (row.guest_email, row.terms_version != "") == ("gus@example.com", True)
    messages = await rows(Message)
    assert {(each.recipient, each.channel) for each in messages} == {("gus@example.com", "mail")}
    guest = access.guest_of(access.manage_token(found))
    assert guest is not None
    assert await access.find(guest, found.id) == found
    assert await access.find(guest, str(uuid4())) is None
    (event,) = await access.list_steps(found.id)
    assert event.actor == "guest"
    for forged in ("", None, 7, "x", "019ab000-0000-7000-8000-000000000000.x"):
        assert access.guest_of(forged) is None


async def test_guest_needs_a_card_and_cannot_name_a_saved_vehicle_or_address():
    area, who = await an_area(), await a_customer()
    with pytest.raises(NeedsCard):
        await booked_by_guest(slot(area), payer_key="other")
    with pytest.raises(CarGone):
        await bookings.estimate_fill(None, who.wants(slot(area)))
    with pytest.raises(LocationGone):
        await bookings.estimate_fill(None, who.wants(slot(area), car=CAR))


async def test_a_customer_books_so_many_fills_in_an_hour_and_staff_more():
    area, who = await an_area(), await a_customer()
    for _ in range(OWN_BOOKINGS.times):
        await throttle().spend(OWN_BOOKINGS, who.id)
    with pytest.raises(TooManyRequests):
        await booked(who, slot(area))
    request = who.wants(slot(area))
    given = {"customer_id": who.id, "reason": "By phone", "seen": await seen_by(who, request)}
    assert await bookings.book(STAFF, request, key=str(uuid4()), **given)


async def test_guests_cannot_fill_one_mailbox():
    area = await an_area()
    for number in range(8):
        await booked_by_guest(slot(area, 1 + number % 4), car=another_car(number))
    with pytest.raises(TooManyRequests):
        await booked_by_guest(slot(area, 2))
