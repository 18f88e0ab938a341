"""An open booking follows what is done with it, and nothing else."""

import asyncio

import pytest

from fuel_app import routes
from fuel_app.bookings import queries
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.state.customer import CustomerState
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import Changes
from fuel_app.scheduling.state.booking import OwnBookingState
from tests.helpers.customers import at, cookie_of
from tests.helpers.open_area import open_area
from tests.helpers.stored_bookings import a_booking
from tests.helpers.tabs import run

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def drive_to(booking: StoredBooking) -> None:
    async with transaction() as session:
        await queries.change(session, booking.id, booking.revision, {"state": "en_route"})


async def test_screen_follows_its_booking_alone(monkeypatch):
    listening, looked = asyncio.Event(), asyncio.Queue[str]()
    keep_up, wait = OwnBookingState._keep_up, Changes.next

    async def noted(self):
        await keep_up(self)
        looked.put_nowait(self.card.status)

    async def waiting(self, seconds=None):
        listening.set()
        return await wait(self, seconds)

    monkeypatch.setattr(OwnBookingState, "_keep_up", noted)
    monkeypatch.setattr(Changes, "next", waiting)
    area, cookie = await open_area(), await cookie_of("ada@example.com")
    account = (await (await at(routes.ACCOUNT, cookie)).get_state(CustomerState))._opened
    person_id = account.session.person_id  # type: ignore[attr-defined]
    booking, other = await a_booking(area, person_id), await a_booking(area, days=5)
    tab = await at(routes.booking(booking.id), cookie)
    state = await tab.get_state(OwnBookingState)
    await run(state.arrive())
    task = asyncio.create_task(run(OwnBookingState.follow.fn(state)))
    async with asyncio.timeout(5):
        await listening.wait()
        await drive_to(other)
        await drive_to(booking)
        assert await looked.get() == "On the way"
    task.cancel()
    assert looked.empty()
