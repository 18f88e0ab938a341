"""Cars that are added to a booked visit or dropped from it."""

from datetime import timedelta

import pytest

from fuel_app.bookings.rules.bookings import (
    Booking,
    BookingChanged,
    BookingGone,
    CarBooked,
    CarGone,
    LastCar,
    PleaseCall,
    TooManyCars,
)
from fuel_app.bookings.rules.estimates import PriceChanged
from fuel_app.bookings.service import cars, changes
from fuel_app.bookings.tables import FreeFill
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.money import Money
from fuel_app.plans.tables import LedgerEntry
from tests.helpers import fills as helpers
from tests.helpers.bank import bank, stored_payments
from tests.helpers.bookings import (
    STAFF,
    Customer,
    a_car,
    a_customer,
    at,
    booked,
    booked_by_guest,
    offer_free_fills,
    set_price,
    slot,
    taken,
)
from tests.helpers.fills import a_booking, now_of
from tests.helpers.people import messages, rows

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


async def test_within_two_hours_of_the_window_a_car_is_dropped_by_phone_alone(monkeypatch):
    who, booking = await a_booking(cars=2)
    at(monkeypatch, booking.starts_at - timedelta(hours=1))
    with pytest.raises(PleaseCall):
        await change(who, booking, who.car_id)
    assert await change(Customer(STAFF, "", ""), booking, who.car_id)


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
    assert (await cars.estimate_cars(STAFF, guest.id, ())).fills[0].car == guest.cars
