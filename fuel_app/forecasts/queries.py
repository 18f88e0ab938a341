"""Queries on cars: their histories of refills, and fills elsewhere."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from operator import attrgetter
from typing import Any

from sqlalchemy import Date, and_, delete, func, null, or_, select, type_coerce, union_all
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.bookings.rules.states import FILLED, NOT_ENDED, OPEN_STATES
from fuel_app.bookings.tables import StoredBooking, StoredFill
from fuel_app.customers.tables import StoredCustomer, StoredVehicle
from fuel_app.forecasts.rules import History, Refill, filled_elsewhere
from fuel_app.forecasts.tables import FillElsewhere
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import insert_new
from fuel_app.plans.rules.plans import ACTIVE
from fuel_app.plans.tables import Subscription

_vehicle = col(StoredVehicle.id)
_car, _day = col(FillElsewhere.vehicle_id), col(FillElsewhere.day)
_person = col(FillElsewhere.person_id)
_OF_FILL: tuple[Any, ...] = (
    col(StoredFill.vehicle_id),
    col(StoredFill.outcome),
    col(StoredFill.filled_milligallons),
    col(StoredFill.gallons_asked_at),
    col(StoredBooking.completed_at),
    col(StoredBooking.starts_at),
    type_coerce(null(), Date()).label("day"),  # of a fill elsewhere
)


@dataclass(frozen=True, slots=True)
class Car:
    """A vehicle that can be booked, with what its forecast and reminder need."""

    id: str
    person_id: str
    title: str
    tank_gallons: float
    plan_id: str
    zip_code: str


async def list_cars(session: AsyncSession, after: str, most: int) -> list[Car]:
    """Return the next vehicles that can be booked after one, by their ids."""
    statement = (
        select(
            _vehicle,
            col(StoredVehicle.person_id),
            col(StoredVehicle.year)
            + " "
            + col(StoredVehicle.make)
            + " "
            + col(StoredVehicle.model),
            col(StoredVehicle.tank_tenths),
            func.coalesce(col(Subscription.plan_id), ""),
            col(StoredCustomer.zip_code),
        )
        .join(StoredCustomer, col(StoredCustomer.person_id) == col(StoredVehicle.person_id))
        .outerjoin(
            Subscription,
            and_(
                col(Subscription.person_id) == col(StoredVehicle.person_id),
                col(Subscription.state) == ACTIVE,
            ),
        )
        .where(_vehicle > after, col(StoredVehicle.is_active))
    )
    rows = await session.execute(statement.order_by(_vehicle).limit(most))
    return [
        Car(
            id=car_id,
            person_id=person_id,
            title=title,
            tank_gallons=tank_tenths / 10,
            plan_id=plan_id,
            zip_code=zip_code,
        )
        for car_id, person_id, title, tank_tenths, plan_id, zip_code in rows
    ]


async def histories(
    session: AsyncSession, people: Collection[str], since: datetime
) -> defaultdict[str, History]:
    """Return the histories of all cars of some people by vehicle: one statement.

    It follows the index of people's bookings, and that of their fills elsewhere. Gallons that staff
    are asked about are not known.
    """
    booked = (
        select(*_OF_FILL)
        .join(StoredBooking, col(StoredFill.booking_id) == col(StoredBooking.id))
        .where(
            col(StoredBooking.person_id).in_(people),
            col(StoredBooking.starts_at) >= since,
            col(StoredFill.vehicle_id).is_not(None),
            or_(
                and_(col(StoredFill.outcome) == FILLED, col(StoredFill.filled_milligallons) > 0),
                and_(
                    col(StoredFill.outcome) == NOT_ENDED, col(StoredBooking.state).in_(OPEN_STATES)
                ),
            ),
        )
    )
    told = select(_car, *[null() for _ in _OF_FILL[1:-1]], _day)
    told = told.where(_person.in_(people), _day >= day_of(since))
    refills: defaultdict[str, list[Refill]] = defaultdict(list)
    opens: dict[str, datetime] = {}
    rows = await session.execute(union_all(booked, told))
    for row in rows.mappings():
        vehicle_id, opens_at = row["vehicle_id"], row["starts_at"]
        if row["day"]:
            refills[vehicle_id].append(filled_elsewhere(row["day"]))
        elif row["outcome"] == FILLED:
            gallons = None if row["gallons_asked_at"] else row["filled_milligallons"]
            refills[vehicle_id].append(Refill(row["completed_at"] or opens_at, gallons))
        else:
            opens[vehicle_id] = min(opens_at, opens.get(vehicle_id, opens_at))
    found = defaultdict(History)
    for vehicle_id in {*refills, *opens}:
        oldest_first = tuple(sorted(refills[vehicle_id], key=attrgetter("at")))
        found[vehicle_id] = History(oldest_first, opens.get(vehicle_id))
    return found


async def add_elsewhere(session: AsyncSession, person_id: str, vehicle_id: str, day: date) -> None:
    """Note a fill elsewhere; one that is known stays."""
    row = {"person_id": person_id, "vehicle_id": vehicle_id, "day": day}
    await session.execute(insert_new(session, FillElsewhere), row)


async def remove_elsewhere(
    session: AsyncSession, person_id: str, vehicle_id: str, day: date
) -> None:
    statement = delete(FillElsewhere).where(_person == person_id, _car == vehicle_id, _day == day)
    await session.execute(statement)


async def elsewhere_of(session: AsyncSession, person_id: str) -> list[FillElsewhere]:
    """Return a person's fills elsewhere, the oldest first."""
    statement = select(FillElsewhere).where(_person == person_id)
    return list(await session.scalars(statement.order_by(_day, _car)))


async def erase_person(session: AsyncSession, person_id: str) -> None:
    await session.execute(delete(FillElsewhere).where(_person == person_id))
