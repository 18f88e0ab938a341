"""An open day: customers with cards and bookings for now, a technician, a dispatcher, a truck."""

from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, update
from sqlmodel import col

import fuel_app.fuel_app  # noqa: F401 (every table, job and consequence)
from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas import queries
from fuel_app.areas.rules.areas import OPEN
from fuel_app.areas.rules.hours import default_week
from fuel_app.areas.rules.prices import GRADES
from fuel_app.areas.tables import Area, AreaZip, StoredPrice
from fuel_app.billing.service import cards
from fuel_app.bookings.rules.slots import SlotId, on_clock
from fuel_app.bookings.service import authorizations
from fuel_app.bookings.tables import BookingEvent, StoredBooking, StoredFill
from fuel_app.customers.tables import StoredAddress, StoredCustomer, StoredVehicle
from fuel_app.dispatch.tables import StoredTruck
from fuel_app.kit import clock, jobs
from fuel_app.kit.clock import day_of, months_later, morning
from fuel_app.kit.db.session import transaction
from fuel_app.outcomes.service import checkouts
from fuel_app.plans.rules.ledger import PLAN, Reservation, grant_of
from fuel_app.plans.service import ledger, subscriptions
from fuel_app.plans.tables import Subscription
from tests.helpers.cards import add_at_page
from tests.helpers.dispatch import a_shift, on_route
from tests.helpers.open_area import ZIP
from tests.helpers.signed_in import a_person, cookie_for, session_of
from tests.helpers.stored_bookings import CAR, PLACE, with_a_fill

MILLS, GALLONS = 3459, 9_600
SUNDAY = 6
_MINUTE = timedelta(minutes=1)


async def seed(
    customers: int, *, published: bool = False, ahead: bool = False, family: bool = False
) -> dict[str, Any]:
    """Return cookies by role, those of the customers in the order of their bookings, the day.

    Args:
        published: The truck is on shift, with all on its route; without it, there is neither.
        ahead: Book them all in the first window of a weekday in two or three days.
        family: Each visit has two cars, which are in the customer's garage with their place; a Big
            Family plan covers both.
    """
    area_id = await _area()
    bookings = [await _booking(area_id, number) for number in range(1, customers + 1)]
    if family:
        for each in bookings:
            await _add_a_car(each)
    if ahead:
        await _move_ahead(bookings)
    dispatcher = await a_person(Role.DISPATCHER, first_name="Grace", email="grace@example.com")
    admin = await a_person(Role.ADMIN, first_name="Ann", email="ann@example.com")
    technician = await a_person(Role.TECHNICIAN, first_name="Dana", email="dana@example.com")
    truck = await _truck()
    if published:
        driver = Actor(frozenset({Role.TECHNICIAN}), technician)
        shift = await a_shift(truck, driver, day_of(clock.now()), 0, 24)
        await on_route(shift, *bookings, published=True)
    return {
        "dispatcher": await cookie_for(dispatcher),
        "admin": await cookie_for(admin, second_factor=True),
        "technician": await cookie_for(technician),
        "customers": [await cookie_for(each.person_id or "") for each in bookings],
        "bookings": [each.id for each in bookings],
        "day": day_of(clock.now()).isoformat(),
    }


async def _add_a_car(booking: StoredBooking) -> None:
    """Add a second car to a visit; both are the customer's, as is the place."""
    [first], person_id = booking.fills, booking.person_id or ""
    second = asdict(replace(CAR, make="Honda", model="Pilot", license_plate="PIL 1"))
    place = {name: booking.place[name] for name in PLACE.__slots__}
    async with transaction() as session:
        session.add(StoredAddress(person_id=person_id, **place))
        for each in (first.vehicle, second):
            known = {name: each[name] for name in each if name != "id"}
            session.add(StoredVehicle(person_id=person_id, **known))
        about = first.model_dump(exclude={"id", "vehicle", "position"})
        session.add(StoredFill(**about, vehicle=second, position=2))
    await _cover(booking.id, person_id)


