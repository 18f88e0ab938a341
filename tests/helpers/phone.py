"""A technician's phone: its actions, and the answers of the service."""

import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from sqlalchemy import select, update
from sqlmodel import col

from fuel_app.accounts.rules import Actor
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.tables import BookingEvent
from fuel_app.dispatch.rules.phones import SAFETY_CHECKS
from fuel_app.dispatch.service import phones
from fuel_app.dispatch.tables import PublishedDay, StoredShift, StoredStop, TechnicianAction
from fuel_app.kit import clock, policies
from fuel_app.kit.db.session import reading, transaction
from tests.helpers import dispatch, fills
from tests.helpers.bookings import NOW, TODAY, Customer, at, booked_by_guest, slot

ALL = {"checked": [each.id for each in SAFETY_CHECKS]}
METER = {"meter_start": "100.000", "meter_end": "112.345", "ticket": "T-1"}


def action(kind: str, stop: Any, data: Any = None, **differs: Any) -> dict[str, Any]:
    """Return an action as a phone keeps it, done just now."""
    data = data if data is not None else {"fuel": ALL, "complete": METER}.get(kind, {})
    known = {"id": str(uuid.uuid4()), "stop": stop, "kind": kind, "data": data, "at": ms()}
    return known | differs


def ms(moment: datetime | None = None) -> int:
    return round((moment or clock.now()).timestamp() * 1000)


async def send(by: Actor, *actions: Any) -> list[str]:
    """Send actions. Return why each was refused."""
    return [each.said for each in await phones.receive_actions(by, by.person_id, list(actions))]


async def do(by: Actor, stop: Any, *kinds: str) -> list[str]:
    """Take steps at a stop, one after the other."""
    return await send(by, *(action(kind, stop) for kind in kinds))


async def actions() -> list[TechnicianAction]:
    """Return what was heard, in its order."""
    async with reading() as session:
        rows = select(TechnicianAction).order_by(col(TechnicianAction.number))
        return list(await session.scalars(rows))


@dataclass
class Road:
    """A published day: one technician's route with one booking, and the clock at its window."""

    technician: Actor
    shift: StoredShift
    customer: Customer
    booking: Booking

    @property
    def id(self) -> str:
        return self.booking.id

    async def now(self) -> Booking:
        return await fills.now_of(self.booking)

    async def stop(self) -> StoredStop:
        [row] = [e for e in await dispatch.route(self.shift) if e.booking_id == self.id]
        return row

    async def do(self, *kinds: str) -> list[str]:
        return await do(self.technician, self.id, *kinds)

    async def told(self) -> dict[str, Any]:
        """Return the stop as the phone shows it."""
        day = await phones.read_day(self.technician)
        [found] = [each for each in day["stops"] if each["id"] == self.id]
        return found


async def a_road(monkeypatch: pytest.MonkeyPatch, *, held: bool = False, **more: Any) -> Road:
    customer, booking = await fills.a_booking(**more)
    if held:
        await fills.authorized(monkeypatch, booking)
    technician = await dispatch.a_technician()
    shift = await dispatch.a_shift(await dispatch.a_truck(), technician, booking.day)
    await dispatch.on_route(shift, booking, published=True)
    at(monkeypatch, booking.starts_at)
    return Road(technician, shift, customer, await fills.now_of(booking))


async def a_refill(road: Road) -> str:
    """Put a refill at the end of the route. Return its id."""
    row = StoredStop(shift_id=road.shift.id, place=9, leg_s=60, begins_at=road.shift.starts_at)
    async with transaction() as session:
        session.add(row)
    return row.id


async def close_day(shift: StoredShift) -> None:
    async with transaction() as session:
        (await session.get_one(PublishedDay, shift.day)).closed_at = clock.now()


def later(monkeypatch: pytest.MonkeyPatch, **by: Any) -> datetime:
    """Turn the clock on. Return the time."""
    moment = clock.now() + timedelta(**by)
    at(monkeypatch, moment)
    return moment


async def remove(shift: StoredShift) -> None:
    async with transaction() as session:
        await session.delete(await session.get_one(StoredShift, shift.id))


async def unpublish(shift: StoredShift) -> None:
    async with transaction() as session:
        await session.delete(await session.get_one(PublishedDay, shift.day))


async def a_guest(road: Road, monkeypatch: pytest.MonkeyPatch) -> Booking:
    """Book as Gus, a guest, in the next window, at the end of the route."""
    now = clock.now()
    at(monkeypatch, NOW)
    day = (road.booking.day - TODAY).days
    booking = await booked_by_guest(slot(road.booking.area_id, day, opens=10))
    at(monkeypatch, now)
    await dispatch.on_route(road.shift, booking, published=True)
    return booking


async def set_figure(name: str, number: int) -> None:
    async with transaction() as session:
        await policies.put(
            session, name, await policies.value(session, policies.POLICIES[name]), number
        )


async def reassign(road: Road) -> Actor:
    """Give the stop to another technician. Return that one."""
    other = await dispatch.a_technician(2)
    shift = await dispatch.a_shift(await dispatch.a_truck(), other, road.booking.day)
    async with transaction() as session:
        theirs = update(StoredStop).where(col(StoredStop.booking_id) == road.id)
        await session.execute(theirs.values(shift_id=shift.id))
        # As `publish` notes it.
        session.add(an_event(road.booking))
    road.shift = shift
    return other


def an_event(booking: Booking, kind: str = "publish") -> BookingEvent:
    about = {"booking_id": booking.id, "revision": 2, "state": booking.state, "before": {}}
    return BookingEvent(**about, kind=kind, actor="system", at=clock.now())


async def publish_once(road: Road) -> None:
    """Note that the booking was on a published route, as `publish` does."""
    async with transaction() as session:
        session.add(an_event(road.booking))


def picture(kind: str = "JPEG", size: tuple[int, int] = (8, 8)) -> bytes:
    file = BytesIO()
    Image.new("RGB", size, "navy").save(file, kind)
    return file.getvalue()
