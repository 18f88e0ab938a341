"""Pressing 'Schedule Service': once, twice, in two tabs, and each reason to refuse it."""

from datetime import timedelta
from typing import Any

import pytest

from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.estimates import FreeFillUsed, PriceChanged
from fuel_app.bookings.state.slots import NO_SLOT, SLOT_TAKEN
from fuel_app.customers.service import vehicles
from fuel_app.kit import clock
from fuel_app.kit.errors import FAILED
from fuel_app.kit.ui.toast import ToastState
from fuel_app.scheduling.state.wizards import FillUpState
from tests.helpers.customers import said
from tests.helpers.desk import SLOTS, estimate
from tests.helpers.tabs import run
from tests.scheduling.test_state_fill_up import (
    LOCATION,
    TIME,
    VEHICLE,
    arrive,
    at_time,
    opened,
    person_of,
    press,
)

pytestmark = pytest.mark.usefixtures("sqlite_database", "desk")


async def test_a_press_books_once_and_leads_to_the_booking(cookie, desk, monkeypatch):
    state = await at_time(cookie)
    monkeypatch.setattr("fuel_app.bookings.state.slots.first_try", lambda at: at)
    monkeypatch.setattr(clock, "now", lambda: SLOTS[0].starts_at - timedelta(days=2))
    assert await press(state) == "/bookings/booking-0"
    assert await press(state) == "/bookings/booking-0"
    assert len(desk.booked) == 1
    told = await said(state._get_root_state())  # type: ignore[arg-type]
    assert told == ["Booked for Tue, Nov 24, 8–10 AM"]  # noqa: RUF001


async def test_booking_whose_card_is_authorised_at_once_is_not_said_to_be_done(
    cookie, desk, monkeypatch
):
    state = await at_time(cookie)
    monkeypatch.setattr("fuel_app.bookings.state.slots.first_try", lambda _: clock.now())
    await press(state)
    (toast,) = (await state.get_state(ToastState)).toasts
    assert (toast.kind, toast.text) == (
        "note",
        "Booked for Tue, Nov 24, 8–10 AM. Your card is being authorized now.",  # noqa: RUF001
    )


async def test_going_back_after_a_booking_starts_afresh(cookie, desk):
    state = await at_time(cookie)
    await press(state)
    assert not state.ready  # or a press on the steps of before is lost as they begin anew
    assert await arrive(state, cookie, TIME) == VEHICLE
    assert state._is_private
    assert len(desk.booked) == 1
    again = await at_time_again(state, cookie)
    assert await press(again) == "/bookings/booking-1"


async def at_time_again(state: FillUpState, cookie: str) -> FillUpState:
    await run(state.submit_vehicle({}))
    await run(state.submit_location({}))
    await arrive(state, cookie, TIME)
    return state


async def test_two_tabs_book_one_fill_each(cookie, desk):
    one, other = await at_time(cookie), await opened(cookie)
    await at_time_again(other, cookie)
    assert await press(one) != await press(other)
    assert len(desk.booked) == 2


async def test_free_fill_that_was_used_before_is_said_before_the_press(cookie, desk):
    state = await at_time(cookie)
    assert state.price.free_note == ""
    desk.refusal = FreeFillUsed(estimate(free_fill_used="plate"))
    assert await press(state) is None
    assert state.refusal.startswith("A free first fill was used for this plate")
    assert state.price.free_note == "The free first fill was already used for this plate."


async def test_another_price_is_shown_before_it_is_booked(cookie, desk):
    state = await at_time(cookie)
    desk.refusal = PriceChanged(estimate(mills=4000))
    assert await press(state) is None
    assert state.refusal == (
        "The price has changed from $48.21 to $53.40. Please check and press again."
    )
    assert state.price.total == "about $53.40"
    assert await press(state) == "/bookings/booking-0"
    assert desk.seen.fills[0].mills == 4000


@pytest.mark.parametrize(
    ("refusal", "way"),
    [
        (refusals.SlotClosed("Holiday"), ""),
        (refusals.SlotPast(), ""),
        (refusals.OtherArea(), ""),
        (refusals.AreaPaused(), "/support"),
        (refusals.NoPrice(), "/support"),
        (refusals.OutsideArea("34236"), "/?waitlist=true"),
        (refusals.PastDue(), "/billing"),
        (refusals.NeedsCard(), ""),
        (refusals.NeedsVerifiedEmail(), "/dashboard"),
        (refusals.LocationGone(), LOCATION),
        (refusals.SpotRefused("Not in the street."), LOCATION),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
async def test_a_refusal_says_what_to_do_next_and_keeps_everything(cookie, desk, refusal, way):
    state = await at_time(cookie)
    desk.refusal = refusal
    assert await press(state) is None
    assert state.refusal == str(refusal)
    assert (state.way_to if state.way else "") == way
    assert (state.busy, state.slot, desk.booked) == (False, SLOTS[0].id, {})


async def test_a_full_window_is_shown_as_full_and_has_to_be_chosen_anew(cookie, desk):
    state = await at_time(cookie)
    desk.fill(0)
    desk.refusal = refusals.SlotFull()
    await press(state)
    assert state.refusal == str(refusals.SlotFull())
    assert (state.slot, state.days[0].slots[0].note) == ("", "Full")
    assert await press(state) is None
    assert state.refusal == NO_SLOT
    await run(state.choose_slot(SLOTS[1].id))
    assert await press(state) == "/bookings/booking-0"


async def test_a_window_that_others_take_is_let_go(cookie, desk):
    state = await at_time(cookie)
    desk.fill(0)
    await state._refresh_slots()
    assert (state.slot, state.refusal) == ("", SLOT_TAKEN)


async def test_a_vehicle_deleted_meanwhile_leads_back_to_the_vehicles(cookie, desk):
    state = await at_time(cookie)
    await vehicles.remove(await person_of(state), state.vehicle_ids[0])
    desk.refusal = refusals.CarGone()
    assert await press(state) is None
    assert (state.refusal, state.way_to) == (str(refusals.CarGone()), VEHICLE)
    assert (state.vehicle_given, state.vehicles) == (False, [])


async def test_a_failing_database_says_so_and_a_second_press_has_the_same_key(cookie, desk):
    state = await at_time(cookie)
    desk.refusal = OSError("away")
    assert await press(state) is None
    before = state._key
    assert (state.refusal, state.busy, state.slot) == (FAILED, False, SLOTS[0].id)
    assert await press(state) == "/bookings/booking-0"
    assert list(desk.booked) == [before]


async def test_a_wizard_that_cannot_begin_says_so(cookie, desk, monkeypatch):
    async def away(*_: Any) -> Any:
        raise OSError("away")

    monkeypatch.setattr(vehicles, "of_person", away)
    state = await opened(cookie)
    assert (state.is_down, state.refusal, state.ready) == (True, FAILED, True)


async def test_a_price_that_was_not_shown_is_shown_before_it_is_booked(cookie, desk, monkeypatch):
    state = await at_time(cookie)
    state._seen = None
    assert await press(state) is None
    assert state._seen == desk.now
    assert await press(state) == "/bookings/booking-0"
