"""Booking a fill: what it stores, and what it costs."""

import asyncio
from dataclasses import replace
from functools import partial
from uuid import uuid4

import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from fuel_app.areas import queries as area_queries
from fuel_app.areas.rules.hours import default_week
from fuel_app.areas.tables import Area
from fuel_app.bookings import queries
from fuel_app.bookings.rules.bookings import BookingGone, SlotFull, free_fill_note
from fuel_app.bookings.rules.estimates import FreeFillUsed, Line, PriceChanged, estimate_of
from fuel_app.bookings.service import access, bookings
from fuel_app.bookings.tables import FreeFill, SlotPlace
from fuel_app.customers.service.account import FreeFillOffer
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money, dollars
from fuel_app.kit.outbox import Message
from tests.helpers.bookings import (
    CAR,
    CONTACT,
    MILLS,
    a_customer,
    an_area,
    booked,
    booked_by_guest,
    seen_by,
    slot,
    stored,
    taken,
)
from tests.helpers.people import rows
from tests.helpers.plans import all_fills_left

pytestmark = pytest.mark.usefixtures("database", "_clock")


async def test_booking_takes_a_place_and_a_fill_and_is_told_with_its_reminders():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area, 3))
    assert (found.state, found.revision, found.pays_by) == ("booked", 1, "allowance")
    assert found.when == "Thursday, November 26, 2026, 08:00 AM - 10:00 AM"
    assert (found.price.mills, found.estimated_milligallons) == (MILLS, 9600)
    assert (found.car.name, found.place.line) == (
        "2020 Toyota Camry",
        "100 Main St, Sarasota, FL 34236",
    )
    assert await taken(found.slot_id) == 1
    assert await all_fills_left() == [3]
    kinds = [each.kind for each in await rows(Message, person_id=who.id)]
    assert sorted(set(kinds)) == ["booking_confirmed", "day_before", "hour_before"]
    (event,) = await access.list_steps(who.actor, found.id)
    assert (event.kind, event.state, event.actor) == ("book", "booked", "Ada Lovelace")
    assert await access.find(who.actor, found.id) == found


async def test_booking_for_tomorrow_has_no_reminder_a_day_before_that_is_over():
    area, who = await an_area(), await a_customer()
    await booked(who, slot(area, 1))
    kinds = {each.kind for each in await rows(Message, person_id=who.id)}
    assert kinds == {"booking_confirmed", "hour_before"}


async def test_double_click_books_once():
    area, who = await an_area(), await a_customer()
    key = str(uuid4())
    first = await booked(who, slot(area), key=key)
    assert await booked(who, slot(area), key=key) == first
    assert await taken(slot(area)) == 1


async def test_key_that_another_process_uses_in_the_same_moment_finds_its_booking(monkeypatch):
    area, who = await an_area(), await a_customer()
    key, found = str(uuid4()), queries.by_key
    first = await booked(who, slot(area), key=key)
    looked_up: list[object] = []

    async def late(session, key):
        looked_up.append(key)
        return await found(session, key) if len(looked_up) > 2 else None

    monkeypatch.setattr(queries, "by_key", late)
    assert await booked(who, slot(area), key=key) == first
    assert await taken(slot(area)) == 1


async def test_row_that_the_database_refuses_for_another_reason_is_an_error(monkeypatch):
    area, who = await an_area(), await a_customer()

    async def refused(*_):
        raise IntegrityError("", {}, Exception())

    monkeypatch.setattr(queries, "add", refused)
    with pytest.raises(IntegrityError):
        await booked(who, slot(area))


async def test_key_of_another_customer_books_nothing():
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    key = str(uuid4())
    await booked(who, slot(area), key=key)
    with pytest.raises(BookingGone):
        await booked(other, slot(area), key=key)


async def test_key_of_another_guest_books_nothing():
    area, key = await an_area(), str(uuid4())
    await booked_by_guest(slot(area), key=key)
    other = CONTACT.model_copy(update={"email": "other@example.com"})
    with pytest.raises(BookingGone):
        await booked_by_guest(slot(area), other, key=key)
    assert len(await stored()) == 1


