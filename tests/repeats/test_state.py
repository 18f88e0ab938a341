"""A booking's card 'Repeat', and the dashboard's card of one's own repeats."""

from typing import Any

import pytest
import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import COOKIE
from fuel_app.repeats import service
from fuel_app.repeats.rules import CarRepeats
from fuel_app.repeats.state import RepeatState
from fuel_app.repeats.tables import StoredSeries
from fuel_app.scheduling.state.booking import OwnBookingState
from tests.helpers.bookings import NOW, Customer, a_customer, an_area, booked, slot
from tests.helpers.bookings import at as set_clock
from tests.helpers.customers import at, said
from tests.helpers.people import a_person, rows
from tests.helpers.signed_in import cookie_for
from tests.helpers.tabs import run

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture(autouse=True)
def today(monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, NOW)


async def opened(who: Customer, path: str = routes.DASHBOARD) -> tuple[rx.State, RepeatState]:
    tab = await at(path, f"{COOKIE}={await cookie_for(who.id)}")
    state = await tab.get_state(RepeatState)
    await run(state.arrive())
    return tab, state


async def press(state: RepeatState, event: str, *values: Any) -> None:
    await run(getattr(state, event)(*values))


async def test_booking_is_repeated_by_one_press_and_a_double_click_is_one():
    area_id, who = await an_area(), await a_customer()
    booking = await booked(who, slot(area_id))
    _, state = await opened(who, routes.booking(booking.id))
    assert (state.may_start, state.lines) == (True, [])
    await press(state, "start", 2)
    await press(state, "start", 2)
    assert (state.may_start, state.error) == (False, "")
    (line,) = state.lines
    assert line.title == "Every 2 weeks · Tuesdays, 8–10 AM"  # noqa: RUF001
    assert (line.cars, line.status) == ("2020 Toyota Camry", "Next date to book: Tue, Dec 8")
    assert line.href == routes.booking(booking.id)
    assert len(await rows(StoredSeries)) == 1


async def test_dashboard_pauses_resumes_and_ends_a_repeat():
    area_id, who = await an_area(), await a_customer()
    await service.start(who.actor, (await booked(who, slot(area_id))).id, 4)
    tab, state = await opened(who)
    (line,) = state.lines
    await press(state, "pause", line.id)
    assert state.lines[0].is_paused
    assert state.lines[0].status.startswith("Paused")
    await press(state, "resume", line.id)
    assert not state.lines[0].is_paused
    await press(state, "end", line.id)
    assert state.lines == []
    await press(state, "end", line.id)
    assert (
        await said(tab)
        == [
            "Paused: nothing more is booked",
            "The repeat goes on",
            "The repeat has ended",
            "This repeat has ended.",
        ][-3:]
    )


async def test_car_with_a_repeat_leads_to_it(monkeypatch):
    area_id, who = await an_area(), await a_customer()
    booking = await booked(who, slot(area_id))
    _, state = await opened(who, routes.booking(booking.id))
    other = await booked(who, slot(area_id, 2))
    await service.start(who.actor, other.id, 1)  # in another tab
    await press(state, "start", 1)
    assert state.error == str(CarRepeats("2020 Toyota Camry", other.id))
    assert state.other == routes.booking(other.id)
    assert [each.href for each in state.lines] == [state.other]
    await press(state, "arrive")
    assert state.error == state.other == ""


async def test_cancelled_booking_offers_no_repeat_any_more():
    area_id, who = await an_area(), await a_customer()
    booking = await booked(who, slot(area_id))
    tab, state = await opened(who, routes.booking(booking.id))
    own = await tab.get_state(OwnBookingState)
    await run(own.arrive())
    await run(own.open_cancel())
    await run(own.cancel(own.card.cancel_label))
    assert (own.card.has_ended, state.may_start) == (True, False)


async def test_staff_and_strangers_see_none():
    area_id, who, other = await an_area(), await a_customer(), await a_customer(2)
    booking = await booked(who, slot(area_id))
    await service.start(who.actor, booking.id, 1)
    for path in (routes.DASHBOARD, routes.booking(booking.id)):
        _, state = await opened(other, path)
        assert (state.may_start, state.lines) == (False, [])
    admin = await a_person(Role.ADMIN, email="admin@example.com")
    tab = await at(routes.DASHBOARD, f"{COOKIE}={await cookie_for(admin.id, second_factor=True)}")
    state = await tab.get_state(RepeatState)
    await run(state.arrive())
    assert state.lines == []
