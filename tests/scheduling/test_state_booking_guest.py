"""A guest's booking by its link."""

import pytest

from fuel_app import routes
from fuel_app.kit import secrets
from fuel_app.messages.rules.kinds import MANAGED, TRACKED
from fuel_app.scheduling.state.booking import GuestBookingState
from tests.helpers.open_area import open_area
from tests.helpers.stored_bookings import GUEST, a_booking, change, stored
from tests.helpers.tabs import answer, go_to, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
async def area() -> str:
    return await open_area()


async def guest_at(link: str) -> GuestBookingState:
    state = await tab_at(f"{routes.MANAGE}/{link}").get_state(GuestBookingState)
    await run(state.arrive())
    return state


async def test_guest_manages_that_booking_alone_without_signing_in(area):
    booking, other = await a_booking(area), await a_booking(area, days=4)
    state = await guest_at(secrets.token(MANAGED, booking.id))
    assert (state.card.id, state.email) == (booking.id, GUEST["email"])
    await run(state.open_cancel())
    await run(state.cancel(state.card.cancel_label))
    assert state.card.status == "Cancelled"
    assert [(await stored(each)).state for each in (booking, other)] == ["cancelled", "booked"]


@pytest.mark.parametrize("forge", [lambda link: link[:-2], lambda _: "x", lambda _: "link"])
async def test_forged_token_finds_nothing(area, forge):
    booking = await a_booking(area)
    state = await guest_at(forge(secrets.token(MANAGED, booking.id)))
    assert (state.missing, state.card.id, state.email) == (True, "", "")
    assert state.arrival != ""  # so that its words are shown
    await run(state.open_cancel())
    await run(state.cancel(state.card.cancel_label))
    assert (await stored(booking)).state == "booked"


async def test_guests_screen_is_sent_to_the_connection_alone_that_has_the_link(area):
    booking = await a_booking(area)
    state = await guest_at(secrets.token(MANAGED, booking.id))
    assert state._is_open()
    link = secrets.token(MANAGED, booking.id)
    go_to(state._get_root_state(), f"{routes.MANAGE}/{link[:-1]}x", connection="an attacker's")
    await run(state.open_cancel())
    assert (state.missing, state.card.id, state.dialog) == (True, "", "")
    go_to(state._get_root_state(), f"{routes.MANAGE}/{link}", connection="connection-2")
    await run(state.arrive())
    assert (state._is_open(), state.card.id) == (True, booking.id)
    go_to(state._get_root_state(), f"{routes.MANAGE}/{link}", connection="connection-3")
    assert not state._is_open()


@pytest.mark.parametrize("state", ["dispatched", "en_route", "arrived", "fueling"])
async def test_guest_tracks_a_fill_on_its_route(area, state):
    booking = await a_booking(area)
    await change(booking, state=state)
    page = await guest_at(secrets.token(MANAGED, booking.id))
    assert page.card.can_track
    assert redirected(await answer(page.track())) == f"/track/{secrets.token(TRACKED, booking.id)}"


@pytest.mark.parametrize("state", ["booked", "weather_hold", "completed", "cancelled", "failed"])
async def test_nothing_is_tracked_before_publishing_and_after_the_end(area, state):
    booking = await a_booking(area)
    await change(booking, state=state)
    page = await guest_at(secrets.token(MANAGED, booking.id))
    assert not page.card.can_track
    assert await answer(page.track()) is None
