"""An open booking follows what is done with it, and nothing else."""

import asyncio

import pytest

from fuel_app import routes
from fuel_app.bookings import queries
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.state.customer import CustomerState
from fuel_app.kit.db.session import transaction
from fuel_app.kit.signals import SHIFTS, Changes, one, signals
from fuel_app.scheduling.state.booking import OwnBookingState
from tests.helpers import bookings as company
from tests.helpers.customers import at, cookie_of
from tests.helpers.dispatch import a_shift, a_technician, a_truck, change_stop, on_route
from tests.helpers.open_area import open_area
from tests.helpers.stored_bookings import a_booking, change
from tests.helpers.tabs import run

pytestmark = pytest.mark.usefixtures("sqlite_database")


async def drive_to(booking: StoredBooking) -> None:
    async with transaction() as session:
        await queries.change(session, booking.id, booking.revision, {"state": "en_route"})


@pytest.fixture
def listening(monkeypatch) -> asyncio.Event:
    """Return an event that is set once something listens."""
    event, wait = asyncio.Event(), Changes.next

    async def waiting(self, seconds=None):
        event.set()
        return await wait(self, seconds)

    monkeypatch.setattr(Changes, "next", waiting)
    return event


async def test_screen_follows_its_booking_alone(monkeypatch, listening):
    looked, keep_up = asyncio.Queue[str](), OwnBookingState._keep_up

    async def noted(self):
        await keep_up(self)
        looked.put_nowait(self.card.status)

    monkeypatch.setattr(OwnBookingState, "_keep_up", noted)
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


async def test_screen_says_when_the_technician_comes_and_follows_the_route(monkeypatch, listening):
    company.at(monkeypatch, on_clock(company.TODAY, 8))
    area, cookie = await open_area(), await cookie_of("ada@example.com")
    account = (await (await at(routes.ACCOUNT, cookie)).get_state(CustomerState))._opened
    booking = await a_booking(area, account.session.person_id, days=0)  # type: ignore[attr-defined]
    state = await (await at(routes.booking(booking.id), cookie)).get_state(OwnBookingState)
    await run(state.arrive())
    assert (state.eta, state._shift_id) == ("", "")
    await change(booking, state="dispatched")  # by staff who have put it on no route yet
    await run(state.arrive())
    assert (state.eta, state._shift_id) == ("", "")
    shift = await a_shift(await a_truck(), await a_technician(), day=company.TODAY)
    (stop,) = await on_route(shift, booking, published=True)
    await run(state.arrive())
    assert state.eta == "Tech1 comes to you next, 8:00–8:25 AM"  # noqa: RUF001
    shown = asyncio.Queue[str]()
    show = OwnBookingState._show_arrival

    async def noted(self, booking):
        await show(self, booking)
        shown.put_nowait(f"{self.eta}. {self.eta_advice}")

    monkeypatch.setattr(OwnBookingState, "_show_arrival", noted)
    task = asyncio.create_task(run(OwnBookingState.follow.fn(state)))
    async with asyncio.timeout(5):
        await listening.wait()
        await change_stop(stop, leg_s=9000)
        await signals().publish(one(SHIFTS, shift.id))
        said = await shown.get()
    task.cancel()
    assert said == (
        "Tech1 comes to you next, 10:20–10:45 AM. "  # noqa: RUF001
        "That is after your window, Mon, Nov 23, 8–10 AM. We are sorry for the delay."  # noqa: RUF001
    )
