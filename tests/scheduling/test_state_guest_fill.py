"""A guest's booking in one tab: contact and place, vehicle, a window that is held, payment."""

from datetime import timedelta
from typing import Any

import pytest

from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import COOKIE
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.service import slots as services
from fuel_app.bookings.service.slots import FirstOffer
from fuel_app.bookings.state import slots
from fuel_app.bookings.state.slots import HELD, LAPSED, SOON
from fuel_app.customers.rules.locations import NOT_INSIDE
from fuel_app.customers.service import locations
from fuel_app.joining.state import WaitlistState
from fuel_app.kit import clock
from fuel_app.kit.errors import FAILED
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import FuelPrice
from fuel_app.scheduling.state.wizards import ACCEPT, GuestFillState
from tests.factories import contact_form, own_vehicle_form, place_form
from tests.helpers.admins import AdminTab
from tests.helpers.cards import guest_with_card
from tests.helpers.customers import cookie_of, said
from tests.helpers.desk import SLOTS, Desk
from tests.helpers.open_area import ELSEWHERE_ZIP, open_area
from tests.helpers.tabs import answer, focused, go_to, problems, redirected, run, tab_at
from tests.scheduling.test_state_fill_up import PIN, fixed_position
from tests.staff import a_token

pytestmark = pytest.mark.usefixtures("sqlite_database", "desk", "password")

STEPS = CONTACT, VEHICLE, TIME, PAYMENT = (
    "/one-time-fill",
    "/one-time-fill/vehicle",
    "/one-time-fill/schedule",
    "/one-time-fill/payment",
)


