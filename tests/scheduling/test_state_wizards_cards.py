"""Adding a card in the middle of a booking: the time is kept, and what was typed stays."""

from datetime import timedelta

import pytest
import reflex as rx

from fuel_app.accounts.state.session import COOKIE
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.rules.payments import CardNeeded, NotAdded, ProviderDown
from fuel_app.billing.service import cards
from fuel_app.bookings.service import changes
from fuel_app.bookings.state.slots import HELD, LAPSED
from fuel_app.bookings.tables import SlotSeat
from fuel_app.kit.money import Money
from fuel_app.kit.ui.toast import ToastState
from fuel_app.outcomes.service import checkouts
from fuel_app.scheduling.state.wizards import FillUpState, GuestFillState
from tests.factories import own_vehicle_form
from tests.helpers.bookings import NOW, Customer, a_customer, an_area, at, booked, slot, stored
from tests.helpers.cards import add_at_page, visit_in
from tests.helpers.people import rows
from tests.helpers.signed_in import cookie_for, session_of
from tests.helpers.tabs import answer, focused, go_to, redirected, run, tab_at
from tests.scheduling.test_state_fill_up import PIN, fixed_position
from tests.scheduling.test_state_guest_fill import PAYMENT, TIME, VEHICLE, whole_form
from tests.scheduling.test_state_wizards import at_time

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture(autouse=True)
async def area(sqlite_database: object, monkeypatch: pytest.MonkeyPatch) -> str:
    at(monkeypatch, NOW)
    await fixed_position(monkeypatch, PIN)
    return await an_area(capacity=1)


async def without_card(plan: str = "family") -> tuple[Customer, FillUpState]:
    customer = await a_customer(has_card=False, plan=plan)
    return customer, await at_time(customer)


async def back_at(state: rx.State, address: str, cookie: str = "") -> str | None:
    go_to(state._get_root_state(), address, cookie=cookie)
    return redirected(await answer(state.arrive()))  # type: ignore[attr-defined]


async def toasts(state: rx.State) -> list[str]:
    return [toast.text for toast in (await state.get_state(ToastState)).toasts]


async def held() -> int:
    return len([each for each in await rows(SlotSeat) if each.hold_id])


async def test_customer_adds_a_card_while_the_time_is_kept_and_books_it():
    customer, state = await without_card()
    picked = state.slot
    address = redirected(await answer(state.add_card()))
    assert address
    assert (state.has_card, state.hold, await held()) == (False, HELD, 1)
    cookie = f"{COOKIE}={await cookie_for(customer.id)}"
    visit = await add_at_page(address)
    assert await back_at(state, f"/schedule/time?card={visit}", cookie) == "/schedule/time"
    assert (state.has_card, state.slot, state.hold) == (True, picked, HELD)
    assert await toasts(state) == ["Card added"]
    assert (redirected(await answer(state.schedule({}))) or "").startswith("/bookings/")
    assert [row.slot_id for row in await stored()] == [picked]
    assert await held() == 0


async def test_fill_booked_while_the_page_reopens_is_shown():
    customer, state = await without_card()
    address = redirected(await answer(state.add_card())) or ""
    cookie = f"{COOKIE}={await cookie_for(customer.id)}"
    await back_at(state, f"/schedule/time?card={await add_at_page(address)}", cookie)
    booking = redirected(await answer(state.schedule({})))
    assert await back_at(state, "/schedule/time", cookie) == booking
    assert await back_at(state, "/schedule/time", cookie) == "/schedule"  # by going back
    assert len(await stored()) == 1


async def test_abandoned_page_leads_back_with_everything_kept():
    customer, state = await without_card()
    picked, address = state.slot, redirected(await answer(state.add_card()))
    assert address
    cookie = f"{COOKIE}={await cookie_for(customer.id)}"
    await back_at(state, f"/schedule/time?card={visit_in(address)}", cookie)
    assert await toasts(state) == [str(NotAdded())]
    assert (state.slot, state.has_card) == (picked, False)
    assert redirected(await answer(state.add_card()))
    assert await held() == 1


