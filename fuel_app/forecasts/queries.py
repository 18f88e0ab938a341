"""Queries on cars: their histories of refills, fills elsewhere, and booking them when due."""

import math
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from operator import attrgetter
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Date,
    Float,
    and_,
    case,
    column,
    delete,
    exists,
    func,
    literal,
    null,
    or_,
    select,
    type_coerce,
    union_all,
    values,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.areas.rules.places import EARTH_RADIUS_M, Point
from fuel_app.bookings.rules.states import COMPLETED, FILLED, NOT_ENDED, OPEN_STATES
from fuel_app.bookings.tables import StoredBooking, StoredFill
from fuel_app.customers.tables import StoredAddress, StoredCustomer, StoredVehicle
from fuel_app.forecasts.rules.due_bookings import OPEN
from fuel_app.forecasts.rules.forecasts import History, Proposed, Refill, filled_elsewhere
from fuel_app.forecasts.tables import DueBooking, FillElsewhere, SeatProposal
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import insert_new
from fuel_app.plans.rules.plans import ACTIVE
from fuel_app.plans.tables import Subscription
from fuel_app.repeats.rules import ACTIVE as REPEATS
from fuel_app.repeats.tables import SeriesCar, StoredSeries

_vehicle = col(StoredVehicle.id)
_car, _day = col(FillElsewhere.vehicle_id), col(FillElsewhere.day)
_person = col(FillElsewhere.person_id)
_due, _due_person = col(DueBooking.id), col(DueBooking.person_id)
_is_on = col(DueBooking.ended) == ""
_proposal, _state = col(SeatProposal.id), col(SeatProposal.state)
_of_due = col(SeatProposal.due_booking_id) == _due
_DEGREE_M = math.radians(EARTH_RADIUS_M)  # to the north
_DUE = "due"  # stands where a fill has its outcome
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
    return await _cars(session, _vehicle > after, most)


async def cars_of(session: AsyncSession, people: Collection[str]) -> list[Car]:
    """Return the vehicles of some people that can be booked, by their ids."""
    return await _cars(session, col(StoredVehicle.person_id).in_(people))


async def _cars(
    session: AsyncSession, which: ColumnElement[bool], most: int | None = None
) -> list[Car]:
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
        .where(which, col(StoredVehicle.is_active))
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


async def people_near(
    session: AsyncSession, stops: Collection[Point], within_m: float, since: datetime, most: int
) -> dict[str, float]:
    """Return who have a place near some stops, and its meters in a straight line to the nearest.

    The nearest people first: those with a fill, and with no open booking since a moment. It reads
    the places in a box around each stop by their index. Places without a pin do not count.
    """
    stop = values(column("lat", Float), column("lng", Float), name="stops").data([*stops]).cte()
    middle = next(iter(stops)).lat
    shrinks = math.cos(math.radians(middle))  # a degree to the east
    reach = within_m / _DEGREE_M
    lat, lng = col(StoredAddress.lat), col(StoredAddress.lng)
    north, east = lat - stop.c.lat, (lng - stop.c.lng) * shrinks
    whose = col(StoredAddress.person_id)
    places = (
        select(whose, func.min(north * north + east * east).label("squared"))
        .join(
            stop,
            and_(
                lat.between(stop.c.lat - reach, stop.c.lat + reach),
                lng.between(stop.c.lng - reach / shrinks, stop.c.lng + reach / shrinks),
            ),
        )
        .where(~col(StoredAddress.is_approximate))
        .group_by(whose)
        .subquery()
    )
    theirs = col(StoredBooking.person_id) == places.c.person_id
    state = col(StoredBooking.state)
    statement = select(places.c.person_id, places.c.squared).where(
        exists().where(theirs, state == COMPLETED),
        ~exists().where(theirs, state.in_(OPEN_STATES), col(StoredBooking.starts_at) >= since),
    )
    rows = await session.execute(
        statement.order_by(places.c.squared, places.c.person_id).limit(most)
    )
    return {person_id: math.sqrt(squared) * _DEGREE_M for person_id, squared in rows}


