"""An open company of 20,000 customers, 200,000 bookings and 100,000 leads, as rows.

Leads, people, bookings and routes are made here; what follows from a booking (events, messages,
invoices, payments, the journal) is copied from it by the database. The latest bookings are of
today.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa
from pydantic_core import PydanticUndefined
from sqlmodel import col

import fuel_app.fuel_app  # noqa: F401 (every table)
from bench import QUICK, apart, people
from bench.company_books import FEE_CENTS, copy_books
from fuel_app.accounts.rules import Role
from fuel_app.accounts.tables import Person, PersonRole
from fuel_app.areas.rules.areas import OPEN
from fuel_app.areas.tables import Area, AreaZip
from fuel_app.bookings.rules.slots import SlotId, on_clock
from fuel_app.bookings.tables import SlotSeat, StoredBooking, StoredFill
from fuel_app.customers.tables import StoredCustomer
from fuel_app.dispatch.tables import PublishedDay, StoredShift, StoredStop, StoredTruck
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import metadata, new_id
from fuel_app.neighborhoods.queries import naming
from fuel_app.plans.tables import Subscription
from fuel_app.quotes import queries as quotes
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.helpers.booking_crowd import Booker, Ground, prepare
from tests.helpers.stored_bookings import CAR, PLACE

OPENS: tuple[int, ...] = (8, 10, 12, 14, 16)
PLANS = ("solo", "family", "big-family")
LEADS_BY_TYPE = (90_000, 6_000, 4_000)  # waitlist, fleet, business
LEADS = sum(LEADS_BY_TYPE)
NEIGHBORHOODS, LARGEST_SHARE = 5_000, 1_500  # beside weights of 6 on average
NAMES = "Palm Osprey Heron Mangrove Pelican Siesta Bay Gulf Cypress Coral Dolphin Egret Laurel"
KINDS = "Court Grove View Landing Ranch Key Trace Point Harbor Oaks Estates Walk"
STOPS = 18  # of each truck
CANCELLED, FAILED = 0.07, 0.03
_CAR, _PLACE = asdict(CAR), asdict(PLACE)
_CHUNK = 5_000
TODAY = day_of(clock.now())


@dataclass(frozen=True)
class Sizes:
    """How large a company is; its leads are always 100,000, or none."""

    customers: int
    a_day: int  # bookings
    days_before: int
    days_ahead: int = 21
    has_leads: bool = True

    @property
    def trucks(self) -> int:
        return self.a_day // STOPS


SIZES = Sizes(2_000, 90, 60) if QUICK else Sizes(20_000, 900, 201)  # 200,000 bookings


@dataclass(frozen=True)
class Company:
    """Ids of what is asked for."""

    area_id: str
    customers: Sequence[str]
    technicians: Sequence[str]
    stops: Sequence[str]  # bookings on today's routes
    largest: str  # neighborhood
    members: int
    admin: str


async def fill(sizes: Sizes = SIZES) -> Company:
    """Fill an empty database."""
    await apart.create_tables()
    largest, members = await _leads() if sizes.has_leads else ("", 0)
    capacities = dict.fromkeys(OPENS, 2 * sizes.a_day // len(OPENS))
    ground = await prepare(sizes.customers, capacities, "family")
    if sizes.has_leads:
        await _vary(ground.bookers)
    [admin] = await _staff(Role.ADMIN, 1)
    technicians = await _staff(Role.TECHNICIAN, sizes.trucks)
    stops = await _bookings(sizes, ground, technicians)
    await copy_books([each.person_id for each in ground.bookers])
    await apart.analyze()
    customers = [each.person_id for each in ground.bookers]
    return Company(ground.area_id, customers, technicians, stops, largest, members, admin)


async def _leads() -> tuple[str, int]:
    """Store leads and their neighborhoods. Return the largest neighborhood and its size."""
    chance = random.Random(1)
    neighborhoods = [
        {
            "id": people.id_at(people.LAST_DAY, chance),
            **naming(f"{chance.choice(NAMES.split())} {chance.choice(KINDS.split())} {number}"),
            "zip_code": chance.choice(people.ZIPS.split()),
            "created_at": people.LAST_DAY,
        }
        for number in range(NEIGHBORHOODS)
    ]
    weights = [LARGEST_SHARE, *(chance.paretovariate(1.2) for _ in neighborhoods[1:])]
    members: Counter[str] = Counter()
    pioneers: dict[str, str] = {}
    rows: dict[str, list[dict[str, Any]]] = {
        each: [] for each in (*people.TABLES.values(), "leads")
    }
    for kind, lead in people.made(people.Sizes(*LEADS_BY_TYPE)):
        if kind == "waitlist":
            [home] = chance.choices(neighborhoods, weights)
            lead |= {"neighborhood_id": home["id"], "zip_code": home["zip_code"]}
            members[home["id"]] += 1
            pioneers[home["id"]] = lead["id"]
            rows["leads"].append(waitlist.listed(WaitlistSubmission(**lead).model_dump()))
        else:
            rows["leads"].append(quotes.listed(kind, lead))
        rows[people.TABLES[kind]].append(lead)
    await _execute(sa.insert(metadata.tables["neighborhoods"]), neighborhoods)
    for name, some in rows.items():
        await _execute(sa.insert(metadata.tables[name]), some)
    table = metadata.tables["neighborhoods"]
    led = sa.update(table).where(table.c.id == sa.bindparam("own"))
    await _execute(
        led.values(pioneer_id=sa.bindparam("who")),
        [{"own": own, "who": who} for own, who in pioneers.items()],
    )
    return members.most_common(1)[0]


async def _vary(bookers: Sequence[Booker]) -> None:
    """Give customers names, plans, ZIPs, a waitlist submission, and times at which they came."""
    chance = random.Random(7)
    async with reading() as session:
        known = sa.select(col(WaitlistSubmission.id), col(WaitlistSubmission.zip_code))
        leads = (await session.execute(known.limit(len(bookers)))).all()
    names = [row for _, row in people.made(people.Sizes(len(bookers), 0, 0))]
    since = [clock.now() - timedelta(hours=chance.uniform(1, 10_000)) for _ in bookers]
    who, came, plans = [], [], []
    for booker, lead, named, at in zip(bookers, leads, names, since, strict=True):
        own = {"own": booker.person_id}
        first, last, email = (named[each] for each in ("first_name", "last_name", "email"))
        away = at if chance.random() < 0.02 else None
        who.append(own | {"first": first, "last": last, "mail": f"c{email}", "away": away})
        came.append(own | {"lead": lead.id, "zip": lead.zip_code, "at": at})
        plans.append(own | {"plan": chance.choice(PLANS)})
    person, customer, plan = (
        sa.update(table).where(table.c[key] == sa.bindparam("own"))
        for table, key in (
            (Person.__table__, "id"),  # type: ignore[attr-defined]
            (StoredCustomer.__table__, "person_id"),  # type: ignore[attr-defined]
            (Subscription.__table__, "person_id"),  # type: ignore[attr-defined]
        )
    )
    param = sa.bindparam
    named_so = {"first_name": param("first"), "last_name": param("last"), "email": param("mail")}
    came_so = {"submission_id": param("lead"), "zip_code": param("zip"), "created_at": param("at")}
    await _execute(person.values(named_so | {"deactivated_at": param("away")}), who)
    await _execute(customer.values(came_so), came)
    await _execute(plan.values(plan_id=param("plan")), plans)
    second = Area(name="Bradenton", status=OPEN, opened_at=clock.now())
    codes = sorted({lead.zip_code for lead in leads})[::2]
    await _store(Area, [second])
    await _store(AreaZip, [AreaZip(zip_code=c, area_id=second.id) for c in codes if c != "34236"])


async def _staff(role: Role, count: int) -> list[str]:
    rows = [
        Person(email=f"{role}.{number}@example.com", first_name="Sam", last_name=f"{role} {number}")
        for number in range(count)
    ]
    await _store(Person, rows)
    await _store(PersonRole, [PersonRole(person_id=each.id, role=role) for each in rows])
    return [each.id for each in rows]


async def _bookings(sizes: Sizes, ground: Ground, technicians: Sequence[str]) -> list[str]:
    """Store every day's bookings with its routes. Return those on today's routes."""
    chance = random.Random(8)
    trucks = [_truck(number) for number in range(sizes.trucks)]
    await _store(StoredTruck, trucks)
    todays: list[str] = []
    for ahead in range(-sizes.days_before, sizes.days_ahead):
        day = TODAY + timedelta(days=ahead)
        rows = [
            _booking(ground, day, ahead, number / sizes.a_day, chance)
            for number in range(sizes.a_day)
        ]
        await _execute(sa.insert(StoredBooking), [_own(row, _BOOKING) for row in rows])
        await _execute(sa.insert(StoredFill), [_fill(row) for row in rows])
        driven = [row for row in rows if row["state"] != "cancelled"]
        places = [
            {"slot_id": row["slot_id"], "place": place, "booking_id": row["id"], "held_for": ""}
            for each in OPENS
            for place, row in enumerate(
                (row for row in driven if row["slot_id"].endswith(f"{each:02}")), start=1
            )
        ]
        await _execute(sa.insert(SlotSeat), places)
        if ahead <= 1:
            await _routes(day, ahead, driven, trucks, technicians)
        if ahead == 0:
            todays = [row["id"] for row in driven]
    return todays


def _blank(table: Any) -> dict[str, Any]:
    """Return the defaults of a table's columns: a model for each row takes its time."""
    known = {name: field.get_default() for name, field in table.model_fields.items()}
    return {name: None if value is PydanticUndefined else value for name, value in known.items()}


