"""A card that is good for one car of a visit, but not for the sum."""

from dataclasses import replace
from datetime import timedelta

import pytest

from fuel_app.bookings.rules.authorizations import CardState
from fuel_app.bookings.rules.bookings import (
    Booking,
    BookingChanged,
    BookingGone,
    Guest,
    PleaseCall,
)
from fuel_app.bookings.rules.estimates import OneCar, PriceChanged, one_car_each
from fuel_app.bookings.service import authorizations, cars
from fuel_app.plans.tables import LedgerEntry
from tests.helpers.bookings import (
    Customer,
    a_customer,
    an_area,
    another_car,
    at,
    booked_by_guest,
    slot,
    taken,
)
from tests.helpers.cards import limit_card
from tests.helpers.fills import (
    AUTHORIZE,
    RELEASE,
    a_booking,
    authorized,
    change,
    ends,
    morning,
    now_of,
    run,
    said,
)
from tests.helpers.people import rows

pytestmark = pytest.mark.usefixtures("database", "_clock")


async def declined(monkeypatch) -> tuple[Customer, Booking]:
    """Return a visit with two cars whose sum was declined the evening before."""
    who, booking = await a_booking(cars=2)
    await limit_card(person_id=who.id)
    await authorized(monkeypatch, booking)
    return who, booking


def alone(booking: Booking, number: int = 0) -> OneCar:
    return one_car_each(booking)[number]


async def card_of(booking: Booking) -> CardState:
    return (await authorizations.card_states([booking]))[booking.id]


async def test_sum_is_declined_and_one_car_is_kept_by_one_press(monkeypatch):
    who, booking = await declined(monkeypatch)
    [told] = await said("hold_declined")
    assert told["alone"] == (
        "your 2020 Toyota Camry, GUL 1, for up to $61"
        " or your 2020 Toyota Corolla, GUL 51, for up to $61"
    )
    alert = (await card_of(booking)).alert
    assert alert.text.startswith("Your card declined $122. Choose another card by 6:30 AM")
    assert alert.may_have_fewer
    one = alone(booking, 1)
    seen = {"revision": booking.revision, "fill_id": one.fill_id, "seen": one.estimate}
    kept = await cars.keep_one(who.actor, booking.id, **seen)
    assert await cars.keep_one(who.actor, booking.id, **seen) == kept  # the second press
    assert (kept.revision, await taken(booking.slot_id)) == (booking.revision + 1, 1)
    assert [each.id for each in kept.fills] == [one.fill_id]
    state = await card_of(kept)
    assert (state.payment, state.alert.text) == ("Being authorized", "")
    await run(AUTHORIZE)
    assert (await card_of(kept)).payment == "$61 authorized"
    entries = [each.kind for each in await rows(LedgerEntry)]
    assert entries == ["granted", "reserved", "reserved", "released"]
    assert [each["vehicle"] for each in await said("booking_confirmed")] == [
        "2020 Toyota Camry and 2020 Toyota Corolla",
        "2020 Toyota Corolla",
    ]
    morning(monkeypatch, booking)
    await run(AUTHORIZE, RELEASE)
    assert (await now_of(kept)).state == "booked"
    assert await ends() == [("hold", "failed", 0), ("hold", "authorized", 0)]


async def test_one_car_is_kept_until_the_card_is_due_though_nothing_else_may_change(monkeypatch):
    who, booking = await declined(monkeypatch)
    at(monkeypatch, booking.starts_at - timedelta(minutes=110))  # 6:10
    one = alone(booking)
    with pytest.raises(PleaseCall):
        await cars.change_cars(
            who.actor, booking.id, booking.revision, (who.car_id,), seen=one.estimate
        )
    kept = await cars.keep_one(
        who.actor, booking.id, booking.revision, one.fill_id, seen=one.estimate
    )
    morning(monkeypatch, booking)
    await run(AUTHORIZE)
    assert (await now_of(kept)).state == "booked"
    assert (await card_of(kept)).payment == "$61 authorized"


async def test_guest_keeps_one_car_by_the_link(monkeypatch):
    area = await an_area()
    small = replace(another_car(1), tank_tenths=120)
    booking = await booked_by_guest(slot(area, 3), cars=(small, another_car(2)))
    await limit_card(id=booking.payer_id)
    await authorized(monkeypatch, booking)
    one = alone(booking)
    await cars.keep_one(
        Guest(booking.id), booking.id, booking.revision, one.fill_id, seen=one.estimate
    )
    await run(AUTHORIZE)
    assert (await card_of(await now_of(booking))).payment == "$61 authorized"


async def test_nothing_is_kept_that_is_not_declined_theirs_or_as_it_was_seen(monkeypatch):
    who, booking = await a_booking(cars=2)
    one = alone(booking)

    async def refused(by: Customer = who, revision: int = 1, fill_id: str = one.fill_id) -> type:
        with pytest.raises((BookingChanged, BookingGone, PleaseCall, PriceChanged)) as refusal:
            await cars.keep_one(by.actor, booking.id, revision, fill_id, seen=one.estimate)
        return refusal.type

    assert await refused() is BookingChanged  # nothing is declined
    await limit_card(person_id=who.id)
    await authorized(monkeypatch, booking)
    assert await refused(await a_customer(2)) is BookingGone
    assert await refused(revision=0) is BookingChanged
    assert await refused(fill_id="x") is BookingChanged
    await change(booking, fee_cents=1500)
    assert await refused() is PriceChanged
    at(monkeypatch, booking.starts_at)
    assert await refused() is PleaseCall
    assert (await now_of(booking)).revision == 1
