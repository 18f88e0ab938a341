"""A customer's booking in one tab: own vehicles and places, windows, the price, one booking."""

from datetime import date
from typing import Any

import pytest

from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import COOKIE, SessionState
from fuel_app.areas.rules.places import Located
from fuel_app.bookings.rules.estimates import SpentFills
from fuel_app.customers.service import locations, vehicles
from fuel_app.joining.state import WaitlistState
from fuel_app.kit.db.session import reading
from fuel_app.scheduling.state.wizards import FillUpState, PinNeeded
from tests.factories import own_vehicle, own_vehicle_form, place, place_form
from tests.helpers.desk import SLOTS, estimate
from tests.helpers.open_area import ELSEWHERE_ZIP
from tests.helpers.people import a_person
from tests.helpers.signed_in import cookie_for
from tests.helpers.tabs import answer, focused, go_to, problems, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database", "desk")

PIN = Located(27.34, -82.54, is_approximate=False)
STEPS = VEHICLE, LOCATION, TIME = "/schedule", "/schedule/location", "/schedule/time"


async def opened(cookie: str, address: str = VEHICLE) -> FillUpState:
    state = await tab_at(address, cookie=cookie).get_state(FillUpState)
    await run(state.arrive())
    return state


@pytest.mark.usefixtures("cookie")
async def test_staff_without_an_account_of_a_customer_are_led_away():
    person = await a_person(Role.DISPATCHER, email="grace@example.com")
    state = await tab_at(VEHICLE).get_state(FillUpState)
    theirs = f"{COOKIE}={await cookie_for(person.id)}"
    assert await arrive(state, theirs, VEHICLE) == "/dashboard"
    assert not state.refusal


async def person_of(state: FillUpState) -> str:
    session = (await state.get_state(SessionState))._session
    assert session
    return session.person_id


async def arrive(state: FillUpState, cookie: str, address: str) -> str | None:
    go_to(state._get_root_state(), address, cookie=cookie)
    return redirected(await answer(state.arrive()))


async def at_time(cookie: str) -> FillUpState:
    """Return the last step of a customer with one vehicle and one place."""
    state = await opened(cookie)
    person_id = await person_of(state)
    await vehicles.save(person_id, own_vehicle())
    await locations.save(person_id, place(), pin=PIN)
    await run(state.arrive())
    await run(state.add_vehicle(""))
    await run(state.add_location(False))
    assert redirected(await answer(state.submit_vehicle({}))) == LOCATION
    await arrive(state, cookie, LOCATION)
    assert redirected(await answer(state.submit_location({}))) == TIME
    assert await arrive(state, cookie, TIME) is None
    return state


async def press(state: FillUpState) -> str | None:
    return redirected(await answer(state.schedule({})))


async def test_nothing_happens_while_it_is_a_preview():
    state = await tab_at(VEHICLE).get_state(FillUpState)
    assert await answer(state.arrive()) is None
    assert await press(state) is None
    assert (state.ready, state.refusal) == (False, "")


async def test_note_for_a_visit_begins_as_the_places_and_goes_with_the_booking(cookie, desk):
    state = await opened(cookie)
    person_id = await person_of(state)
    await vehicles.save(person_id, own_vehicle())
    (first, second) = [
        await locations.save(person_id, place(street=street, notes=notes), pin=PIN)
        for street, notes in (("1 Main Street", "By the gate"), ("2 Main Street", ""))
    ]
    await run(state.arrive())
    await run(state.add_vehicle(""))
    await run(state.add_location(False))
    await run(state.submit_vehicle({}))
    await arrive(state, cookie, LOCATION)
    for chosen, note in ((second.id, ""), (first.id, "By the gate")):
        await run(state.choose_location(chosen))
        assert state.visit_note == note
    sent = await answer(state.submit_location({"notes": "x" * 1001}))
    assert focused(sent) == "fill_up_place_notes"
    await run(state.submit_location({"notes": " Behind the house "}))
    await arrive(state, cookie, TIME)
    await press(state)
    assert desk.given[1].notes == "Behind the house"


@pytest.mark.parametrize("address", [LOCATION, TIME])
async def test_a_step_opened_by_its_address_starts_at_the_first_incomplete_one(cookie, address):
    state = await opened(cookie)
    assert await arrive(state, cookie, address) == VEHICLE


async def test_without_a_vehicle_the_form_is_there_at_once_and_saves_it(cookie):
    state = await opened(cookie)
    assert state.adding == "new"
    sent = await answer(state.submit_vehicle(own_vehicle_form(grade="")))
    assert focused(sent) == "fill_up_vehicle_grade"
    assert set(problems(state.vehicle_errors)) == {"grade"}
    assert redirected(await answer(state.submit_vehicle(own_vehicle_form()))) == LOCATION
    await arrive(state, cookie, LOCATION)
    assert [car.title for car in state.vehicles] == ["2022 Toyota Camry"]
    assert ([each.id for each in state.vehicles], state.adding) == (state.vehicle_ids, "")


