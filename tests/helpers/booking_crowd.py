"""Customers who book at once: an open area with hours and prices, and people with all they need."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.tables import Person, PersonRole
from fuel_app.areas.rules.areas import OPEN
from fuel_app.areas.rules.prices import GRADES
from fuel_app.areas.tables import Area, AreaWindow, AreaZip, StoredPrice
from fuel_app.billing.tables import Payer
from fuel_app.bookings.rules.bookings import Booking, Request
from fuel_app.bookings.rules.estimates import Estimate
from fuel_app.bookings.rules.slots import SlotId
from fuel_app.bookings.service import bookings
from fuel_app.customers.tables import StoredAddress, StoredCustomer, StoredVehicle
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import transaction
from fuel_app.plans import queries
from fuel_app.plans.rules.ledger import GRANTED, PLAN, grant_of
from fuel_app.plans.tables import LedgerEntry, Subscription
from tests.helpers.cards import with_card

ZIP = "34236"
_CHUNK = 500


@dataclass(frozen=True)
class Booker:
    """A customer with a plan, a card, a vehicle and an address."""

    person_id: str
    vehicle_id: str
    address_id: str

    @property
    def actor(self) -> Actor:
        return Actor(frozenset({Role.CUSTOMER}), person_id=self.person_id)

    def request(self, slot: str) -> Request:
        return Request(slot, (self.vehicle_id,), self.address_id)

    async def estimate(self, slot: str) -> Estimate:
        return await bookings.estimate_fill(self.actor, self.request(slot))

    async def book(self, slot: str, key: str, seen: Estimate) -> Booking:
        return await bookings.book(self.actor, self.request(slot), key=key, seen=seen)


@dataclass(frozen=True)
class Ground:
    """An open area and its customers."""

    area_id: str
    bookers: Sequence[Booker]

    def slot(self, days: int, opens: int) -> str:
        """Return the slot that opens so many days from today."""
        return str(SlotId(self.area_id, day_in(days), opens))

    def plain(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, plain: dict[str, Any]) -> "Ground":
        return cls(plain["area_id"], [Booker(**each) for each in plain["bookers"]])


def day_in(days: int) -> date:
    return day_of(clock.now()) + timedelta(days=days)


async def prepare(
    customers: int, capacities: dict[int, int], plan_id: str = "big-family"
) -> Ground:
    """Open an area whose two-hour windows have these capacities, and store its customers."""
    now, today = clock.now(), day_in(0)
    area = Area(name="Sarasota", status=OPEN, opened_at=now)
    windows = [
        AreaWindow(area_id=area.id, weekday=day, opens=opens, closes=opens + 2, capacity=capacity)
        for day in range(7)
        for opens, capacity in capacities.items()
    ]
    prices = [
        StoredPrice(
            area_id=area.id,
            grade=grade,
            mills=3459,
            effective_at=now - timedelta(days=1),
            source="x",
            set_by="x",
        )
        for grade in GRADES
    ]
    await _store(Area, [area])
    await _store(AreaZip, [AreaZip(zip_code=ZIP, area_id=area.id)])
    await _store(AreaWindow, windows)
    await _store(StoredPrice, prices)
    people = [
        Person(
            email=f"customer.{number}@example.com",
            first_name="Ada",
            last_name=f"Number {number}",
            phone=f"94155{number:05}",
            email_verified_at=now,
        )
        for number in range(customers)
    ]
    cars = [_car(each.id, number) for number, each in enumerate(people)]
    homes = [_home(each.id) for each in people]
    await _store(Person, people)
    await _store(PersonRole, [PersonRole(person_id=each.id, role="customer") for each in people])
    accounts = [StoredCustomer(person_id=e.id, zip_code=ZIP, has_card=True) for e in people]
    await _store(StoredCustomer, accounts)
    payers = [with_card(Payer(person_id=each.id, key=f"person:{each.id}")) for each in people]
    await _store(Payer, payers)
    plans = [
        Subscription(
            person_id=each.id,
            plan_id=plan_id,
            state="active",
            started_at=now,
            anchor=today,
            period_starts=today,
            period_ends=today + timedelta(days=30),
        )
        for each in people
    ]
    await _store(Subscription, plans)
    await _grant(plans, today)
    await _store(StoredVehicle, cars)
    await _store(StoredAddress, homes)
    owned = zip(people, cars, homes, strict=True)
    return Ground(area.id, [Booker(who.id, car.id, home.id) for who, car, home in owned])


async def _grant(plans: Sequence[Subscription], today: date) -> None:
    """Grant each its fills, as starting a plan does."""
    grants = [(row, grant_of(queries.info_of(row), PLAN, today)) for row in plans]
    entries = []
    for row, grant in grants:
        assert grant
        period = {"person_id": row.person_id, "period": grant.period, "bucket": PLAN}
        given = {"key": grant.key, "kind": GRANTED, "fills": grant.fills, "actor": row.person_id}
        entries.append(LedgerEntry(**given, **period))
    await _store(LedgerEntry, entries)


def _car(person_id: str, number: int) -> StoredVehicle:
    return StoredVehicle(
        person_id=person_id,
        make="Toyota",
        model="Camry",
        year="2020",
        color="Blue",
        license_plate=f"P{number:06}",
        plate_state="FL",
        grade="regular",
        tank_tenths=158,
        fuel_door="Unlocked",
    )


def _home(person_id: str) -> StoredAddress:
    return StoredAddress(
        person_id=person_id,
        street="100 Main St",
        city="Sarasota",
        state="FL",
        zip_code=ZIP,
        spot="Driveway",
        lat=27.33,
        lng=-82.53,
        is_approximate=False,
        is_default=True,
    )


async def _store(table: Any, rows: Sequence[Any]) -> None:
    for start in range(0, len(rows), _CHUNK):
        some = [row.model_dump() for row in rows[start : start + _CHUNK]]
        async with transaction() as session:
            await session.execute(sa.insert(table), some)


async def seen_by(bookers: Sequence[Booker], slot: str) -> list[Estimate]:
    """Return what each has on the screen before the button is pressed."""
    return [await each.estimate(slot) for each in bookers]