@pytest.fixture(autouse=True)
async def _open(sqlite_database: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    await open_area()
    await fixed_position(monkeypatch, PIN)


def whole_form(**differs: Any) -> dict[str, Any]:
    return contact_form() | place_form() | differs


async def opened(address: str = CONTACT, cookie: str = "") -> GuestFillState:
    state = await tab_at(address, cookie=cookie).get_state(GuestFillState)
    await run(state.arrive())
    return state


async def arrive(state: GuestFillState, address: str) -> str | None:
    go_to(state._get_root_state(), address)
    return redirected(await answer(state.arrive()))


async def at_payment() -> GuestFillState:
    state = await opened()
    await run(state.accept_terms(True))
    assert redirected(await answer(state.submit_contact(whole_form()))) == VEHICLE
    assert redirected(await answer(state.submit_vehicle(own_vehicle_form()))) == TIME
    assert await arrive(state, TIME) is None
    assert redirected(await answer(state.schedule({}))) == PAYMENT
    assert await arrive(state, PAYMENT) is None
    state._payer_key = await guest_with_card()
    await arrive(state, PAYMENT)
    return state


async def press(state: GuestFillState) -> str | None:
    return redirected(await answer(state.book({})))


@pytest.mark.parametrize("address", STEPS[1:])
async def test_a_step_opened_by_its_address_starts_at_the_contact(address):
    state = await opened(address)
    assert await arrive(state, address) == CONTACT


async def test_everything_that_is_wrong_with_the_contact_is_said_at_once():
    state = await opened()
    sent = await answer(state.submit_contact(whole_form(email="x", spot="Garage or covered")))
    assert focused(sent) == "guest_email"
    assert set(problems(state.contact_errors)) == {"email"}
    assert problems(state.location_errors) == {"spot": NOT_INSIDE}
    assert state.terms_error == ACCEPT
    await run(state.accept_terms(True))
    assert state.terms_error == ""


async def test_a_place_outside_every_area_leads_to_the_waitlist_filled_in():
    state = await opened()
    await run(state.accept_terms(True))
    sent = await answer(state.submit_contact(whole_form(zip_code=ELSEWHERE_ZIP)))
    assert (focused(sent), state.is_outside) == ("guest_zip_code", True)
    said = {"zip_code": f"We do not deliver to {ELSEWHERE_ZIP} yet."}
    await run(state.edit_contact(whole_form(zip_code=ELSEWHERE_ZIP)))  # the button lost the focus
    assert problems(state.location_errors) == said
    await run(state.edit_contact(whole_form()))
    assert problems(state.location_errors) == {}
    await run(state.edit_contact(whole_form(zip_code=ELSEWHERE_ZIP)))
    assert redirected(await answer(state.join_waitlist())) == "/?waitlist=true"
    form = (await state.get_state(WaitlistState)).form
    assert (form["email"], form["zip_code"]) == ("ada@example.com", ELSEWHERE_ZIP)


async def test_whoever_takes_back_that_they_accept_the_terms_books_nothing(desk: Desk):
    state = await at_payment()
    await run(state.accept_terms(False))
    assert await press(state) is None
    assert (state.refusal, desk.booked) == (ACCEPT, {})
    assert await arrive(state, PAYMENT) == CONTACT


async def test_a_pin_stands_near_the_address_that_was_sent_not_one_typed_since(monkeypatch):
    await fixed_position(monkeypatch, PIN._replace(is_approximate=True))
    state = await opened()
    await run(state.accept_terms(True))
    await run(state.submit_contact(whole_form()))
    await run(state.edit_contact(whole_form(zip_code="33101")))  # Miami
    await run(state.put_pin(25.78, -80.20))
    assert "too far" in state.pin_note
    assert redirected(await answer(state.submit_contact(whole_form()))) is None


async def test_an_invalid_vehicle_has_the_one_time_fills_messages():
    state = await opened()
    sent = await answer(state.submit_vehicle({}))
    assert focused(sent) == "guest_vehicle_make"
    assert state.vehicle_errors["make"] == "Vehicle make is required"
    assert state.vehicle_errors["year"] == "Valid year required"
    assert state.vehicle_errors["license_plate"] == "License plate is required"


async def test_what_is_typed_stays_and_a_changed_step_is_incomplete_again():
    state = await at_payment()
    await run(state.edit_contact(whole_form(first_name="Grace")))
    assert state.contact["first_name"] == "Grace"
    assert await arrive(state, PAYMENT) == CONTACT
    await run(state.submit_contact(whole_form(first_name="Grace")))
    await run(state.edit_vehicle(own_vehicle_form(color="Red")))
    assert await arrive(state, PAYMENT) == VEHICLE


async def test_a_press_books_once_and_leads_to_the_guests_page(desk: Desk):
    state = await at_payment()
    assert (state.held_until, state.hold) == (clock.time_of_day(desk.until), HELD)
    assert await press(state) == "/manage/link-booking-0"
    assert await press(state) == "/manage/link-booking-0"
    assert len(desk.booked) == 1
    assert desk.held == [SLOTS[0].id]
    assert await arrive(state, PAYMENT) == CONTACT
    assert state.contact["email"] == ""
    told = await said(state._get_root_state())  # type: ignore[arg-type]
    assert ". The link to this page is on its way to ada@example.com. " in told[-1]
    assert told[-1].endswith(" Your card is being authorized now.")


async def test_a_window_that_cannot_be_held_says_so(desk: Desk):
    state = await opened()
    await run(state.accept_terms(True))
    await run(state.submit_contact(whole_form()))
    await run(state.submit_vehicle(own_vehicle_form()))
    await arrive(state, TIME)
    desk.fill(0)
    desk.refusal = refusals.SlotFull()
    assert redirected(await answer(state.schedule({}))) is None
    assert (state.refusal, state.slot) == (str(refusals.SlotFull()), "")
    await run(state.choose_slot(SLOTS[1].id))
    desk.refusal = refusals.TooManySlotHolds()
    assert redirected(await answer(state.schedule({}))) is None
    assert state.refusal == str(refusals.TooManySlotHolds())
    assert redirected(await answer(state.schedule({}))) == PAYMENT


async def test_the_hold_says_its_last_minute_and_its_end(desk: Desk, monkeypatch):
    state = await at_payment()
    waits = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)
        assert state._until
        state._until -= timedelta(seconds=seconds)
        if len(waits) > 1:
            seen.append(state.hold)

    seen: list[str] = []
    monkeypatch.setattr(slots.asyncio, "sleep", wait)
    await run(GuestFillState.event_handlers["watch"].fn(state))
    assert (seen, state.hold) == ([HELD, SOON], LAPSED)
    assert 830 < waits[1] < 841


async def test_a_lapsed_hold_is_renewed_if_the_window_is_still_free(desk: Desk):
    state = await at_payment()
    state._until = clock.now()
    await arrive(state, PAYMENT)
    assert state.hold == LAPSED
    desk.refusal = refusals.SlotFull()
    await run(state.renew())
    assert (state.hold, state.refusal) == (LAPSED, str(refusals.SlotFull()))
    await run(state.choose_slot(SLOTS[0].id))
    await run(state.renew())
    assert state.hold == HELD


