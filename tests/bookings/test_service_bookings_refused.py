"""Booking a fill: each thing that is refused, with nothing half done."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import OperationalError

from fuel_app.accounts.rules import AccountGone
from fuel_app.areas import queries as area_queries
from fuel_app.areas.rules.hours import ALL_DAY, DayException
from fuel_app.areas.tables import Area
from fuel_app.bookings import queries
from fuel_app.bookings.rules.bookings import (
    AreaPaused,
    CarBooked,
    CarGone,
    GradeNotOffered,
    LocationGone,
    NeedsCard,
    NeedsPin,
    NeedsVerifiedEmail,
    NoPrice,
    OtherArea,
    OutsideArea,
    PastDue,
    SlotClosed,
    SlotFull,
    SlotPast,
    SpotRefused,
)
from fuel_app.bookings.rules.estimates import PriceChanged
from fuel_app.bookings.service import bookings, changes, slots
from fuel_app.bookings.tables import BookingEvent
from fuel_app.customers.tables import StoredAddress, StoredCustomer, StoredVehicle
from fuel_app.kit import outbox
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from tests.helpers.bookings import (
    CAR,
    MILLS,
    NOW,
    PLACE,
    STAFF,
    a_customer,
    an_area,
    another_car,
    at,
    booked,
    booked_by_guest,
    seen_by,
    set_price,
    slot,
    stored,
    taken,
)
from tests.helpers.open_area import ELSEWHERE_ZIP
from tests.helpers.people import rows
from tests.helpers.plans import all_fills_left

pytestmark = pytest.mark.usefixtures("database", "_clock")


async def refused(who, request, refusal, *, seen=None, **more):
    """Try to book, and check that nothing is half done."""
    seen = seen or await seen_by(who, request)
    before = len(await stored())
    with pytest.raises(refusal) as raised:
        await bookings.book(who.actor, request, key=str(uuid4()), seen=seen, **more)
    assert len(await stored()) == before
    assert len(await rows(BookingEvent)) == before
    if isinstance(request.slot_id, str):
        assert await taken(request.slot_id) == before
    return raised.value


async def test_full_slot_is_refused():
    area, who, other = await an_area(capacity=1), await a_customer(), await a_customer(2)
    await booked(other, slot(area))
    await refused(who, who.wants(slot(area)), SlotFull)
    (day, *_) = await slots.offered(who.actor, PLACE.zip_code)
    assert [(each.is_open, each.note) for each in day.slots][:2] == [
        (False, "Full"),
        (True, "1 left"),
    ]


async def test_closed_slot_is_refused_with_its_reason():
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area)))
    async with transaction() as session:
        closure = DayException(NOW.date() + timedelta(days=1), ALL_DAY, 0, "Storm")
        await area_queries.set_exceptions(session, area, NOW.date(), (closure,))
    error = await refused(who, who.wants(slot(area)), SlotClosed, seen=seen)
    assert "Storm" in str(error)
    (day, *_) = await slots.offered(who.actor, PLACE.zip_code)
    assert {(each.is_open, each.note) for each in day.slots} == {(False, "Closed: Storm")}


async def test_slot_that_is_none_is_refused():
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area)))
    for sent in ("", None, 7, [], {}, "x", "-2026-11-24-08", "0" * 36 + "-1-08"):
        await refused(who, who.wants(sent), SlotClosed, seen=seen)


async def test_window_that_cannot_be_booked_is_refused():
    area, who = await an_area(), await a_customer()
    with pytest.raises(SlotClosed):  # the area has none at noon
        await seen_by(who, who.wants(slot(area, 1, 12)))
    for day in (-2, 0, 15):  # past, and beyond the horizon
        with pytest.raises(SlotPast):
            await seen_by(who, who.wants(slot(area, day)))
    with pytest.raises(OtherArea):
        await seen_by(who, who.wants(slot(str(uuid4()))))


async def test_slot_that_closes_between_the_estimate_and_the_button_is_refused(monkeypatch):
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area)))
    at(monkeypatch, NOW + timedelta(hours=10, seconds=1))  # 20:00:01
    await refused(who, who.wants(slot(area)), SlotPast, seen=seen)


async def test_address_outside_the_area_leads_to_the_waitlist():
    area, who = await an_area(), await a_customer()
    outside = replace(PLACE, zip_code=ELSEWHERE_ZIP)
    with pytest.raises(OutsideArea) as raised:
        await seen_by(who, who.wants(slot(area), place=outside))
    assert raised.value.zip_code == ELSEWHERE_ZIP
    with pytest.raises(OutsideArea):
        await slots.offered(None, ELSEWHERE_ZIP)


@pytest.mark.parametrize(
    ("change", "refusal"),
    [
        (update(Area).values(status="paused"), AreaPaused),
        (delete(StoredVehicle), CarGone),
        (delete(StoredAddress), LocationGone),
        (delete(StoredCustomer), AccountGone),
    ],
)
async def test_what_is_gone_or_paused_meanwhile_is_refused(change, refusal):
    area, who = await an_area(), await a_customer()
    typed = {"car": CAR, "place": PLACE} if refusal is AccountGone else {}
    request = who.wants(slot(area), **typed)
    seen = await seen_by(who, request)
    async with transaction() as session:
        await session.execute(change)
    await refused(who, request, refusal, seen=seen)


async def test_vehicle_and_address_of_another_customer_are_refused():
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    with pytest.raises(CarGone):
        await seen_by(who, who.wants(slot(area), car=other.car_id))
    with pytest.raises(LocationGone):
        await seen_by(who, who.wants(slot(area), place=other.place_id))


async def test_price_changed_meanwhile_is_shown_before_booking():
    area, who = await an_area(), await a_customer()
    request = who.wants(slot(area))
    seen = await seen_by(who, request)
    await set_price(area, MILLS + 100, NOW)
    error = await refused(who, request, PriceChanged, seen=seen)
    assert error.estimate.fills[0].mills == MILLS + 100
    found = await bookings.book(who.actor, request, key=str(uuid4()), seen=error.estimate)
    assert found.fills[0].price.mills == MILLS + 100


async def test_grade_without_a_fresh_price_or_not_offered_is_refused(monkeypatch):
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area)))
    with pytest.raises(GradeNotOffered):
        await seen_by(who, who.wants(slot(area), car=replace(CAR, grade="kerosene")))
    async with transaction() as session:
        await session.execute(update(Area).values(grades="regular,plus"))
    with pytest.raises(GradeNotOffered):
        await seen_by(who, who.wants(slot(area), car=replace(CAR, grade="diesel")))
    at(monkeypatch, NOW + timedelta(days=20))
    await refused(who, who.wants(slot(area, 21)), NoPrice, seen=seen)


async def test_place_that_cannot_be_filled_at_is_refused():
    area, who = await an_area(), await a_customer()
    for spot, why in (
        ("Garage or covered", "covered"),
        ("Street", "in the street"),
        ("Roof", "covered"),
    ):
        with pytest.raises(SpotRefused, match=why):
            await seen_by(who, who.wants(slot(area), place=replace(PLACE, spot=spot)))
    request = who.wants(slot(area), place=replace(PLACE, is_approximate=True))
    with pytest.raises(NeedsPin):
        await seen_by(who, request)
    assert await bookings.estimate_fill(STAFF, request, customer_id=who.id)
    async with transaction() as session:
        await session.execute(update(Area).values(streets_allowed=True))
    assert await seen_by(who, who.wants(slot(area), place=replace(PLACE, spot="Street")))


async def test_what_the_customer_lacks_is_refused():
    area = await an_area()
    unverified = await a_customer(email_verified_at=None)
    await refused(unverified, unverified.wants(slot(area)), NeedsVerifiedEmail)
    without_card = await a_customer(2, has_card=False)
    await refused(without_card, without_card.wants(slot(area)), NeedsCard)
    owing = await a_customer(3, state="past_due")
    with pytest.raises(PastDue):
        await seen_by(owing, owing.wants(slot(area)))


@pytest.mark.parametrize("broken", [(outbox, "add_all"), (queries, "take_seat")])
async def test_database_that_goes_away_leaves_nothing_half_done(monkeypatch, broken):
    area, who = await an_area(), await a_customer()
    request = who.wants(slot(area))
    seen = await seen_by(who, request)

    async def gone(*_args, **_more):
        raise OperationalError("", {}, Exception())

    with monkeypatch.context() as patched:
        patched.setattr(*broken, gone)
        await refused(who, request, OperationalError, seen=seen)
    assert await all_fills_left() == []
    assert await bookings.book(who.actor, request, key=str(uuid4()), seen=seen)


async def test_car_is_booked_once_in_a_window_and_says_where():
    area, who, other = await an_area(), await a_customer(1), await a_customer(2)
    made = await booked(who, slot(area))
    with pytest.raises(CarBooked, match="2020 Toyota Camry has a fill-up") as refused:
        await booked(who, slot(area))
    assert refused.value.booking_id == made.id
    later = await booked(who, slot(area, 2))
    with pytest.raises(CarBooked):
        await changes.move(who.actor, later.id, 1, slot(area))
    same_plate = replace(CAR, license_plate="gul-1")
    with pytest.raises(CarBooked):
        await booked(who, slot(area), car=same_plate)
    assert await booked(other, slot(area), car=same_plate)  # another's is another's matter
    await changes.cancel(who.actor, made.id, 1, seen_fee=Money(0))
    assert await booked(who, slot(area))


async def test_guest_books_a_car_once_in_a_window():
    area = await an_area()
    made = await booked_by_guest(slot(area))
    with pytest.raises(CarBooked) as refused:
        await booked_by_guest(slot(area))
    assert refused.value.booking_id == made.id
    assert await booked_by_guest(slot(area), car=another_car(2))


async def test_booking_without_the_key_of_its_tab_is_a_mistake():
    area, who = await an_area(), await a_customer()
    with pytest.raises(ValueError, match="key"):
        await booked(who, slot(area), key="")
    assert await stored() == []
