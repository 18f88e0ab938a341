"""Cars that are added to a booked visit or dropped from it, and another place for it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from fuel_app.bookings import queries
from fuel_app.bookings.rules.bookings import (
    Booking,
    BookingChanged,
    BookingGone,
    CarBooked,
    CarGone,
    FreeFillUse,
    LastCar,
    LocationGone,
    NeedsPin,
    OutsideArea,
    PlaceInOtherArea,
    PleaseCall,
    TooManyCars,
)
from fuel_app.bookings.rules.estimates import PriceChanged, kept_fills
from fuel_app.bookings.service import access, cars, changes
from fuel_app.bookings.state.cards import PriceCard
from fuel_app.bookings.tables import FreeFill
from fuel_app.customers.rules.vehicles import bare_plate
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money
from fuel_app.plans.tables import LedgerEntry
from tests.helpers import fills as helpers
from tests.helpers.bank import bank, stored_payments
from tests.helpers.bookings import (
    NOW,
    STAFF,
    TODAY,
    Customer,
    a_car,
    a_customer,
    a_place,
    at,
    booked,
    booked_by_guest,
    offer_free_fills,
    set_price,
    slot,
    taken,
)
from tests.helpers.fills import a_booking, now_of
from tests.helpers.open_area import open_area
from tests.helpers.people import messages, rows
from tests.helpers.periods import switch
from tests.helpers.plans import all_fills_left

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("database", "_clock")


async def another(who: Customer, number: int = 60) -> str:
    car = a_car(who.id, number)
    async with transaction() as session:
        session.add(car)
    return car.id


async def change(who: Customer, booking: Booking, *ids: str, **more) -> Booking:
    """Change the cars as the customer does who has seen the price."""
    seen = await cars.estimate_cars(who.actor, booking.id, ids)
    revision = more.get("revision", booking.revision)
    return await cars.change_cars(who.actor, booking.id, revision, ids, seen=seen)


async def entries() -> list[str]:
    return [each.kind for each in await rows(LedgerEntry) if each.kind != "granted"]


async def test_a_car_is_added_for_the_price_of_the_moment_and_held(bank, monkeypatch):
    who, booking = await a_booking()
    await helpers.authorized(monkeypatch, booking)
    await set_price(booking.area_id, 3999, clock.now())
    second = await another(who)
    changed = await change(who, booking, who.car_id, second)
    assert [each.car.id for each in changed.fills] == [who.car_id, second]
    assert [each.price.mills for each in changed.fills] == [3459, 3999]
    assert (changed.revision, await taken(booking.slot_id)) == (booking.revision + 1, 1)
    assert await entries() == ["reserved", "reserved"]
    await helpers.run(helpers.RELEASE, helpers.AUTHORIZE)
    former, new = sorted(await stored_payments(), key=lambda each: each.amount_cents)
    assert (former.state, new.state) == ("cancelled", "authorized")
    assert new.amount_cents == 13_200  # 60.88 and 70.38, in whole dollars
    told = [each.payload for each in await messages("booking_confirmed")]
    assert told[-1]["vehicle"] == "2020 Toyota Camry and 2020 Toyota Camry"
    again = await change(who, booking, who.car_id, second)  # the second press
    assert again.revision == changed.revision


async def test_a_dropped_car_gives_its_fill_back_and_leaves_the_other_ones():
    who, booking = await a_booking(cars=2)
    second = booking.fills[1]
    changed = await change(who, booking, second.car.id)
    assert [each.id for each in changed.fills] == [second.id]
    assert await entries() == ["reserved", "reserved", "released"]
    back = await change(who, changed, second.car.id, who.car_id)
    assert [each.car.id for each in back.fills] == [second.car.id, who.car_id]
    with pytest.raises(LastCar):
        await change(who, back)


async def test_what_cannot_be_changed_is_refused_and_nothing_is_taken():
    who, booking = await a_booking()
    more = [await another(who, number) for number in range(60, 64)]
    stranger = await a_customer(2)
    with pytest.raises(TooManyCars):
        await change(who, booking, who.car_id, *more)
    with pytest.raises(CarGone):
        await change(who, booking, who.car_id, stranger.car_id)
    with pytest.raises(BookingGone):
        await change(stranger, booking, stranger.car_id)
    with pytest.raises(BookingChanged):
        await change(who, booking, who.car_id, more[0], revision=9)
    seen = await cars.estimate_cars(who.actor, booking.id, (who.car_id, more[0]))
    await set_price(booking.area_id, 3999)
    ids = (who.car_id, more[0])
    with pytest.raises(PriceChanged):
        await cars.change_cars(who.actor, booking.id, booking.revision, ids, seen=seen)
    await booked(Customer(who.actor, more[1], who.place_id), booking.slot_id)
    with pytest.raises(CarBooked):
        await change(who, booking, who.car_id, more[1])
    assert (await now_of(booking)).revision == booking.revision


async def test_a_car_with_a_fee_takes_the_fill_that_a_dropped_one_gives_back():
    who, booking = await a_booking(cars=4, plan="solo")
    ids = [each.car.id for each in booking.fills]
    assert [each.pays_by for each in booking.fills] == ["allowance", "allowance", "fee", "fee"]
    seen = await cars.estimate_cars(who.actor, booking.id, ids[1:])
    said = [each.amount for each in PriceCard.of(seen).lines if "fee" in each.label]
    assert said == ["Included in your plan", "Covered by the fill that is given back", "$15.00"]
    changed = await change(who, booking, *ids[1:])
    assert [each.pays_by for each in changed.fills] == ["allowance", "allowance", "fee"]
    assert [each.fee.cents for each in changed.fills] == [0, 0, 1500]
    assert changed.fills[1].period == booking.fills[0].period
    assert await entries() == ["reserved", "reserved", "released", "reserved"]
    steps = [each.kind for each in await access.list_steps(booking.id)]
    assert steps == ["book", "cars", "cover"]
    [*_, told] = [each.payload["price"] for each in await messages("booking_confirmed")]
    assert "Covered by the fill that is given back" in told
    # A car that is added at once comes after it.
    last = await change(who, changed, *ids[2:], await another(who))
    assert [each.pays_by for each in last.fills] == ["allowance", "allowance", "fee"]
    assert (await entries())[4:] == ["released", "reserved"]


async def test_a_fee_that_is_asked_for_is_not_due_once_another_car_gives_its_fill_back():
    _, booking = await a_booking(cars=2)
    asked = replace(booking.fills[0], fee_asked_at=NOW, fee=Money(1500))
    visit = replace(booking, fills=(asked, booking.fills[1]))
    [kept] = kept_fills(visit, [asked])
    assert (kept.given_by, kept.estimate.fee) == (booking.fills[1], Money(0))
    [kept] = kept_fills(visit, [booking.fills[1]])  # the other one has none to give
    assert kept.given_by is None


async def test_within_two_hours_of_the_window_a_car_is_dropped_by_phone_alone(monkeypatch):
    who, booking = await a_booking(cars=2)
    at(monkeypatch, booking.starts_at - timedelta(hours=1))
    with pytest.raises(PleaseCall):
        await change(who, booking, who.car_id)
    assert await change(Customer(STAFF, "", ""), booking, who.car_id)


async def test_a_car_is_added_until_two_hours_before_the_window(monkeypatch):
    who, booking = await a_booking()
    second = await another(who)
    at(monkeypatch, booking.starts_at - timedelta(hours=3))
    await set_price(booking.area_id, 3459, clock.now())
    assert len((await change(who, booking, who.car_id, second)).fills) == 2
    at(monkeypatch, booking.starts_at - timedelta(hours=1))
    with pytest.raises(PleaseCall):
        await change(who, await now_of(booking), who.car_id, second, await another(who, 61))


@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
async def test_cars_change_beside_a_plan_that_has_just_covered_them(monkeypatch):
    who, booking = await a_booking(cars=4, plan="solo")
    ids = [each.car.id for each in booking.fills]
    seen = await cars.estimate_cars(who.actor, booking.id, ids[1:])
    find = queries.find

    async def find_before_the_switch(*args, **more):
        found = await find(*args, **more)
        if not more.get("lock"):
            await switch(who.id, "family", TODAY)
        return found

    monkeypatch.setattr(queries, "find", find_before_the_switch)
    with pytest.raises(PriceChanged):
        await cars.change_cars(who.actor, booking.id, booking.revision, ids[1:], seen=seen)
    monkeypatch.setattr(queries, "find", find)
    assert [left for left in await all_fills_left() if left < 0] == []
    now = await now_of(booking)
    assert [each.pays_by for each in now.fills] == ["allowance"] * 4


async def test_a_swapped_car_whose_plate_had_a_free_fill_is_paid(monkeypatch):
    offer_free_fills(monkeypatch)
    who, booking = await a_booking()
    second = await another(who)
    neighbor = await a_customer(2)
    plate = bare_plate(a_car(who.id, 60).license_plate)
    other = await booked(neighbor, slot(booking.area_id, 4))
    async with transaction() as session:
        await queries.remove_free_fill(session, booking_id=other.id)
        use = FreeFillUse(neighbor.id, plate, "9415550002")
        assert await queries.add_free_fill(session, use, other.id)
    estimate = await cars.estimate_cars(who.actor, booking.id, (second,))
    assert (estimate.has_free_fill, estimate.free_fill_used) == (False, "plate")
    changed = await change(who, booking, second)
    assert [each.pays_by for each in changed.fills] == ["allowance"]


async def test_an_ended_visit_has_the_cars_that_it_had():
    who, booking = await a_booking()
    second = await another(who)
    gone = await changes.cancel(who.actor, booking.id, booking.revision, seen_fee=Money(0))
    with pytest.raises(BookingChanged):
        await change(who, gone, who.car_id, second)


async def test_a_dropped_car_frees_the_free_first_fill_for_another_one(monkeypatch):
    offer_free_fills(monkeypatch)
    who, booking = await a_booking(cars=2)
    free, other = booking.fills
    assert [free.pays_by, other.pays_by] == ["free_fill", "allowance"]
    changed = await change(who, booking, other.car.id)
    assert await rows(FreeFill) == []
    back = await change(who, changed, other.car.id, free.car.id)
    assert [each.pays_by for each in back.fills] == ["allowance", "free_fill"]


async def test_staff_change_the_cars_of_a_customer_and_a_typed_car_stays():
    who, booking = await a_booking()
    second = await another(who)
    seen = await cars.estimate_cars(STAFF, booking.id, (second,))
    done = await cars.change_cars(STAFF, booking.id, booking.revision, (second,), seen=seen)
    assert [each.car.id for each in done.fills] == [second]
    guest = await booked_by_guest(slot(booking.area_id))
    seen = await cars.estimate_cars(STAFF, guest.id, ())
    assert seen.fills[0].car == guest.cars
    same = await cars.change_cars(STAFF, guest.id, guest.revision, (), seen=seen)
    assert same.cars == guest.cars


async def another_place(who: Customer, **differs) -> str:
    place = a_place(who.id)
    for name, value in ({"street": "9 Second St"} | differs).items():
        setattr(place, name, value)
    async with transaction() as session:
        session.add(place)
    return place.id


async def test_a_visit_is_had_at_another_address_of_the_area():
    who, booking = await a_booking()
    place_id = await another_place(who, notes="By the gate")
    moved = await changes.change_place(who.actor, booking.id, booking.revision, place_id)
    assert (moved.place.street, moved.place.notes) == ("9 Second St", "By the gate")
    assert (moved.state, moved.slot_id, moved.fills) == ("booked", booking.slot_id, booking.fills)
    told = [each.payload["place"] for each in await messages("booking_confirmed")]
    assert told[-1] == "9 Second St, Sarasota, FL 34236"
    again = await changes.change_place(who.actor, booking.id, booking.revision, place_id)
    assert again.revision == moved.revision


async def test_a_place_that_cannot_be_had_is_refused(monkeypatch):
    who, booking = await a_booking()
    await open_area("34205", name="Bradenton")

    async def refused(by: Customer, place_id: str, revision: int = booking.revision) -> type:
        with pytest.raises(Refusal) as refusal:
            await changes.change_place(by.actor, booking.id, revision, place_id)
        return refusal.type

    good = await another_place(who)
    stranger = await a_customer(2)
    assert await refused(who, stranger.place_id) is LocationGone
    assert await refused(stranger, stranger.place_id) is BookingGone
    assert await refused(who, await another_place(who, zip_code="34205")) is PlaceInOtherArea
    assert await refused(who, await another_place(who, zip_code="10001")) is OutsideArea
    assert await refused(who, await another_place(who, is_approximate=True)) is NeedsPin
    assert await refused(who, good, 9) is BookingChanged
    await helpers.change(booking, state="dispatched")
    assert await refused(who, good) is PleaseCall
    await helpers.change(booking, state="cancelled")
    assert await refused(who, good) is BookingChanged