async def test_a_failing_database_says_so_and_keeps_everything(desk: Desk, monkeypatch):
    state = await at_payment()
    desk.refusal = OSError("away")
    assert await press(state) is None
    assert (state.refusal, state.busy) == (FAILED, False)
    assert await press(state) == "/manage/link-booking-0"

    async def away(*_: Any, **__: Any) -> Any:
        raise OSError("away")

    monkeypatch.setattr(locations, "check", away)
    other = await opened()
    await run(other.accept_terms(True))
    assert redirected(await answer(other.submit_contact(whole_form()))) is None
    assert (other.refusal, other.place["street"]) == (FAILED, "1 Main Street")


async def test_without_a_card_nothing_is_promised(desk: Desk):
    state = await at_payment()
    desk.refusal = refusals.NeedsCard()
    assert await press(state) is None
    assert (state.refusal, state.has_card) == (str(refusals.NeedsCard()), False)


async def test_what_a_signed_in_person_types_is_theirs_alone():
    state = await opened(cookie=await cookie_of())
    assert state._is_private
    shared = await opened(cookie=f"{COOKIE}={await a_token()}")
    assert not shared._is_private


async def test_price_and_next_free_time_are_said_before_the_name(monkeypatch):
    state = await opened()
    assert (state.offer, focused(await answer(state.check_zip({"zip_code": "3"})))) == (
        "",
        "guest_zip_zip_code",
    )
    assert state.offer_error == "ZIP code must be 5 digits"
    asked = [
        FirstOffer(FuelPrice(3459), "Tue, Nov 24, 8 AM"),
        FirstOffer(None, "Tue, Nov 24, 8 AM"),
        FirstOffer(None, ""),
    ]
    offers = iter(asked)

    async def first_offer(zip_code: str) -> FirstOffer:
        if zip_code == ELSEWHERE_ZIP:
            raise refusals.OutsideArea(zip_code)
        return next(offers)

    monkeypatch.setattr(services, "first_offer", first_offer)
    await run(state.check_zip({"zip_code": "34236"}))
    assert (state.place["zip_code"], state.edition, state.offer_error) == ("34236", 1, "")
    said = ["In 34236, regular is $3.46 a gallon today. The next free time is Tue, Nov 24, 8 AM."]
    said += ["In 34236, the next free time is Tue, Nov 24, 8 AM."]
    said += ["In 34236, all times are taken just now."]
    for text in said:
        assert state.offer == text
        await run(state.edit_contact(whole_form(zip_code="34236")))  # nothing new is asked
        if text != said[-1]:
            await run(state.arrive())
    await run(state.edit_contact(whole_form(zip_code=ELSEWHERE_ZIP)))
    assert (state.offer, state.is_outside) == ("", True)
    assert state.offer_error == f"We do not serve {ELSEWHERE_ZIP} yet."
    sent = await answer(state.check_zip({"zip_code": ELSEWHERE_ZIP}))
    assert focused(sent) == "guest_zip_zip_code"


async def test_a_dispatcher_books_for_a_caller_who_adds_the_card_later(desk: Desk):
    tab = await AdminTab.at(CONTACT, Role.DISPATCHER)
    state, cookie = await tab.screen(GuestFillState), tab.tab.router.headers.cookie

    async def at(address: str) -> str | None:
        go_to(state._get_root_state(), address, cookie=cookie)
        return redirected(await answer(state.arrive()))

    await tab.fire(GuestFillState.arrive)
    assert state.is_desk
    assert redirected(await answer(state.submit_contact(whole_form()))) == VEHICLE
    assert redirected(await answer(state.submit_vehicle(own_vehicle_form()))) == TIME
    assert await at(TIME) is None
    assert redirected(await answer(state.schedule({}))) == PAYMENT
    assert await at(PAYMENT) is None
    sent = await answer(state.book({"reason": "called, no account"}))
    assert (state.refusal, state.is_desk) == ("", True)
    assert redirected(sent) == "/customer-dashboard?guest=booking-0"
    assert desk.given[-1]["reason"] == "called, no account"
    [key] = desk.booked
    assert well_formed_id(key)  # by it the payer is found: never one for all callers
    assert not state.ready
    assert (await tab.said())[-1].endswith("is on its way to ada@example.com")
    assert await press(state) == "/customer-dashboard?guest=booking-0"
    assert len(desk.booked) == 1
    assert redirected(await answer(state.begin_anew())) == CONTACT
    assert (state.contact_given, state.contact["email"]) == (False, "")


async def test_a_visitor_is_no_desk():
    state = await at_payment()
    assert not state.is_desk
