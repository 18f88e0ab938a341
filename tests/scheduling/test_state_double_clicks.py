"""The second press of a double click was made before what the first one has changed was shown."""

from datetime import timedelta

import pytest

from fuel_app import routes
from fuel_app.bookings.rules.estimates import PriceChanged
from fuel_app.bookings.state.slots import CHECK_PRICE
from fuel_app.kit import clock
from fuel_app.kit.ui.forms import AGREED
from tests.factories import own_vehicle_form
from tests.helpers.desk import Desk, estimate
from tests.helpers.open_area import open_area
from tests.helpers.stored_bookings import a_booking, change, stored
from tests.helpers.tabs import answer, redirected, run
from tests.scheduling import test_state_guest_fill as guests
from tests.scheduling.test_state_booking import a_customer, own
from tests.scheduling.test_state_fill_up import at_time

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def test_the_second_press_books_at_no_price_that_nobody_has_seen(cookie, desk):
    state = await at_time(cookie)
    seen, desk.refusal = {AGREED: state.price.total}, PriceChanged(estimate(mills=4000))
    for _ in range(2):
        assert redirected(await answer(state.schedule(seen))) is None
        assert state.refusal.startswith("The price has changed from $48.21 to $53.40.")
    assert desk.booked == {}
    assert redirected(await answer(state.schedule({AGREED: state.price.total})))


async def test_a_press_on_a_price_that_has_gone_says_what_to_do(cookie, desk):
    state = await at_time(cookie)
    assert redirected(await answer(state.schedule({AGREED: "about $1.00"}))) is None
    assert (state.refusal, desk.booked) == (CHECK_PRICE, {})


async def test_a_guests_second_press_books_at_no_price_that_nobody_has_seen(
    desk: Desk, password, monkeypatch
):
    await guests.fixed_position(monkeypatch, guests.PIN)
    await open_area()
    state = await guests.at_payment()
    seen, desk.refusal = {AGREED: state.price.total}, PriceChanged(estimate(mills=4000))
    for _ in range(2):
        assert redirected(await answer(state.book(seen))) is None
    assert desk.booked == {}
    assert await guests.press(state) == "/manage/link-booking-0"


async def test_another_vehicle_is_booked_only_with_its_own_price(cookie, desk):
    state = await at_time(cookie)
    await run(state.add_vehicle("new"))
    await run(state.submit_vehicle(own_vehicle_form(license_plate="OTHER 1")))
    assert redirected(await answer(state.schedule({}))) is None
    assert (state.refusal, desk.booked) == (CHECK_PRICE, {})
    assert redirected(await answer(state.schedule({})))


async def test_a_vehicle_or_place_picked_again_needs_its_price(cookie, desk):
    state = await at_time(cookie)
    for step in (
        state.choose_vehicle(state.vehicle_ids[0], True),
        state.choose_location(state.place_id),
    ):
        await run(step)
        assert redirected(await answer(state.schedule({}))) is None
        assert state.refusal == CHECK_PRICE


async def test_another_vehicle_of_a_guest_is_booked_only_with_its_own_price(
    desk: Desk, password, monkeypatch
):
    await guests.fixed_position(monkeypatch, guests.PIN)
    await open_area()
    state = await guests.at_payment()
    for step in (
        state.submit_vehicle(own_vehicle_form(license_plate="OTHER 1")),
        state.submit_contact(guests.whole_form()),
    ):
        await run(step)
        assert await guests.press(state) is None
        assert (state.refusal, desk.booked) == (CHECK_PRICE, {})


async def test_the_second_press_charges_no_late_fee_that_nobody_has_seen():
    area = await open_area()
    cookie, person_id = await a_customer()
    booking = await a_booking(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    await run(state.open_cancel())
    seen, soon = state.card.cancel_label, clock.now() + timedelta(hours=1)
    await change(booking, starts_at=soon, ends_at=soon + timedelta(hours=2))
    for _ in range(2):
        await run(state.cancel(seen))
        assert (state.dialog, state.busy) == ("cancel", False)
        assert "$15.00" in state.error
    assert (await stored(booking)).state == "booked"
    await run(state.cancel(state.card.cancel_label))
    assert (await stored(booking)).late_fee_cents == 1500