async def test_provider_down_says_so_above_the_button():
    _, state = await without_card()
    faults().fail_next("down")
    assert redirected(await answer(state.add_card())) is None
    assert (state.refusal, state.busy) == (str(ProviderDown()), False)


async def test_card_needs_a_window_first():
    _, state = await without_card()
    state._pick_none()
    assert redirected(await answer(state.add_card())) is None
    assert (state.refusal, await held()) == ("Please choose a window.", 0)


async def test_another_window_is_held_in_place_of_the_first():
    _, state = await without_card()
    await run(state.add_card())
    await run(state.choose_slot(state.days[0].slots[1].id))
    assert state.held_slot != state.slot
    await run(state.add_card())
    assert (state.held_slot, await held()) == (state.slot, 1)


async def test_plan_that_sees_further_ahead_holds_there(area):
    _, state = await without_card(plan="big-family")
    await run(state.choose_slot(slot(area, 20)))
    assert redirected(await answer(state.add_card()))


async def guest_at_payment() -> GuestFillState:
    state = await tab_at("/one-time-fill").get_state(GuestFillState)
    await run(state.arrive())
    await run(state.accept_terms(True))
    assert redirected(await answer(state.submit_contact(whole_form()))) == VEHICLE
    assert redirected(await answer(state.submit_vehicle(own_vehicle_form()))) == TIME
    await back_at(state, TIME)
    assert redirected(await answer(state.schedule({}))) == PAYMENT
    await back_at(state, PAYMENT)
    return state


async def test_guest_adds_a_card_and_books_with_it():
    state = await guest_at_payment()
    address = redirected(await answer(state.add_card()))
    assert address
    visit = await add_at_page(address)
    assert await back_at(state, f"{PAYMENT}?card={visit}") == PAYMENT
    assert (state.card, state.has_card) == ("Visa ending in 4242", True)
    assert (redirected(await answer(state.book({}))) or "").startswith("/manage/")
    (row,) = await stored()
    assert row.payer_id == await cards.guests_payer(state._payer_key) != ""


async def test_fill_that_a_guest_books_while_the_page_reopens_is_shown():
    state = await guest_at_payment()
    address = redirected(await answer(state.add_card())) or ""
    await back_at(state, f"{PAYMENT}?card={await add_at_page(address)}")
    go_to(state._get_root_state(), PAYMENT)  # in time
    assert focused(await answer(state.arrive())) == "guest_book"
    address = redirected(await answer(state.add_card())) or ""
    await back_at(state, f"{PAYMENT}?card={await add_at_page(address)}")
    booking = redirected(await answer(state.book({})))
    assert await back_at(state, PAYMENT) == booking


async def test_guest_in_another_tab_cannot_use_that_card():
    one = await guest_at_payment()
    address = redirected(await answer(one.add_card()))
    assert address
    other = await guest_at_payment()
    await back_at(other, f"{PAYMENT}?card={await add_at_page(address)}")
    assert not other.has_card
    assert redirected(await answer(other.book({}))) is None
    assert other.refusal == "Please add a card first."


async def test_hold_that_lapsed_on_the_page_is_begun_anew(monkeypatch):
    state = await guest_at_payment()
    await run(state.add_card())
    at(monkeypatch, NOW + timedelta(minutes=16))
    await back_at(state, PAYMENT)
    assert state.hold == LAPSED
    assert redirected(await answer(state.add_card()))
    assert state.hold == HELD


async def test_card_stays_while_a_fill_is_booked(area):
    customer = await a_customer(state="incomplete")
    by = await session_of(customer.id)
    found = await booked(customer, slot(area))
    with pytest.raises(CardNeeded, match="fill-up is booked"):
        await checkouts.remove_card(by)
    await changes.cancel(customer.actor, found.id, found.revision, seen_fee=Money(0))
    await checkouts.remove_card(by)
    assert (await cards.on_file(by.person_id)).name == ""