async def test_beyond_the_allowance_a_fill_costs_the_fee_and_its_tax():
    area, who = await an_area(), await a_customer(plan="solo")
    async with transaction() as session:
        await session.execute(update(Area).values(tax_basis_points=700))
    for day in (1, 2):
        assert (await booked(who, slot(area, day))).pays_by == "allowance"
    seen = await seen_by(who, who.wants(slot(area, 3)))
    assert (seen.pays_by, seen.fee, seen.tax) == ("fee", dollars(15), Money(105))
    assert [line.amount for line in seen.lines] == ["$33.21", "$15.00", "$1.05"]
    assert str(seen.total) == "$49.26"


async def test_two_tabs_that_take_the_last_fill_leave_one_with_the_fee():
    area, who = await an_area(), await a_customer(plan="solo")
    await booked(who, slot(area, 1))
    first, second = await at_once((who, slot(area, 2)), (who, slot(area, 3)))
    lost = first if isinstance(first, PriceChanged) else second
    assert isinstance(lost, PriceChanged)
    assert lost.estimate.pays_by == "fee"
    assert len(await stored()) == 2


async def at_once(*presses):
    """Let customers press the button at once, each for a slot, with what they have seen."""
    ready = [
        (who, who.wants(where), await seen_by(who, who.wants(where))) for who, where in presses
    ]
    return await asyncio.gather(
        *[bookings.book(who.actor, of, key=str(uuid4()), seen=seen) for who, of, seen in ready],
        return_exceptions=True,
    )


async def test_car_that_is_not_registered_is_a_guest_fill_of_big_family_once():
    area, who = await an_area(), await a_customer(plan="big-family")
    request = who.wants(slot(area, 2), car=CAR)
    seen = await seen_by(who, request)
    assert (seen.pays_by, seen.lines[1].amount) == ("guest_fill", "Guest fill")
    found = await bookings.book(who.actor, request, key=str(uuid4()), seen=seen)
    assert found.period is not None
    assert (await seen_by(who, who.wants(slot(area, 3), car=CAR))).pays_by == "fee"


@pytest.fixture
def _free_fill(monkeypatch):
    async def offers(_, wanted):
        return dict.fromkeys(wanted, FreeFillOffer(dollars(20)))

    monkeypatch.setattr(bookings, "free_fills", offers)


@pytest.mark.usefixtures("_free_fill")
async def test_free_first_fill_comes_once_per_person_plate_and_phone():
    area, who = await an_area(), await a_customer(state="incomplete")
    first = await booked(who, slot(area))
    assert (first.pays_by, first.free_cap, first.fee) == ("free_fill", dollars(20), Money(0))
    assert (await seen_by(who, who.wants(slot(area, 2)))).pays_by == "fee"
    same_plate = await a_customer(2)
    used = replace(CAR, license_plate="gul-1")
    assert (await seen_by(same_plate, same_plate.wants(slot(area), car=used))).pays_by == "fee"
    same_phone = await a_customer(3, phone="9415550001")
    assert (await seen_by(same_phone, same_phone.wants(slot(area)))).pays_by == "allowance"
    assert (await seen_by(same_plate, same_plate.wants(slot(area)))).pays_by == "free_fill"


@pytest.mark.usefixtures("_free_fill")
async def test_free_fill_that_was_used_before_is_said_at_the_price_in_the_mail_and_on_the_booking():
    area, who = await an_area(), await a_customer()
    await booked(who, slot(area))
    assert (await seen_by(who, who.wants(slot(area, 2)))).free_fill_used == ""  # by themselves
    other = await a_customer(2, state="incomplete")
    request = other.wants(slot(area, 2), car=replace(CAR, license_plate="gul-1"))
    seen = await seen_by(other, request)
    assert seen.lines[-1] == Line("Free first fill", "Already used for this plate")
    made = await bookings.book(other.actor, request, key=str(uuid4()), seen=seen)
    assert (made.pays_by, made.free_fill_used) == ("fee", "plate")
    assert estimate_of(made).lines[-1].amount == "Already used for this plate"
    told = [each for each in await rows(Message) if each.person_id == other.id]
    says = next(each.payload for each in told if each.kind == "booking_confirmed")
    assert "Free first fill: Already used for this plate" in says["price"]


@pytest.mark.usefixtures("_free_fill")
async def test_phone_of_a_used_free_fill_is_named_without_whose_it_was():
    area, who = await an_area(), await a_customer()
    await booked(who, slot(area))
    same_phone = await a_customer(3, phone="9415550001")
    seen = await seen_by(same_phone, same_phone.wants(slot(area)))
    assert free_fill_note(seen.free_fill_used) == (
        "The free first fill was already used for this phone number."
    )