async def histories(
    session: AsyncSession, people: Collection[str], since: datetime
) -> defaultdict[str, History]:
    """Return the histories of all cars of some people by vehicle: one statement.

    It follows the index of people's bookings, and those of their fills elsewhere and of their due
    bookings. Gallons that staff are asked about are not known.
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
    proposed = select(
        col(DueBooking.vehicle_id),
        literal(_DUE),
        null(),
        null(),
        col(SeatProposal.since),
        case((_state == OPEN, col(SeatProposal.starts_at))),
        col(SeatProposal.due_day),
    )
    proposed = proposed.outerjoin(SeatProposal, and_(_of_due, col(SeatProposal.since) >= since))
    proposed = proposed.where(_due_person.in_(people), _is_on)
    refills: defaultdict[str, list[Refill]] = defaultdict(list)
    opens: dict[str, datetime] = {}
    due: dict[str, Proposed | None] = {}
    held: dict[str, datetime] = {}
    rows = await session.execute(union_all(booked, told, proposed))
    for row in rows.mappings():
        vehicle_id, opens_at = row["vehicle_id"], row["starts_at"]
        if row["outcome"] == _DUE:
            known = due.get(vehicle_id)
            if row["day"] and (known is None or known.since < row["completed_at"]):
                known = Proposed(row["completed_at"], row["day"])
            due[vehicle_id] = known
            if opens_at:
                held[vehicle_id] = opens_at
        elif row["day"]:
            refills[vehicle_id].append(filled_elsewhere(row["day"]))
        elif row["outcome"] == FILLED:
            gallons = None if row["gallons_asked_at"] else row["filled_milligallons"]
            refills[vehicle_id].append(Refill(row["completed_at"] or opens_at, gallons))
        else:
            opens[vehicle_id] = min(opens_at, opens.get(vehicle_id, opens_at))
    found = defaultdict(History)
    for vehicle_id in {*refills, *opens, *due}:
        found[vehicle_id] = History(
            refills=tuple(sorted(refills[vehicle_id], key=attrgetter("at"))),
            booked_at=opens.get(vehicle_id),
            books_when_due=vehicle_id in due,
            proposed=due.get(vehicle_id),
            held_at=held.get(vehicle_id),
        )
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


@dataclass(frozen=True, slots=True)
class DueCar:
    """A due booking that is on, with what decides whether it and its proposal go on."""

    due: DueBooking
    proposal: SeatProposal | None  # that is open
    car: StoredVehicle | None  # None once it cannot be booked
    plan_id: str  # while it is active
    plan_state: str
    repeats: bool

    @property
    def title(self) -> str:
        """'2020 Toyota Camry'."""
        return f"{self.car.year} {self.car.make} {self.car.model}" if self.car else ""


async def list_due(session: AsyncSession, after: str, most: int) -> list[DueCar]:
    """Return the next due bookings that are on after one, by their ids."""
    return await _due_cars(session, _due > after, most)


async def find_due(
    session: AsyncSession, due_id: str = "", *, vehicle_id: str = ""
) -> DueCar | None:
    """Return a due booking that is on by its id, or that of a car."""
    which = _due == due_id if due_id else col(DueBooking.vehicle_id) == vehicle_id
    return next(iter(await _due_cars(session, which, 1)), None)


async def _due_cars(session: AsyncSession, which: ColumnElement[bool], most: int) -> list[DueCar]:
    vehicle, subscription = col(StoredVehicle.id), col(Subscription.person_id)
    series = select(col(SeriesCar.series_id)).join(
        StoredSeries, col(StoredSeries.id) == col(SeriesCar.series_id)
    )
    repeats = series.where(
        col(SeriesCar.vehicle_id) == col(DueBooking.vehicle_id), col(StoredSeries.state) == REPEATS
    )
    statement = (
        select(DueBooking, SeatProposal, StoredVehicle, Subscription, exists(repeats))
        .outerjoin(SeatProposal, and_(_of_due, _state == OPEN))
        .outerjoin(
            StoredVehicle,
            and_(vehicle == col(DueBooking.vehicle_id), col(StoredVehicle.is_active)),
        )
        .outerjoin(Subscription, subscription == _due_person)
        .where(_is_on, which)
        .order_by(_due)
        .limit(most)
    )
    rows = await session.execute(statement, execution_options={"populate_existing": True})
    return [
        DueCar(
            due=due,
            proposal=proposal,
            car=car,
            plan_id=plan.plan_id if plan and plan.state == ACTIVE else "",
            plan_state=plan.state if plan else "",
            repeats=repeated,
        )
        for due, proposal, car, plan, repeated in rows
    ]


async def due_bookings_of(session: AsyncSession, person_id: str) -> list[DueBooking]:
    """Return a person's due bookings, those that have ended, too; the oldest first."""
    own = select(DueBooking).where(_due_person == person_id)
    return list(await session.scalars(own.order_by(_due)))


async def proposals_of(session: AsyncSession, person_id: str) -> list[SeatProposal]:
    """Return what was proposed to a person, the oldest first."""
    own = select(SeatProposal).join(DueBooking, _of_due).where(_due_person == person_id)
    return list(await session.scalars(own.order_by(_proposal)))


async def open_proposals(
    session: AsyncSession, person_id: str, now: datetime
) -> list[SeatProposal]:
    """Return the proposals that a person can still confirm, the oldest first."""
    own = select(SeatProposal).join(DueBooking, _of_due)
    own = own.where(_due_person == person_id, _state == OPEN, col(SeatProposal.until) > now)
    return list(await session.scalars(own.order_by(_proposal)))


async def find_proposal(
    session: AsyncSession, proposal_id: str
) -> tuple[SeatProposal, str, str | None] | None:
    """Return a proposal as it is now, whose it is, and the booking that has confirmed it."""
    found = (
        select(SeatProposal, _due_person, col(StoredBooking.id))
        .join(DueBooking, _of_due)
        .outerjoin(StoredBooking, col(StoredBooking.key) == _proposal)
        .where(_proposal == proposal_id)
    )
    row = (await session.execute(found, execution_options={"populate_existing": True})).first()
    return (row[0], row[1], row[2]) if row else None


async def last_visit(
    session: AsyncSession, person_id: str, vehicle_id: str
) -> tuple[dict[str, Any], datetime]:
    """Return the place and the window's begin of the last fill of a car that has had one."""
    fills = (
        select(col(StoredBooking.place), col(StoredBooking.starts_at))
        .join(StoredFill, col(StoredFill.booking_id) == col(StoredBooking.id))
        .where(
            col(StoredFill.vehicle_id) == vehicle_id,
            col(StoredFill.outcome) == FILLED,
            col(StoredBooking.person_id) == person_id,
        )
    )
    last = fills.order_by(col(StoredBooking.starts_at).desc()).limit(1)
    place, starts_at = (await session.execute(last)).one()
    return place, starts_at


async def erase_person(session: AsyncSession, person_id: str) -> None:
    await session.execute(delete(FillElsewhere).where(_person == person_id))
    await session.execute(delete(DueBooking).where(_due_person == person_id))
