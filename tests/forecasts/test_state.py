"""The dashboard's card of when cars are due."""

from datetime import timedelta
from typing import Any

import pytest
import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import COOKIE
from fuel_app.forecasts.rules import Learning
from fuel_app.forecasts.state import CarLine, DueState
from fuel_app.forecasts.tables import FillElsewhere
from fuel_app.kit.db.session import transaction
from tests.helpers.bookings import NOW, Customer, a_car, a_customer, an_area, booked, slot
from tests.helpers.bookings import at as set_clock
from tests.helpers.customers import at, said
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