async def test_a_vehicle_beyond_the_plan_says_so_and_keeps_what_was_typed(cookie):
    state = await opened(cookie)
    for plate in ("A", "B"):
        await vehicles.save(await person_of(state), own_vehicle(license_plate=plate))
    await run(state.add_vehicle("new"))
    assert redirected(await answer(state.submit_vehicle(own_vehicle_form()))) is None
    assert "covers 2 vehicles" in state.refusal
    assert state.vehicle["license_plate"] == "ABC 123"


async def test_only_a_plan_with_a_guest_fill_offers_another_car(cookie):
    state = await opened(cookie)
    await run(state.add_vehicle("guest"))
    assert state.adding == "new"
    state.has_guest_fill = True
    await run(state.add_vehicle("guest"))
    assert redirected(await answer(state.submit_vehicle(own_vehicle_form()))) == LOCATION
    async with reading() as session:
        assert await vehicles.of_person(session, await person_of(state)) == ()


async def test_a_typed_place_is_saved_or_used_for_this_booking_alone(cookie, monkeypatch):
    await fixed_position(monkeypatch, PIN)
    state = await opened(cookie)
    person_id = await person_of(state)
    await run(state.keep_address(False))
    assert redirected(await answer(state.submit_location(place_form()))) == TIME
    assert await locations.list_own(person_id) == ()
    await run(state.keep_address(True))
    assert redirected(await answer(state.submit_location(place_form()))) == TIME
    assert [each.street for each in await locations.list_own(person_id)] == ["1 Main Street"]


async def fixed_position(monkeypatch: pytest.MonkeyPatch, at: Located) -> None:
    async def locate(*_: Any, **__: Any) -> Located:
        return at

    monkeypatch.setattr(locations, "locate", locate)


async def test_an_approximate_place_waits_for_its_pin(cookie, monkeypatch):
    await fixed_position(monkeypatch, Located(27.34, -82.54, is_approximate=True))
    state = await opened(cookie)
    assert redirected(await answer(state.submit_location(place_form()))) is None
    assert (state.pin_note, state.pin) == (PinNeeded.message, [27.34, -82.54])
    await run(state.put_pin(60.0, 10.0))
    assert "too far" in state.pin_note
    await run(state.put_pin(27.341, -82.541))
    assert redirected(await answer(state.submit_location(place_form()))) == TIME
    assert (await locations.list_own(await person_of(state)))[0].lat == 27.341


async def test_a_place_outside_every_area_leads_to_the_waitlist_filled_in(cookie):
    state = await opened(cookie)
    sent = await answer(state.submit_location(place_form(zip_code=ELSEWHERE_ZIP)))
    assert (focused(sent), state.is_outside) == ("fill_up_place_zip_code", True)
    assert redirected(await answer(state.join_waitlist())) == "/?waitlist=true"
    waitlist = await state.get_state(WaitlistState)
    assert waitlist.form["email"] == "ada@example.com"
    assert waitlist.form["zip_code"] == ELSEWHERE_ZIP


async def test_the_last_step_says_vehicle_place_window_and_each_price(cookie):
    state = await at_time(cookie)
    assert state.car_name == "2022 Toyota Camry, ABC 123"
    assert state.location_name == "1 Main Street, Sarasota, FL 34236"
    assert state.window == "Tuesday, November 24, 2026, 8–10 AM"  # noqa: RUF001
    assert [(line.label, line.amount) for line in state.price.lines] == [
        ("Fuel, about 9.6 gallons at $3.46", "$33.21"),
        ("Convenience fee", "$15.00"),
    ]
    assert (state.price.total, state.refusal) == ("about $48.21", "")


async def test_a_fill_of_the_plan_says_how_many_are_left(cookie, desk):
    desk.now = estimate(pays_by="allowance", fills_left=3, fee=estimate().fills[0].tax)
    state = await at_time(cookie)
    assert state.price.lines[1].amount == "Included in your plan: 3 fills left"
    assert state.price.spent_note == ""


async def test_fee_beyond_the_plans_fills_says_why_and_what_would_cover_it(cookie, desk):
    desk.now = estimate(spent=SpentFills(4, date(2026, 12, 12), "Big Family Plan"))
    state = await at_time(cookie)
    assert state.price.larger_plan == "Big Family Plan"
    assert state.price.spent_note == (
        "All 4 fills of this period are booked or used. The next ones come on December 12, 2026."
    )
    last = SpentFills(1, None, "")
    assert last.note == "The one fill of this period is booked or used."


async def test_full_and_closed_windows_are_shown_and_cannot_be_chosen(cookie, desk):
    desk.fill(0)
    desk.close(1, "Thanksgiving")
    state = await at_time(cookie)
    assert [slot.note for slot in state.days[0].slots] == ["Full", "Closed: Thanksgiving", ""]
    assert state.slot == SLOTS[2].id
    for slot in (SLOTS[0].id, SLOTS[1].id, "", None, ["x"]):
        await run(state.choose_slot(slot))  # type: ignore[arg-type]
    assert state.slot == SLOTS[2].id
    await run(state.choose_day("2026-11-25"))
    assert (state.day, state.slot) == ("2026-11-25", SLOTS[3].id)