_BOOKING, _STOP, _FILL = _blank(StoredBooking), _blank(StoredStop), _blank(StoredFill)
_OUTCOMES = {"completed": "filled", "failed": "not_filled"}


def _own(row: dict[str, Any], blank: dict[str, Any]) -> dict[str, Any]:
    """Return what of a booking with its fill stands in one of both tables."""
    return {name: row[name] for name in blank}


def _fill(row: dict[str, Any]) -> dict[str, Any]:
    outcome = _OUTCOMES.get(row["state"], "")
    return _own(row, _FILL) | {"booking_id": row["id"], "position": 1, "outcome": outcome}


def _booking(
    ground: Ground, day: date, ahead: int, part: float, chance: random.Random
) -> dict[str, Any]:
    """Return a booking of a day, of which a part has gone when it begins."""
    opens = OPENS[int(part * len(OPENS))]
    starts_at, who = on_clock(day, opens), chance.choice(ground.bookers)
    made_at = starts_at - timedelta(days=3)
    row = (
        _FILL
        | _BOOKING
        | {
            "id": people.id_at(made_at, chance),
            "key": new_id(),
            "person_id": who.person_id,
            "contact": {},
            "area_id": ground.area_id,
            "slot_id": str(SlotId(ground.area_id, day, opens)),
            "starts_at": starts_at,
            "ends_at": on_clock(day, opens + 2),
            "vehicle_id": who.vehicle_id,
            "vehicle": _CAR,
            "place": _place(chance),
            "grade": "regular",
            "price_mills": 3459,
            "estimated_milligallons": 9_600,
            "pays_by": "fee",
            "fee_cents": FEE_CENTS,
            "ticket": {},
            "late_fee_agreed_cents": FEE_CENTS,
            "created_at": made_at,
        }
    )
    drawn = chance.random()
    if drawn < CANCELLED:
        return row | {"state": "cancelled", "ended_by": "customer"}
    if ahead > 0 or (ahead == 0 and part > 1 / 3):  # a third of today's are done
        return row | {"state": "booked" if ahead else "dispatched"}
    if drawn < CANCELLED + FAILED:
        return row | {"state": "failed", "ended_by": "technician", "reason": "No car was there"}
    filled = chance.randrange(5_000, 16_000)
    return row | {
        "state": "completed",
        "filled_milligallons": filled,
        "completed_at": starts_at + timedelta(minutes=chance.randrange(5, 110)),
        "total_cents": FEE_CENTS + filled * 3459 // 10_000,
    }


