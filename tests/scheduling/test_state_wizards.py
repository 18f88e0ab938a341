"""Both wizards with the services behind them, without a stand-in."""

import pytest

from fuel_app.accounts.state.session import COOKIE
from fuel_app.bookings.rules.bookings import SlotFull
from fuel_app.bookings.service import access
from fuel_app.scheduling.state.wizards import FillUpState, GuestFillState
from tests.factories import own_vehicle_form
from tests.helpers.bookings import NOW, Customer, a_customer, an_area, at
from tests.helpers.cards import guest_with_card
from tests.helpers.signed_in import cookie_for
from tests.helpers.tabs import answer, go_to, redirected, run, tab_at
from tests.scheduling.test_state_fill_up import PIN, STEPS, fixed_position
from tests.scheduling.test_state_guest_fill import STEPS as GUEST_STEPS
from tests.scheduling.test_state_guest_fill import whole_form

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOW)


async def at_time(customer: Customer) -> FillUpState:
    cookie = f"{COOKIE}={await cookie_for(customer.id)}"
    tab = tab_at(STEPS[0], cookie=cookie)
    state = await tab.get_state(FillUpState)
    for address, submit in zip(
        STEPS, (state.submit_vehicle, state.submit_location, None), strict=True
    ):
        go_to(tab, address, cookie=cookie)
        assert redirected(await answer(state.arrive())) is None
        if submit:
            assert redirected(await answer(submit({})))
    return state


async def show_card(state: GuestFillState) -> None:
    state._payer_key = await guest_with_card()
    await run(state.arrive())


async def at_payment() -> GuestFillState:
    tab = tab_at(GUEST_STEPS[0])
    state = await tab.get_state(GuestFillState)
    await run(state.accept_terms(True))
    for address, submit in zip(
        GUEST_STEPS,
        (
            lambda: state.submit_contact(whole_form()),
            lambda: state.submit_vehicle(own_vehicle_form(license_plate="GST 1")),
            lambda: state.schedule({}),
            lambda: show_card(state),
        ),
        strict=True,
    ):
        go_to(tab, address)
        assert redirected(await answer(state.arrive())) is None
        await run(submit())
        assert state.refusal == ""
    return state


async def pressed(state: FillUpState | GuestFillState) -> str:
    book = state.schedule if isinstance(state, FillUpState) else state.book
    return redirected(await answer(book({}))) or state.refusal


async def test_a_customer_books_an_own_vehicle_at_a_saved_place():
    await an_area()
    customer = await a_customer()
    state = await at_time(customer)
    assert state.slot.endswith("-2026-11-24-08")
    assert state.price.lines[1].amount == "Included in your plan: 4 fills left"
    address = await pressed(state)
    [booked] = await access.upcoming(customer.actor)
    assert address == f"/bookings/{booked.id}"
    assert (booked.fills[0].car.id, booked.place.street) == (customer.car_id, "100 Main St")
    assert await pressed(state) == address


async def test_the_last_place_goes_to_the_first_of_two_tabs():
    await an_area(capacity=1)
    one, other = await at_time(await a_customer(1)), await at_time(await a_customer(2))
    assert (await pressed(one)).startswith("/bookings/")
    assert await pressed(other) == str(SlotFull())
    assert other.days[0].slots[0].note == "Full"


async def test_a_guest_books_what_the_tab_holds_and_manages_it_by_link(monkeypatch):
    await an_area(capacity=1)
    await fixed_position(monkeypatch, PIN)
    guest = await at_payment()
    late = await at_time(await a_customer())
    assert not late.slot.endswith("-2026-11-24-08")  # held
    address = await pressed(guest)
    link = access.guest_of(address.removeprefix("/manage/"))
    assert link
    booked = await access.find(link, link.booking_id)
    assert booked
    assert (booked.contact["email"], booked.slot_id[-13:]) == ("ada@example.com", "2026-11-24-08")
    assert await pressed(guest) == address


async def test_a_held_window_is_not_another_tabs(monkeypatch):
    await an_area(capacity=1)
    await fixed_position(monkeypatch, PIN)
    one, other = await at_payment(), await at_payment()
    assert one.slot != other.slot