@pytest.mark.usefixtures("_free_fill")
async def test_promise_ends_once_none_of_the_customers_cars_can_have_it():
    area, who = await an_area(), await a_customer()
    await booked(who, slot(area))
    async with transaction() as session:
        used = partial(access.find_free_fill_use, session)
        assert await used(who.id, "9415550001", ["GUL 1"]) == ""
        assert await used("other", "9415550009", ["gul-1"]) == "plate"
        assert await used("other", "9415550009", ["gul-1", "NEW 1"]) is None
        assert await used("other", "9415550009", []) is None
        assert await used("other", "9415550001", []) == "phone number"


@pytest.mark.usefixtures("_free_fill")
async def test_plate_already_used_for_a_free_fill_shows_the_price_without_it():
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    request = who.wants(slot(area), car=replace(CAR, license_plate="GUL 2"))
    seen = await seen_by(who, request)
    await booked(other, slot(area, 2))
    with pytest.raises(PriceChanged) as raised:
        await bookings.book(who.actor, request, key=str(uuid4()), seen=seen)
    assert raised.value.estimate.pays_by == "fee"
    assert len(await rows(FreeFill)) == len(await stored()) == 1


@pytest.mark.usefixtures("_free_fill")
async def test_two_tabs_that_take_the_free_fill_leave_one_without_it():
    area, who = await an_area(), await a_customer(state="incomplete")
    first, second = await at_once((who, slot(area, 2)), (who, slot(area, 3)))
    lost = first if isinstance(first, PriceChanged) else second
    assert isinstance(lost, PriceChanged)
    assert lost.estimate.pays_by == "fee"
    assert len(await rows(FreeFill)) == len(await stored()) == 1


@pytest.mark.usefixtures("_free_fill")
async def test_plate_used_in_the_same_moment_shows_the_price_without_the_free_fill(monkeypatch):
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    request = who.wants(slot(area), car=replace(CAR, license_plate="GUL 2"))
    seen = await seen_by(who, request)
    await booked(other, slot(area, 2))

    async def unused(*_):
        return []

    monkeypatch.setattr(queries, "free_fills_used", unused)
    with pytest.raises(FreeFillUsed) as raised:
        await bookings.book(who.actor, request, key=str(uuid4()), seen=seen)
    assert raised.value.estimate.pays_by == "fee"
    assert len(await rows(FreeFill)) == len(await stored()) == 1


async def test_capacity_lowered_below_what_is_booked_keeps_it_and_takes_no_more():
    area = await an_area(capacity=3)
    everyone = [await a_customer(number) for number in range(1, 4)]
    for each in everyone[:2]:
        await booked(each, slot(area))
    async with transaction() as session:
        await area_queries.set_week(session, area, default_week(1))
    await refused_for_third(everyone[2], slot(area))
    async with transaction() as session:
        await area_queries.set_week(session, area, default_week(3))
    await booked(everyone[2], slot(area))
    assert await taken(slot(area)) == 3
    assert len(await rows(SlotPlace, slot_id=slot(area))) == 3


async def refused_for_third(who, slot_id):
    with pytest.raises(SlotFull):
        await booked(who, slot_id)
    assert await taken(slot_id) == 2


async def test_free_places_go_when_the_capacity_is_lowered():
    area, who, other = await an_area(capacity=5), await a_customer(), await a_customer(2)
    await booked(who, slot(area))
    async with transaction() as session:
        await area_queries.set_week(session, area, default_week(2))
    await booked(other, slot(area))
    assert len(await rows(SlotPlace, slot_id=slot(area))) == 2


async def test_estimate_uses_the_average_of_the_cars_fills():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area))
    async with transaction() as session:
        table = type((await stored())[0])
        values = {"state": "completed", "filled_milligallons": 11250}
        await session.execute(update(table).values(values))
    seen = await seen_by(who, who.wants(slot(area, 2)))
    assert (seen.milligallons, seen.gallons) == (11250, "11.3")
    assert (await access.past(who.actor)) == (await access.find(who.actor, found.id),)
    assert await access.upcoming(who.actor) == ()
