"""One booking on its own page, on the dashboard, and by a guest's link."""

import re
import uuid
from datetime import timedelta
from typing import Any

import pytest

from fuel_app import routes
from fuel_app.bookings.rules.bookings import BookingChanged, PleaseCall
from fuel_app.bookings.rules.states import COURSE
from fuel_app.bookings.tables import SlotSeat
from fuel_app.customers.state.customer import CustomerState
from fuel_app.dashboard.state import NextBookingState
from fuel_app.kit import clock, secrets
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import transaction
from fuel_app.messages.rules.kinds import MANAGED
from fuel_app.scheduling.state.booking import (
    NOTING,
    STATUS,
    GuestBookingState,
    OwnBookingState,
)
from tests.helpers.customers import at, cookie_of
from tests.helpers.open_area import open_area
from tests.helpers.people import messages, rows
from tests.helpers.stored_bookings import a_booking, change, stored
from tests.helpers.tabs import answer, focused, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
async def area() -> str:
    return await open_area()


async def person_of(cookie: str) -> str:
    tab = await at(routes.ACCOUNT, cookie)
    account = (await tab.get_state(CustomerState))._opened
    return account.session.person_id  # type: ignore[attr-defined]


async def own(cookie: str, address: str = routes.DASHBOARD) -> Any:
    tab = await at(address, cookie)
    at_dashboard = address == routes.DASHBOARD
    state = await tab.get_state(NextBookingState if at_dashboard else OwnBookingState)
    await run(state.arrive())
    return state


async def a_customer(email: str = "ada@example.com") -> tuple[str, str]:
    cookie = await cookie_of(email)
    return cookie, await person_of(cookie)


async def guest_at(link: str) -> GuestBookingState:
    state = await tab_at(f"{routes.MANAGE}/{link}").get_state(GuestBookingState)
    await run(state.arrive())
    return state


