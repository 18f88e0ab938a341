"""Booking a fill: what it stores, and each thing that is refused."""

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import delete, update
from sqlalchemy.exc import OperationalError

from fuel_app.accounts.rules import NotAllowed
from fuel_app.accounts.rules.details import AccountGone
from fuel_app.areas.queries import hours
from fuel_app.areas.rules.hours import ALL_DAY, DayException, default_week
from fuel_app.areas.tables import Area
from fuel_app.bookings.queries import places
from fuel_app.bookings.rules.bookings import (
    AreaPaused,
    BookingGone,
    CarGone,
    GradeNotOffered,
    NeedsCard,
    NeedsPin,
    NeedsReason,
    NeedsVerifiedEmail,
    NoPrice,
    OtherArea,
    OutsideArea,
    PastDue,
    PlaceGone,
    Request,
    SlotClosed,
    SlotFull,
    SlotPast,
    SpotRefused,
)
from fuel_app.bookings.rules.estimates import FreeFillUsed, PriceChanged
from fuel_app.bookings.service import booking, estimating, reading, slots, telling
from fuel_app.bookings.tables import BookingEvent, FreeFill, SlotPlace
from fuel_app.customers.rules.listing import CustomerGone
from fuel_app.customers.service.free_fill import FreeFillOffer
from fuel_app.customers.tables import StoredAddress, StoredCustomer, StoredVehicle
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money, dollars
from fuel_app.kit.outbox import Message
from fuel_app.plans.tables import LedgerBalance
from tests.helpers.bookings import (
    CAR,
    MILLS,
    NOW,
    PLACE,
    STAFF,
    a_customer,
    an_area,
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

pytestmark = pytest.mark.usefixtures("database", "_clock")


@pytest.fixture
def _clock(monkeypatch):
    at(monkeypatch, NOW)


async def refused(who, request, refusal, *, seen=None, **more):
    """Try to book, and check that nothing is half done."""
    seen = seen or await seen_by(who, request)
    before = len(await stored())
    with pytest.raises(refusal) as raised:
        await booking.book(who.actor, request, key=str(uuid4()), seen=seen, **more)
    assert len(await stored()) == before
    assert len(await rows(BookingEvent)) == before
    if isinstance(request.slot_id, str):
        assert await taken(request.slot_id) == before
    return raised.value


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
    (balance,) = await rows(LedgerBalance)
    assert balance.balance == 3
    kinds = [each.kind for each in await rows(Message, person_id=who.id)]
    assert sorted(set(kinds)) == ["booking_confirmed", "day_before", "hour_before"]
    (event,) = await reading.events(who.actor, found.id)
    assert (event.kind, event.state, event.actor) == ("book", "booked", "Ada Lovelace")
    assert await reading.find(who.actor, found.id) == found


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


async def test_key_of_another_customer_books_nothing():
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    key = str(uuid4())
    await booked(who, slot(area), key=key)
    with pytest.raises(BookingGone):
        await booked(other, slot(area), key=key)


async def test_full_slot_is_refused():
    area, who, other = await an_area(capacity=1), await a_customer(), await a_customer(2)
    await booked(other, slot(area))
    await refused(who, who.wants(slot(area)), SlotFull)
    (day, *_) = await slots.offered(who.actor, PLACE.zip_code)
    assert [(each.state, each.note) for each in day.slots][:2] == [
        ("full", "Full"),
        ("few", "1 left"),
    ]


async def test_closed_slot_is_refused_with_its_reason():
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area)))
    async with transaction() as session:
        closure = DayException(NOW.date() + timedelta(days=1), ALL_DAY, 0, "Storm")
        await hours.set_exceptions(session, area, NOW.date(), (closure,))
    error = await refused(who, who.wants(slot(area)), SlotClosed, seen=seen)
    assert "Storm" in str(error)
    (day, *_) = await slots.offered(who.actor, PLACE.zip_code)
    assert {(each.state, each.note) for each in day.slots} == {("closed", "Closed: Storm")}


@pytest.mark.parametrize("sent", ["", None, 7, [], {}, "x", "-2026-11-24-08", "0" * 36 + "-1-08"])
async def test_slot_that_is_none_is_refused(sent):
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area)))
    await refused(who, who.wants(sent), SlotClosed, seen=seen)


async def test_window_that_the_area_does_not_have_is_refused():
    area, who = await an_area(), await a_customer()
    with pytest.raises(SlotClosed):
        await seen_by(who, who.wants(slot(area, 1, 12)))