def _place(chance: random.Random) -> dict[str, Any]:
    lat, lng = chance.uniform(27.2, 27.5), chance.uniform(-82.6, -82.4)
    return _PLACE | {"street": f"{chance.randrange(1, 9999)} Palm Ave", "lat": lat, "lng": lng}


def _truck(number: int) -> StoredTruck:
    return StoredTruck(
        name=f"Truck {number + 1:02}",
        license_plate=f"TRK {number}",
        tanks={"regular": 500_000},
        meter_number=f"M-{number}",
        meter_sealed_on=TODAY,
        home="1 Depot Rd",
        home_lat=27.36,
        home_lng=-82.52,
    )


async def _routes(
    day: date,
    ahead: int,
    driven: Sequence[dict[str, Any]],
    trucks: Sequence[StoredTruck],
    technicians: Sequence[str],
) -> None:
    """Store a day's shifts and their routes; tomorrow's is not published."""
    starts_at, ends_at = on_clock(day, 7), on_clock(day, 19)
    hours = {"day": day, "starts_at": starts_at, "ends_at": ends_at}
    shifts = [
        StoredShift(truck_id=truck.id, technician_id=who, **hours)
        for truck, who in zip(trucks, technicians, strict=True)
    ]
    await _store(StoredShift, shifts)
    stops = []
    for number, row in enumerate(driven):
        place, truck = divmod(number, len(trucks))
        began = row["starts_at"] if row["state"] in ("completed", "failed") else None
        own = {
            "id": row["id"],
            "shift_id": shifts[truck].id,
            "place": place + 1,
            "booking_id": row["id"],
            "slot_id": row["slot_id"],
            "leg_s": 420,
            "begins_at": row["starts_at"],
        }
        times = {"driving_at": began, "arrived_at": began, "ended_at": began and row["ends_at"]}
        stops.append(_STOP | own | times)
    await _execute(sa.insert(StoredStop), stops)
    if ahead <= 0:
        closed_at = ends_at if ahead < 0 else None
        published = PublishedDay(day=day, published_at=starts_at, closed_at=closed_at)
        await _store(PublishedDay, [published])


async def _store(table: Any, rows: Iterable[Any]) -> None:
    await _execute(sa.insert(table), [row.model_dump() for row in rows])


async def _execute(statement: Any, rows: Sequence[dict[str, Any]]) -> None:
    for start in range(0, len(rows), _CHUNK):
        async with transaction() as session:
            connection = await session.connection()
            await connection.execute(statement, rows[start : start + _CHUNK])