async def test_customer_sees_state_window_vehicle_place_price_and_history(area):
    cookie, person_id = await a_customer()
    booking = await a_booking(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    card = state.card
    assert (card.status, card.window) == ("Booked", "8–10 AM")  # noqa: RUF001
    assert (card.car, card.plate) == ("2022 Toyota Camry", "ABC 123")
    assert card.place == "1234 Palm Ave, Sarasota, FL 34236"
    assert [line.amount for line in card.lines] == ["$33.21", "$15.00"]
    assert card.total == "about $48.21"
    assert card.late.startswith("Free to move or cancel until ")
    assert card.late.endswith("6:00 AM. Cancelling later costs $15.00.")
    assert COURSE[card.step :] == ("Booked", "On the way", "Arrived", "Fueling", "Done")
    assert [line.what for line in card.history] == ["Booked"]
    assert (card.may_move, card.may_cancel, card.cancel_label) == (True, True, "Cancel")
    assert card.comes_back == ""  # nothing but a fee was to be paid


@pytest.mark.parametrize("asked", ["x", "019ab000-0000-7000-8000-000000000000", "a/b", ""])
async def test_unknown_booking_is_calmly_not_found(area, asked):
    cookie, _ = await a_customer()
    state = await own(cookie, f"{routes.BOOKING}/{asked}")
    assert (state.missing, state.card.id) == (True, "")


async def test_another_customers_booking_is_not_found(area):
    _, person_id = await a_customer("bea@example.com")
    booking = await a_booking(area, person_id)
    cookie, _ = await a_customer()
    state = await own(cookie, routes.booking(booking.id))
    assert (state.missing, state.card.id) == (True, "")
    for event in (state.open_move, state.open_cancel, state.move):
        await run(event())
    await run(state.cancel(state.card.cancel_label))
    assert await answer(state.add_to_calendar()) is None
    assert (await stored(booking)).revision == 1


async def test_visitor_is_led_to_the_sign_in(area):
    tab = tab_at(routes.booking("x"))
    state = await tab.get_state(OwnBookingState)
    assert (redirected(await answer(state.arrive())) or "").startswith(routes.SIGN_IN)


async def test_preview_has_no_booking():
    state = await tab_at(routes.booking("x")).get_state(OwnBookingState)
    await run(state.arrive())
    assert state.missing


async def test_dashboard_shows_the_next_booking_and_those_after_it(area):
    cookie, person_id = await a_customer()
    later = await a_booking(area, person_id, days=5)
    first = await a_booking(area, person_id, days=2)
    state = await own(cookie)
    assert state.card.id == first.id
    assert [card.id for card in state.others] == [later.id]


async def test_customer_moves_a_booking(area):
    cookie, person_id = await a_customer()
    booking = await a_booking(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    await run(state.open_move())
    day = day_of(booking.starts_at).isoformat()
    assert (state.dialog, state.day) == ("move", day)
    assert booking.slot_id not in [slot.id for day in state.days for slot in day.slots]
    await run(state.choose_day(state.days[-1].id))
    await run(state.choose_slot(state.days[-1].slots[-1].id))
    window = state.window
    assert focused(await answer(state.move())) == STATUS.replace("-", "_")
    assert (state.dialog, state.error, state.notice) == ("", "", f"Moved to {window}.")
    assert (await stored(booking)).revision == 2
    assert f"{state.card.day}, {state.card.window}" == window
    assert [line.what for line in state.card.history] == ["Booked", "Moved"]
    assert re.fullmatch(r"From .*, 8:00 AM to .*, \d+:00 [AP]M", state.card.history[1].note)
    assert len(await messages("booking_moved")) == 2  # on each channel


async def test_move_needs_a_window(area):
    cookie, person_id = await a_customer()
    booking = await a_booking(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    await run(state.move())
    assert state.error == ""  # the dialog is not open
    await run(state.open_move())
    await run(state.choose_slot("forged"))
    await run(state.move())
    assert (state.error, (await stored(booking)).revision) == ("Please choose a window.", 1)


async def test_move_into_a_window_that_is_full_by_now_says_so_and_offers_the_others(area):
    cookie, person_id = await a_customer()
    booking = await a_booking(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    await run(state.open_move())
    taken = state.days[-1].slots[0]
    await run(state.choose_slot(taken.id))
    until = clock.now() + timedelta(hours=1)
    async with transaction() as session:
        for place in range(1, 7):
            held = {"hold_id": str(uuid.uuid4()), "held_until": until}
            session.add(SlotSeat(slot_id=taken.id, place=place, **held))
    await run(state.move())
    assert (state.dialog, state.busy) == ("move", False)
    assert "just taken" in state.error
    assert (await stored(booking)).revision == 1


async def test_customer_cancels_free_of_charge(area):
    cookie, person_id = await a_customer()
    booking = await a_booking(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    await run(state.open_cancel())
    assert focused(await answer(state.cancel(state.card.cancel_label))) == STATUS.replace("-", "_")
    assert (state.card.status, state.card.has_ended) == ("Cancelled", True)
    assert state.notice.startswith("Cancelled: ")
    assert (state.card.lines, state.card.late) == ([], "Nothing was charged.")
    assert (await stored(booking)).state == "cancelled"


async def test_late_cancellation_names_its_fee_on_the_button(area):
    cookie, person_id = await a_customer()
    booking = await a_booking(area, person_id)
    soon = clock.now() + timedelta(hours=1)
    await change(booking, starts_at=soon, ends_at=soon + timedelta(hours=2))
    state = await own(cookie, routes.booking(booking.id))
    assert (state.card.may_move, state.card.late) == (False, "")
    assert state.card.cancel_label == "Cancel · $15.00 late fee"
    await run(state.open_move())
    assert state.dialog == ""
    await run(state.open_cancel())
    await run(state.cancel(state.card.cancel_label))
    assert state.notice.endswith("The late fee is $15.00.")
    assert (state.card.lines[0].label, state.card.total) == ("Late fee", "$15.00")
    assert (await stored(booking)).late_fee_cents == 1500


@pytest.mark.parametrize("dialog", ["open_move", "open_cancel"])
async def test_stale_revision_shows_the_newer_state(area, dialog):
    cookie, person_id = await a_customer()
    booking = await a_booking(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    await run(getattr(state, dialog)())
    await run(state.choose_slot(state.days[-1].slots[0].id if state.days else ""))
    await change(booking, revision=2, state="dispatched")
    await run(state.cancel(state.card.cancel_label) if dialog == "open_cancel" else state.move())
    assert (state.dialog, state.notice) == ("", BookingChanged.message)
    assert (state.card.revision, (await stored(booking)).state) == (2, "dispatched")


async def test_from_on_the_way_on_the_customer_calls(area):
    cookie, person_id = await a_customer()
    booking = await a_booking(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    await run(state.open_cancel())
    await change(booking, state="en_route")
    await run(state.cancel(state.card.cancel_label))
    assert state.notice == PleaseCall.message
    assert (state.card.may_cancel, state.card.may_move) == (False, False)
    assert state.card.note == PleaseCall.message


async def test_customer_changes_the_note_for_the_technician(area):
    cookie, person_id = await a_customer()
    booking = await a_booking(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    await run(state.save_note({"notes": "Not opened"}))
    await run(state.open_note())
    assert (state.dialog, state.card.may_note) == (NOTING, True)
    sent = await run(state.save_note({"notes": "Behind the house"}))
    assert (state.card.notes, state.notice, state.dialog) == (
        "Behind the house",
        "The note is saved.",
        "",
    )
    assert focused(sent[-1]) == STATUS.replace("-", "_")
    await change(booking, state="en_route")
    await run(state.arrive())
    await run(state.open_note())
    assert (state.dialog, state.card.may_note) == ("", False)


async def test_calendar_file_is_handed_out_and_a_guests_link_stays_out_of_the_state(area):
    booking = await a_booking(area)
    link = secrets.token(MANAGED, booking.id)
    state = await guest_at(link)
    sent = await answer(state.add_to_calendar())
    assert routes.manage_calendar(link) in repr(sent.args)
    assert link not in repr(state.card)
    cookie, person_id = await a_customer()
    theirs = await a_booking(area, person_id, days=4)
    own_sent = await answer((await own(cookie)).add_to_calendar())
    assert routes.booking_calendar(theirs.id) in repr(own_sent.args)


async def test_dialog_about_a_booking_closes_when_staff_cancel_it_meanwhile(area):
    cookie, person_id = await a_customer()
    first, later = await a_booking(area, person_id), await a_booking(area, person_id, days=5)
    state = await own(cookie)
    await run(state.open_cancel())
    await change(first, state="cancelled", revision=2)
    await state._keep_up()
    assert (state.dialog, state.notice, state.card.id) == ("", BookingChanged.message, later.id)
    await run(state.cancel(state.card.cancel_label))
    assert (await stored(later)).state == "booked"


@pytest.mark.parametrize("given", [None, 3, [], {"a": 1}, "x" * 5000, True])
async def test_nasty_arguments_change_nothing(area, given):
    cookie, person_id = await a_customer()
    booking = await a_booking(area, person_id)
    state = await own(cookie, routes.booking(booking.id))
    await run(state.open_move())
    for event in (state.choose_day, state.choose_slot, state.close_dialog):
        await run(event(given))
    assert state.slot == ""
    assert len(await rows(type(booking))) == 1