@pytest.mark.parametrize("day", [-2, 0, 15])
async def test_past_slot_and_one_beyond_the_horizon_are_refused(day):
    area, who = await an_area(), await a_customer()
    with pytest.raises(SlotPast):
        await seen_by(who, who.wants(slot(area, day)))


async def test_slot_that_closes_between_the_estimate_and_the_button_is_refused(monkeypatch):
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area)))
    at(monkeypatch, NOW + timedelta(hours=10, seconds=1))  # 20:00:01
    await refused(who, who.wants(slot(area)), SlotPast, seen=seen)


async def test_slot_of_another_area_is_refused():
    await an_area()
    who = await a_customer()
    with pytest.raises(OtherArea):
        await seen_by(who, who.wants(slot(str(uuid4()))))


async def test_address_outside_the_area_leads_to_the_waitlist():
    area, who = await an_area(), await a_customer()
    outside = replace(PLACE, zip_code=ELSEWHERE_ZIP)
    with pytest.raises(OutsideArea) as raised:
        await seen_by(who, who.wants(slot(area), place=outside))
    assert raised.value.zip_code == ELSEWHERE_ZIP
    with pytest.raises(OutsideArea):
        await slots.offered(None, ELSEWHERE_ZIP)


async def test_area_paused_meanwhile_is_refused():
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area)))
    async with transaction() as session:
        await session.execute(update(Area).values(status="paused"))
    await refused(who, who.wants(slot(area)), AreaPaused, seen=seen)


async def test_area_paused_in_the_moment_of_booking_is_refused(monkeypatch):
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area)))
    plan = estimating.plan

    async def paused_after(*args, **more):
        found = await plan(*args, **more)
        async with transaction() as session:
            await session.execute(update(Area).values(status="paused"))
        return found

    monkeypatch.setattr(estimating, "plan", paused_after)
    await refused(who, who.wants(slot(area)), AreaPaused, seen=seen)


async def test_vehicle_deleted_meanwhile_is_refused():
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area)))
    async with transaction() as session:
        await session.execute(delete(StoredVehicle))
    await refused(who, who.wants(slot(area)), CarGone, seen=seen)


async def test_address_deleted_meanwhile_is_refused():
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area)))
    async with transaction() as session:
        await session.execute(delete(StoredAddress))
    await refused(who, who.wants(slot(area)), PlaceGone, seen=seen)


async def test_vehicle_and_address_of_another_customer_are_refused():
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    with pytest.raises(CarGone):
        await seen_by(who, who.wants(slot(area), car=other.car_id))
    with pytest.raises(PlaceGone):
        await seen_by(who, who.wants(slot(area), place=other.place_id))


async def test_price_changed_meanwhile_is_shown_before_booking():
    area, who = await an_area(), await a_customer()
    request = who.wants(slot(area))
    seen = await seen_by(who, request)
    await set_price(area, MILLS + 100, NOW)
    error = await refused(who, request, PriceChanged, seen=seen)
    assert error.estimate.mills == MILLS + 100
    found = await booking.book(who.actor, request, key=str(uuid4()), seen=error.estimate)
    assert found.price.mills == MILLS + 100


async def test_grade_without_a_fresh_price_is_refused(monkeypatch):
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area)))
    at(monkeypatch, NOW + timedelta(days=20))
    await refused(who, who.wants(slot(area, 21)), NoPrice, seen=seen)


async def test_grade_that_the_area_does_not_offer_is_refused():
    area, who = await an_area(), await a_customer()
    for grade in ("kerosene", "diesel"):
        async with transaction() as session:
            await session.execute(update(Area).values(grades="regular,plus"))
        with pytest.raises(GradeNotOffered):
            await seen_by(who, who.wants(slot(area), grade=grade))


@pytest.mark.parametrize(
    ("spot", "said"),
    [("Garage or covered", "covered garages"), ("Street", "in the street"), ("Roof", "covered")],
)
async def test_covered_garage_and_street_are_refused(spot, said):
    area, who = await an_area(), await a_customer()
    with pytest.raises(SpotRefused, match=said):
        await seen_by(who, who.wants(slot(area), place=replace(PLACE, spot=spot)))