async def _cover(booking_id: str, person_id: str) -> None:
    """Start the plan of a visit's customer today, and let it cover both cars."""
    today = day_of(clock.now())
    plan = Subscription(
        person_id=person_id,
        plan_id="big-family",
        state="active",
        started_at=clock.now(),
        anchor=today,
        period_starts=today,
        period_ends=months_later(today, 1),
    )
    async with transaction() as session:
        session.add(plan)
        await session.flush()
        grant = grant_of(await subscriptions.subscription_of(session, person_id), PLAN, today)
        mine = select(StoredFill).where(col(StoredFill.booking_id) == booking_id)
        for fill in await session.scalars(mine):
            wanted = Reservation(grant, booking_id, fill.id, 1, person_id)
            await ledger.reserve_fill(session, wanted)
            fill.pays_by, fill.period, fill.fee_cents = "allowance", today, 0


async def _move_ahead(bookings: list[StoredBooking]) -> None:
    day = day_of(clock.now()) + timedelta(days=2)
    day += timedelta(days=day.weekday() == SUNDAY)
    starts_at, ends_at = on_clock(day, 8), on_clock(day, 10)
    async with transaction() as session:
        for each in bookings:
            slot_id = str(SlotId(each.area_id, day, 8))
            values = {"slot_id": slot_id, "starts_at": starts_at, "ends_at": ends_at}
            this = update(StoredBooking).where(col(StoredBooking.id) == each.id)
            await session.execute(this.values(values))


async def _area() -> str:
    area = Area(name="Sarasota", status=OPEN, opened_at=clock.now() - timedelta(days=30))
    price = {"mills": MILLS, "source": "Test", "set_by": "system"}
    async with transaction() as session:
        session.add(area)
        await session.flush()
        session.add(AreaZip(zip_code=ZIP, area_id=area.id))
        await session.flush()
        await queries.set_week(session, area.id, default_week(6))
        since = clock.now() - timedelta(days=1)
        session.add_all(
            StoredPrice(area_id=area.id, grade=each, effective_at=since, **price) for each in GRADES
        )
    return area.id


async def _booking(area_id: str, number: int) -> StoredBooking:
    """Store a customer with a card and a booking in a window that has begun."""
    person_id = await a_person(first_name=f"Ada{number}", phone=f"941555{number:04}")
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person_id, zip_code=ZIP, has_card=False))
    by = await session_of(person_id)
    page = await cards.begin_checkout(by.person_id, "http://localhost/billing")
    await checkouts.finish_checkout(by.person_id, await add_at_page(page))
    now = clock.now()
    starts, ends = _span(now)
    row = with_a_fill(
        {
            "key": f"seed-{number}",
            "person_id": person_id,
            "contact": {},
            "area_id": area_id,
            "slot_id": f"{area_id}-{day_of(now)}-{number:02}",
            "starts_at": starts,
            "ends_at": ends,
            "vehicle": asdict(replace(CAR, license_plate=f"GUL {number}")),
            "place": asdict(
                replace(PLACE, street=f"{number}00 Palm Ave", lat=27.33 + number / 100)
            ),
            "price_mills": MILLS,
            "estimated_milligallons": GALLONS,
            "late_fee_agreed_cents": 1500,
        }
    )
    event = BookingEvent(
        booking_id=row.id,
        revision=1,
        kind="book",
        state="booked",
        actor=person_id,
        at=now,
        before={},
    )
    async with transaction() as session:
        session.add(row)
        await session.flush()
        session.add(event)
        await jobs.enqueue_all(session, authorizations.authorization_jobs(row))
    return row


def _span(now: datetime) -> tuple[datetime, datetime]:
    """Return a window around now that lies within its day in New York."""
    today = day_of(now)
    begins, ends = (morning(today + timedelta(days=n)) for n in (0, 1))
    return max(begins, now - 60 * _MINUTE), min(ends - _MINUTE, now + 240 * _MINUTE)


async def _truck() -> StoredTruck:
    truck = StoredTruck(
        name="Truck 1",
        license_plate="TRK 1",
        tanks={"regular": 300_000, "diesel": 100_000},
        meter_number="M-1",
        meter_sealed_on=day_of(clock.now()) - timedelta(days=100),
        home="1 Depot Rd, Sarasota, FL 34236",
        home_lat=27.36,
        home_lng=-82.52,
    )
    async with transaction() as session:
        session.add(truck)
    return truck
