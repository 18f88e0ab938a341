"""An open area with prices, and customers who may book there."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import func, select, update

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas import queries
from fuel_app.areas.rules.hours import default_week
from fuel_app.areas.rules.prices import GRADES
from fuel_app.areas.tables import Area, StoredPrice
from fuel_app.bookings.rules.bookings import Booking, Car, Location, Request
from fuel_app.bookings.rules.estimates import Estimate
from fuel_app.bookings.service import bookings
from fuel_app.bookings.tables import SlotSeat, StoredBooking
from fuel_app.customers.rules.customers import FreeFillOffer
from fuel_app.customers.rules.sign_up import Contact
from fuel_app.customers.service import account
from fuel_app.customers.tables import StoredAddress, StoredCustomer, StoredVehicle
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.money import Money
from fuel_app.plans.tables import Subscription
from tests.helpers.cards import guest_with_card, person_with_card
from tests.helpers.open_area import ZIP, open_area
from tests.helpers.people import a_person

NOW = datetime(2026, 11, 23, 15, tzinfo=UTC)  # a Monday, 10:00 in New York
TODAY = date(2026, 11, 23)
MILLS = 3459
STAFF = Actor(frozenset({Role.DISPATCHER}), session_id="s" * 36)

CAR = Car(
    "Toyota",
    "Camry",
    "2020",
    "Blue",
    "GUL 123",
    "FL",
    "regular",
    160,
    "Unlocked",
)
PLACE = Location(
    street="100 Main St",
    city="Sarasota",
    state="FL",
    zip_code=ZIP,
    spot="Driveway",
    lat=27.33,
    lng=-82.54,
)
CONTACT = Contact.parse(
    {
        "first_name": "Gus",
        "last_name": "Guest",
        "email": "gus@example.com",
        "phone": "941-555-0199",
    }
)


def at(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    """Set the clock of the services."""
    monkeypatch.setattr(clock, "now", lambda: moment)


def offer_free_fills(monkeypatch: pytest.MonkeyPatch, cap: Money | None = None) -> None:
    """Offer everybody a free first fill."""

    async def offer(*_: object) -> FreeFillOffer:
        return FreeFillOffer(cap)

    monkeypatch.setattr(account, "free_fill", offer)


@dataclass(frozen=True)
class Customer:
    """A customer with a car and a place."""

    actor: Actor
    car_id: str
    place_id: str

    @property
    def id(self) -> str:
        return self.actor.person_id

    def wants(self, slot_id: object, **more: Any) -> Request:
        """Return a request for the own car, or for another `car`."""
        if "car" in more:
            more["cars"] = (more.pop("car"),)
        return replace(Request(slot_id, (self.car_id,), self.place_id), **more)


async def an_area(*zips: str, capacity: int = 6) -> str:
    """Open an area with prices. Return its id."""
    area_id = await open_area(*zips)
    async with transaction() as session:
        await queries.set_week(session, area_id, default_week(capacity))
        theirs = update(Area).where(Area.id == area_id)  # type: ignore[arg-type]
        await session.execute(theirs.values(opened_at=NOW - timedelta(days=30)))
    await set_price(area_id, MILLS)
    return area_id


async def set_price(area_id: str, mills: int, effective_at: datetime | None = None) -> None:
    """Set the price of every grade."""
    shared = {"area_id": area_id, "mills": mills, "source": "Test", "set_by": "system"}
    since = effective_at or NOW - timedelta(days=1)
    async with transaction() as session:
        session.add_all(StoredPrice(grade=each, effective_at=since, **shared) for each in GRADES)


def a_car(person_id: str, number: int = 1) -> StoredVehicle:
    return StoredVehicle(
        person_id=person_id,
        make="Toyota",
        model="Camry",
        year="2020",
        color="Blue",
        license_plate=f"GUL {number}",
        plate_state="FL",
        grade="regular",
        tank_tenths=160,
        fuel_door="Unlocked",
    )


def a_place(person_id: str) -> StoredAddress:
    known = ("street", "city", "state", "zip_code", "spot", "lat", "lng", "is_approximate")
    return StoredAddress(person_id=person_id, **{name: getattr(PLACE, name) for name in known})


async def a_customer(number: int = 1, *, plan: str = "family", **more: Any) -> Customer:
    """Store a customer with a verified e-mail, a card, a car and a place; the plan is active."""
    state = more.pop("state", "active")
    has_card = more.pop("has_card", True)
    more = {"phone": f"941555{number:04}"} | more
    person = await a_person(email=f"person{number}@example.com", password=None, **more)
    car, place = a_car(person.id, number), a_place(person.id)
    period = {} if state == "incomplete" else {
        "anchor": TODAY,
        "period_starts": TODAY,
        "period_ends": clock.months_later(TODAY, 1),
        "started_at": NOW,
    }  # fmt: skip
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person.id, zip_code=ZIP, has_card=has_card))
        session.add(Subscription(person_id=person.id, plan_id=plan, state=state, **period))
        session.add_all((car, place))
        if has_card:
            await person_with_card(session, person.id)
    return Customer(Actor(frozenset({Role.CUSTOMER}), person.id), car.id, place.id)


def slot(area_id: str, day: int = 1, opens: int = 8) -> str:
    """Return the id of a slot some days from today."""
    return f"{area_id}-{TODAY + timedelta(days=day)}-{opens:02}"


async def seen_by(who: Customer, request: Request) -> Estimate:
    return await bookings.estimate_fill(who.actor, request)


async def booked(who: Customer, slot_id: str, **more: Any) -> Booking:
    """Book a visit as its customer would, for their own car, another `car` or several `cars`."""
    request = who.wants(
        slot_id, **{name: more.pop(name) for name in ("car", "cars") if name in more}
    )
    more = {"key": str(uuid4()), "seen": await seen_by(who, request)} | more
    return await bookings.book(who.actor, request, **more)


def another_car(number: int) -> Car:
    """Return a car with a plate of its own."""
    return replace(CAR, license_plate=f"GST {number}")


async def booked_by_guest(
    slot_id: str,
    contact: Contact = CONTACT,
    car: Car = CAR,
    cars: tuple[Car, ...] = (),
    **more: Any,
) -> Booking:
    request = Request(slot_id, cars or (car,), PLACE)
    seen = await bookings.estimate_fill(None, request)
    more = {"key": str(uuid4()), "hold_id": "", "address": "198.51.100.7"} | more
    more.setdefault("payer_key", await guest_with_card())
    return await bookings.book_guest(contact, request, seen=seen, **more)


async def taken(slot_id: str) -> int:
    """Return how many places of a slot are booked."""
    async with reading() as session:
        rows = select(func.count()).select_from(SlotSeat)
        theirs = rows.where(SlotSeat.slot_id == slot_id, SlotSeat.booking_id.is_not(None))  # type: ignore[union-attr, arg-type]
        return await session.scalar(theirs) or 0


async def stored() -> list[StoredBooking]:
    async with reading() as session:
        return list(await session.scalars(select(StoredBooking)))