async def test_street_is_allowed_where_the_area_says_so():
    area, who = await an_area(), await a_customer()
    async with transaction() as session:
        await session.execute(update(Area).values(streets_allowed=True))
    assert await seen_by(who, who.wants(slot(area), place=replace(PLACE, spot="Street")))


async def test_approximate_place_needs_its_pin_except_for_staff():
    area, who = await an_area(), await a_customer()
    request = who.wants(slot(area), place=replace(PLACE, is_approximate=True))
    with pytest.raises(NeedsPin):
        await seen_by(who, request)
    assert await booking.estimate(STAFF, request, customer_id=who.id)


async def test_unverified_email_and_missing_card_are_refused():
    area = await an_area()
    who = await a_customer(email_verified_at=None)
    await refused(who, who.wants(slot(area)), NeedsVerifiedEmail)
    without = await a_customer(2, has_card=False)
    await refused(without, without.wants(slot(area)), NeedsCard)


async def test_open_payment_of_the_plan_blocks_booking():
    area, who = await an_area(), await a_customer(state="past_due")
    with pytest.raises(PastDue):
        await seen_by(who, who.wants(slot(area)))


async def test_closed_account_books_nothing():
    area, who = await an_area(), await a_customer()
    seen = await seen_by(who, who.wants(slot(area), car=CAR, place=PLACE))
    async with transaction() as session:
        await session.execute(delete(StoredCustomer))
    await refused(who, who.wants(slot(area), car=CAR, place=PLACE), AccountGone, seen=seen)


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


async def test_last_fill_taken_meanwhile_shows_the_price_with_the_fee(monkeypatch):
    area, who = await an_area(), await a_customer(plan="solo")
    await booked(who, slot(area, 1))
    request = who.wants(slot(area, 3))
    seen, plan, calls = await seen_by(who, request), estimating.plan, []

    async def taken_after(*args, **more):
        found = await plan(*args, **more)
        calls.append(found)
        if len(calls) == 1:
            await booked(who, slot(area, 2))
        return found

    monkeypatch.setattr(estimating, "plan", taken_after)
    with pytest.raises(PriceChanged) as raised:
        await booking.book(who.actor, request, key=str(uuid4()), seen=seen)
    assert raised.value.estimate.pays_by == "fee"
    assert await taken(slot(area, 3)) == 0


async def test_car_that_is_not_registered_is_a_guest_fill_of_big_family_once():
    area, who = await an_area(), await a_customer(plan="big-family")
    request = who.wants(slot(area, 2), car=CAR)
    seen = await seen_by(who, request)
    assert (seen.pays_by, seen.lines[1].amount) == ("guest_fill", "Guest fill")
    found = await booking.book(who.actor, request, key=str(uuid4()), seen=seen)
    assert found.period is not None
    assert (await seen_by(who, who.wants(slot(area, 3), car=CAR))).pays_by == "fee"


@pytest.fixture
def _free_fill(monkeypatch):
    async def offer(*_):
        return FreeFillOffer(dollars(20))

    monkeypatch.setattr(estimating, "free_fill", offer)


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
async def test_plate_already_used_for_a_free_fill_shows_the_price_without_it(monkeypatch):
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    request = who.wants(slot(area), car=replace(CAR, license_plate="GUL 2"))
    seen, plan, calls = await seen_by(who, request), estimating.plan, []

    async def used_after(*args, **more):
        found = await plan(*args, **more)
        calls.append(found)
        if len(calls) == 1:
            await booked(other, slot(area, 2))
        return found

    monkeypatch.setattr(estimating, "plan", used_after)
    with pytest.raises(FreeFillUsed) as raised:
        await booking.book(who.actor, request, key=str(uuid4()), seen=seen)
    assert raised.value.estimate.pays_by == "fee"
    assert len(await rows(FreeFill)) == len(await stored()) == 1


async def test_capacity_lowered_below_what_is_booked_keeps_it_and_takes_no_more():
    area = await an_area(capacity=3)
    everyone = [await a_customer(number) for number in range(1, 4)]
    for each in everyone[:2]:
        await booked(each, slot(area))
    async with transaction() as session:
        await hours.set_week(session, area, default_week(1))
    await refused_for_third(everyone[2], slot(area))
    async with transaction() as session:
        await hours.set_week(session, area, default_week(3))
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
        await hours.set_week(session, area, default_week(2))
    await booked(other, slot(area))
    assert len(await rows(SlotPlace, slot_id=slot(area))) == 2


