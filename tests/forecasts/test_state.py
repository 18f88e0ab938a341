"""The dashboard's card of when cars are due."""

from datetime import timedelta
from typing import Any

import pytest
import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import COOKIE
from fuel_app.bookings.tables import StoredBooking
from fuel_app.forecasts.rules.forecasts import Learning
from fuel_app.forecasts.service import due_bookings
from fuel_app.forecasts.state import CarLine, DueState, SeatLine
from fuel_app.forecasts.tables import FillElsewhere
from fuel_app.kit.db.session import transaction
from tests.forecasts.due import proposed, the_proposal
from tests.helpers.bookings import NOW, Customer, a_car, a_customer, an_area, booked, slot, stored
from tests.helpers.bookings import at as set_clock
from tests.helpers.customers import at, said
from tests.helpers.outbox import run_worker
from tests.helpers.people import a_person, rows
from tests.helpers.signed_in import cookie_for
from tests.helpers.stored_bookings import a_fill
from tests.helpers.tabs import run

pytestmark = pytest.mark.usefixtures("sqlite_database")
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, NOW)


async def filled(area_id: str, who: Customer, *days: int) -> None:
    for each in days:
        await a_fill(area_id, who.id, NOW - each * DAY, 11_200, 4000, vehicle_id=who.car_id)


async def opened(who: Customer) -> rx.State:
    return await at(routes.DASHBOARD, f"{COOKIE}={await cookie_for(who.id)}")


async def press(tab: rx.State, event: str, *values: Any) -> list[CarLine]:
    """Run an event of the card. Return the cars that it shows."""
    state = await tab.get_state(DueState)
    await run(getattr(state, event)(*values))
    return state.cars


async def test_cars_show_their_day_and_one_tap_counts_from_today():
    area_id, who = await an_area(), await a_customer()
    async with transaction() as session:
        session.add(a_car(who.id, 2))
    await filled(area_id, who, 2, 9, 16, 23)
    tab = await opened(who)
    camry, other = await press(tab, "arrive")
    assert (camry.id, camry.title) == (who.car_id, "2020 Toyota Camry · GUL 1")
    assert (camry.when, camry.is_elsewhere) == ("Due around Sat, Nov 28", False)
    assert camry.span.startswith("Between Nov 2")
    assert (camry.may_tell, other.may_tell) == (True, False)
    assert (other.when, other.span) == (Learning(0).text(NOW), "")
    camry, _ = await press(tab, "tell_elsewhere", who.car_id)
    assert (camry.when, camry.is_elsewhere) == ("Due around Mon, Nov 30", True)
    camry, _ = await press(tab, "undo_elsewhere", who.car_id)
    assert (camry.when, camry.is_elsewhere) == ("Due around Sat, Nov 28", False)
    assert await said(tab) == ["Noted: filled elsewhere today", "Undone"]
    await booked(who, slot(area_id))
    assert (await press(tab, "arrive"))[0].when == "Booked for Tue, Nov 24"


async def test_car_beyond_its_span_is_asked_about():
    area_id, who = await an_area(), await a_customer()
    await filled(area_id, who, 40, 47, 54)
    (line,) = await press(await opened(who), "arrive")
    assert line.when == "Was due around Wed, Oct 21. Filled elsewhere?"


async def test_nothing_is_shown_before_the_first_fill_and_to_staff():
    await an_area()
    assert await press(await opened(await a_customer()), "arrive") == []
    admin = await a_person(Role.ADMIN, email="admin@example.com")
    tab = await at(routes.DASHBOARD, f"{COOKIE}={await cookie_for(admin.id, second_factor=True)}")
    assert await press(tab, "arrive") == []


async def test_car_of_another_tab_that_is_gone_is_refused_in_words():
    area_id, who = await an_area(), await a_customer()
    await filled(area_id, who, 2, 9, 16)
    tab = await opened(who)
    other = await a_customer(2)
    await press(tab, "tell_elsewhere", other.car_id)
    assert await said(tab) == ["This vehicle is not there any more."]
    assert await rows(FillElsewhere) == []


async def seats(tab: rx.State) -> list[SeatLine]:
    return (await tab.get_state(DueState)).seats


async def test_switch_has_a_seat_held_and_one_press_books_it():
    area_id, who = await an_area(), await a_customer()
    await filled(area_id, who, 4, 11, 18, 25)
    tab = await opened(who)
    (camry,) = await press(tab, "arrive")
    assert (camry.books_when_due, camry.hint) == (False, "We hold a seat and ask you first")
    (camry,) = await press(tab, "toggle", who.car_id)
    assert camry.books_when_due
    await run_worker()  # the job finds it held
    assert camry.when == "A seat is held for Thu, Nov 26"
    (seat,) = await seats(tab)
    assert (seat.car, seat.may_confirm) == ("2020 Toyota Camry", True)
    assert seat.when.startswith("Thursday, November 26, 2026, ")
    assert "we hold up to" in seat.price
    assert seat.until.startswith("Confirm or skip until Wednesday, November 25")
    state = await tab.get_state(DueState)
    away = await run(state.confirm(seat.id))
    (visit,) = await booked_visits()
    assert routes.booking(visit.id) in str(away)
    await press(tab, "confirm", seat.id)  # a double click
    assert state.cars[0].when == "Booked for Thu, Nov 26"
    assert (await seats(tab), len(await booked_visits())) == ([], 1)
    await press(tab, "toggle", who.car_id)
    assert await said(tab) == ["Turned on: we ask you first", "Turned off"]


async def test_seat_that_another_tab_has_skipped_is_refused_in_words():
    _, who, proposal = await proposed()
    tab = await opened(who)
    await press(tab, "arrive")
    await due_bookings.skip(who.actor, proposal.id)
    await press(tab, "confirm", proposal.id)
    assert await said(tab) == ["This seat is not held for you any more: you skipped it."]
    assert (await seats(tab), await booked_visits()) == ([], [])


async def test_skipped_seat_goes_back():
    _, who, proposal = await proposed()
    tab = await opened(who)
    await press(tab, "arrive")
    await press(tab, "skip", proposal.id)
    assert await said(tab) == ["Skipped: the seat has gone back"]
    assert (await seats(tab), await booked_visits()) == ([], [])


async def test_another_ones_seat_is_not_confirmed_or_skipped():
    _, _, proposal = await proposed()
    other = await a_customer(2)
    tab = await opened(other)
    for event in ("arrive", "confirm", "skip"):
        await press(tab, event, *([proposal.id] if event != "arrive" else []))
    assert await said(tab) == ["This seat is not held for you any more."]
    assert (await the_proposal()).state == "open"


async def test_no_switch_without_an_active_plan():
    area_id, who = await an_area(), await a_customer(state="incomplete")
    await filled(area_id, who, 4)
    tab = await opened(who)
    (camry,) = await press(tab, "arrive")
    assert camry.hint == "Begins once there are 3 fills"
    assert not (await tab.get_state(DueState)).may_switch


async def booked_visits() -> list[StoredBooking]:
    return [each for each in await stored() if each.state == "booked"]
