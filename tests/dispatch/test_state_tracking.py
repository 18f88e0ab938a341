"""The tracking page: only the link opens it, and it follows the technician."""

import asyncio

import pytest

from fuel_app import routes
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.state import tracking
from fuel_app.dispatch.state.tracking import TrackingState
from fuel_app.dispatch.tables import StoredShift, StoredStop
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import BOOKINGS, one, signals
from fuel_app.messages.rules.kinds import TRACKED
from tests.helpers.bookings import TODAY, an_area, at
from tests.helpers.dispatch import a_shift, a_technician, a_truck, change_stop, on_route
from tests.helpers.signed_in import a_person
from tests.helpers.stored_bookings import PLACE, a_booking, change
from tests.helpers.tabs import go_to, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")

EIGHT = on_clock(TODAY, 8)


@pytest.fixture
async def booking(monkeypatch) -> StoredBooking:
    """A dispatched booking, on a route of its own."""
    at(monkeypatch, EIGHT)
    return await a_booking(await an_area(), days=0)


@pytest.fixture
async def stop(booking) -> StoredStop:
    shift = await a_shift(await a_truck(name="Manatee"), await a_technician(), day=TODAY)
    return (await on_route(shift, booking, published=True))[0]


def link(booking: StoredBooking) -> str:
    return routes.track(secrets.token(TRACKED, booking.id))


async def page_at(address: str, connection: str = "connection-1") -> TrackingState:
    state = await tab_at(address, connection=connection).get_state(TrackingState)
    await run(state.arrive())
    return state


async def test_link_shows_sentence_steps_and_technician_and_no_id(booking, stop):
    state = await page_at(link(booking))
    card = state.card
    assert card.sentence == "Tech1 comes to you next, 8:00–8:25 AM"  # noqa: RUF001
    assert (card.technician, card.truck, card.before, card.car) == ("Tech1", "Manatee", "", [])
    assert [step.label for step in card.steps] == [
        *("Booked", "On the way", "Arrived", "Fueling", "Done")
    ]
    assert [step.is_current for step in card.steps] == [True, False, False, False, False]
    sent = str(state.dict())
    for secret in (booking.id, stop.id, stop.shift_id, secrets.token(TRACKED, booking.id)):
        assert secret not in sent


async def test_car_and_truck_are_on_the_map_on_the_way_and_all_steps_done_at_the_end(booking, stop):
    await change(booking, state="en_route")
    await change_stop(stop, driving_at=EIGHT)
    async with transaction() as session:
        shift = await session.get_one(StoredShift, stop.shift_id)
        shift.sqlmodel_update({"lat": 27.35, "lng": -82.5, "position_at": clock.now()})
    state = await page_at(link(booking))
    assert state.places == [[PLACE.lat, PLACE.lng], [27.35, -82.5]]
    assert [(step.at, step.is_done) for step in state.card.steps[:2]] == [
        ("", True),
        ("8:00 AM", False),
    ]
    await change(booking, state="completed", completed_at=EIGHT)
    await change_stop(stop, ended_at=EIGHT)
    await run(state.arrive())
    assert state.places == []
    assert all(step.is_done for step in state.card.steps)
    await change(booking, state="cancelled")
    await run(state.arrive())
    assert (state.card.sentence, state.card.steps) == ("This fill-up is cancelled", [])


@pytest.mark.parametrize(
    ("state", "way", "of_customer", "of_guest"),
    [
        ("booked", "See your booking", routes.DASHBOARD, ""),
        ("weather_hold", "See your booking", routes.DASHBOARD, ""),
        ("cancelled", "Book another time", routes.SCHEDULE, routes.ONE_TIME_FILL),
        ("failed", "Book another time", routes.SCHEDULE, routes.ONE_TIME_FILL),
        ("completed", "", "", ""),
    ],
)
async def test_page_leads_to_what_can_be_done(booking, state, way, of_customer, of_guest):
    await change(booking, state=state)
    page = await page_at(link(booking))
    assert page.card.href == of_guest
    assert page.card.way == (way if of_guest else "")
    await change(booking, person_id=await a_person())
    await run(page.arrive())
    assert (page.card.way, page.card.href) == (way, of_customer)


@pytest.mark.parametrize("token", ["x", "link", ""])
async def test_unknown_link_says_so_calmly(booking, stop, token):
    state = await page_at(routes.track(token))
    assert state.card.sentence == ""
    assert state.problem == "This tracking link has ended."


async def test_page_follows_steps_and_ends_with_its_link(booking, stop, waiting, monkeypatch):
    monkeypatch.setattr(tracking, "_PAUSE_S", 0)
    state = await page_at(link(booking))
    task = asyncio.create_task(run(TrackingState.event_handlers["follow"].fn(state)))
    for at_state, sentence in (
        ("arrived", "Tech1 has arrived"),
        ("booked", "Your fill-up is planned for"),
    ):
        await waiting.wait()
        waiting.clear()
        await change(booking, state=at_state)
        await signals().publish(one(BOOKINGS, booking.id))
        await waiting.wait()
        assert state.card.sentence.startswith(sentence)
    waiting.clear()
    at(monkeypatch, on_clock(TODAY, 40))
    await signals().publish(one(BOOKINGS, booking.id))
    await asyncio.wait([task])
    assert (state.card.sentence, state.problem) == ("", "This tracking link has ended.")


async def test_another_connection_sees_nothing_of_it_without_the_link(booking, stop):
    state = await page_at(link(booking))
    tab = state._get_root_state()
    go_to(tab, routes.track("x"), connection="an attacker's")
    assert not state._is_open()
    await run(TrackingState.event_handlers["follow"].fn(state))
    assert state.card.sentence == ""
    go_to(tab, link(booking), connection="connection-2")
    await run(state.arrive())
    assert state._is_open()
    assert state.card.sentence != ""


async def test_a_page_without_a_link_is_not_followed(booking, stop):
    state = await page_at(routes.track("x"))
    async with asyncio.timeout(1):
        await run(TrackingState.event_handlers["follow"].fn(state))