@pytest.mark.parametrize("broken", [(telling, "confirmed"), (places, "take")])
async def test_database_that_goes_away_leaves_nothing_half_done(monkeypatch, broken):
    area, who = await an_area(), await a_customer()
    request = who.wants(slot(area))
    seen = await seen_by(who, request)

    async def gone(*_args, **_more):
        raise OperationalError("", {}, Exception())

    with monkeypatch.context() as patched:
        patched.setattr(*broken, gone)
        await refused(who, request, OperationalError, seen=seen)
    assert await rows(LedgerBalance) == []
    assert await booking.book(who.actor, request, key=str(uuid4()), seen=seen)


async def test_staff_book_for_a_customer_with_a_reason_until_the_window_ends():
    area, who = await an_area(), await a_customer()
    request = who.wants(slot(area, 0))  # of today at 8, and it is 10
    seen = await booking.estimate(STAFF, who.wants(slot(area, 0, 10)), customer_id=who.id)
    more = {"key": str(uuid4()), "seen": seen, "customer_id": who.id}
    with pytest.raises(NeedsReason):
        await booking.book(STAFF, request, **more)
    found = await booking.book(STAFF, request, **more, reason="Asked by phone")
    (event,) = await reading.events(STAFF, found.id)
    assert (event.actor, event.note, found.person_id) == (
        "shared password",
        "Asked by phone",
        who.id,
    )


@pytest.mark.parametrize("sent", ["", None, 7, "x", []])
async def test_staff_who_name_nobody_are_refused(sent):
    with pytest.raises(CustomerGone):
        await booking.estimate(STAFF, Request("", CAR, PLACE), customer_id=sent)


async def test_only_customers_and_staff_book():
    who = await a_customer()
    with pytest.raises(NotAllowed):
        await booking.estimate(replace(who.actor, roles=frozenset()), who.wants(""))


async def test_customer_cannot_book_for_another():
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    found = await booked(who, slot(area), customer_id=other.id)
    assert found.person_id == who.id


async def test_estimate_uses_the_average_of_the_cars_fills():
    area, who = await an_area(), await a_customer()
    found = await booked(who, slot(area))
    async with transaction() as session:
        table = type((await stored())[0])
        values = {"state": "completed", "filled_milligallons": 11250}
        await session.execute(update(table).values(values))
    seen = await seen_by(who, who.wants(slot(area, 2)))
    assert (seen.milligallons, seen.by_average, seen.gallons) == (11250, True, "11.3")
    assert (await reading.past(who.actor)) == (await reading.find(who.actor, found.id),)
    assert await reading.upcoming(who.actor) == ()


async def test_guest_books_and_is_told_by_email_alone():
    area = await an_area()
    found = await booked_by_guest(slot(area, 3))
    assert (found.person_id, found.pays_by, found.fee) == ("", "fee", dollars(15))
    (row,) = await stored()
    assert (row.guest_email, row.terms_version != "") == ("gus@example.com", True)
    told = await rows(Message)
    assert {(each.recipient, each.channel) for each in told} == {("gus@example.com", "mail")}
    guest = await reading.guest_of(booking.manage_token(found))
    assert guest is not None
    assert await reading.find(guest, found.id) == found
    assert await reading.find(guest, str(uuid4())) is None
    (event,) = await reading.events(guest, found.id)
    assert event.actor == "guest"


async def test_guest_without_a_card_is_refused():
    area = await an_area()
    with pytest.raises(NeedsCard):
        await booked_by_guest(slot(area), test_card=False)


async def test_guest_cannot_name_a_saved_vehicle_or_address():
    area, who = await an_area(), await a_customer()
    with pytest.raises(CarGone):
        await booking.estimate_guest(who.wants(slot(area)))
    with pytest.raises(PlaceGone):
        await booking.estimate_guest(who.wants(slot(area), car=CAR))


@pytest.mark.parametrize("sent", ["", None, 7, "x", f"{uuid4()}.x"])
async def test_link_that_is_not_ours_leads_nowhere(sent):
    assert await reading.guest_of(sent) is None


async def test_booking_of_another_customer_is_not_found():
    area, who, other = await an_area(), await a_customer(), await a_customer(2)
    found = await booked(who, slot(area))
    assert await reading.find(other.actor, found.id) is None
    assert await reading.events(other.actor, found.id) == ()
    assert await reading.find(STAFF, found.id) == found
    assert await reading.find(who.actor, ["x"]) is None
