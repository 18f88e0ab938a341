"""Forecasts of a customer's cars, fills elsewhere, and the Fill-up Reminder."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.areas.rules.places import Point
from fuel_app.bookings.rules.bookings import AreaPaused, OutsideArea
from fuel_app.bookings.service import slots
from fuel_app.customers.rules.customers import Customer
from fuel_app.customers.rules.vehicles import OwnVehicle, VehicleGone
from fuel_app.customers.service import account, vehicles
from fuel_app.forecasts import queries
from fuel_app.forecasts.queries import Car
from fuel_app.forecasts.rules.forecasts import (
    HISTORY,
    Forecast,
    History,
    Learning,
    forecast,
    short_day,
)
from fuel_app.forecasts.rules.near_stops import MOST, NEAR_M, NearCar, is_due_about
from fuel_app.forecasts.service import due_bookings
from fuel_app.kit import clock, outbox
from fuel_app.kit.clock import day_of, morning
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.outbox import Draft, Message, Skip
from fuel_app.messages import service as messages
from fuel_app.messages.rules.delivery import OUTDATED

KIND = "fill_reminder"
_CAR = "vehicle_id"  # in a reminder's payload
_AT_ONCE = 500  # cars
_PEOPLE = 100  # near a day's stops, whose histories are read
_BOOKED_FROM = timedelta(days=1)  # ago; the histories know open bookings of before


@dataclass(frozen=True, slots=True)
class OwnCar:
    """A customer's car with its history and forecast."""

    vehicle: OwnVehicle
    history: History
    when: Forecast | Learning


async def list_own(by: Actor, customer: Customer) -> list[OwnCar]:
    """Return the forecasts of those own cars that the actor can book: one statement."""
    by.require(Role.CUSTOMER)
    async with reading() as session:
        known = await queries.histories(session, [by.person_id], clock.now() - HISTORY)
    chosen = customer.subscription
    plan_id = chosen.plan.id if chosen and chosen.is_active else ""
    cars = [each for each in customer.vehicles if isinstance(each, OwnVehicle) and each.is_active]
    return [
        OwnCar(
            vehicle=car,
            history=known[car.id],
            when=forecast(
                known[car.id].refills, tank_gallons=car.estimated_tank_size, plan_id=plan_id
            ),
        )
        for car in cars
    ]


async def list_due_near(by: Actor, day: date, stops: Collection[Point]) -> list[NearCar]:
    """Return the cars that are due within 3 days of a day, the nearest to its stops first.

    Their customers have no open booking and no held seat. It reads the histories of the 100
    nearest: five statements.

    Raises:
        NotAllowed: If the actor is no dispatcher.
    """
    by.require(Role.DISPATCHER)
    if not stops:
        return []
    now = clock.now()
    async with reading() as session:
        meters: dict[str, float] = {}
        booked_from = now - _BOOKED_FROM
        for within in NEAR_M:
            if len(meters) < _PEOPLE:
                meters = await queries.people_near(session, stops, within, booked_from, _PEOPLE)
        cars = await queries.cars_of(session, meters)
        known = await queries.histories(session, meters, now - HISTORY)
        served = {car.person_id for car in cars if known[car.id].is_served}
        due: list[tuple[Car, Forecast]] = []
        for car in cars:
            history = known[car.id]
            when = forecast(history.refills, tank_gallons=car.tank_gallons, plan_id=car.plan_id)
            if car.person_id in served or not isinstance(when, Forecast):
                continue
            if is_due_about(when, day):
                due.append((car, when))
        people = await directory.read_all_details(session, {car.person_id for car, _ in due})
    found = [
        NearCar(
            id=car.id,
            title=car.title,
            person_id=car.person_id,
            customer=f"{people[car.person_id].first_name} {people[car.person_id].last_name}",
            when=when,
            meters=meters[car.person_id],
        )
        for car, when in due
        if car.person_id in people
    ]
    return sorted(found, key=lambda each: (each.meters, each.when.due))[:MOST]


async def tell_elsewhere(by: Actor, vehicle_id: object) -> None:
    """Note that the actor has filled an own car elsewhere today; a second time changes nothing.

    A seat that is held for it goes back.

    Raises:
        NotAllowed: If the actor is no customer.
        VehicleGone: If they have no such vehicle (any more).
    """
    by.require(Role.CUSTOMER)
    async with transaction() as session:
        car = await vehicles.find(session, by.person_id, vehicle_id)
        if car is None:
            raise VehicleGone
        await account.facts(session, by.person_id, lock=True)
        await queries.add_elsewhere(session, by.person_id, car.id, day_of(clock.now()))
        await due_bookings.filled_elsewhere(session, car.id)


async def undo_elsewhere(by: Actor, vehicle_id: object) -> None:
    """Undo what the actor has told of today; nothing where there is none.

    Raises:
        NotAllowed: If the actor is no customer.
    """
    by.require(Role.CUSTOMER)
    async with transaction() as session:
        today = day_of(clock.now())
        await queries.remove_elsewhere(session, by.person_id, str(vehicle_id), today)


async def queue_reminders(now: datetime) -> int:
    """Queue a reminder for each car that is due and not booked. Return how many cars are.

    1. Read the next cars with their histories.
    2. Write one reminder for each that is near its day. Its key is of the refill from which the car
       counts, so a second run, or a day that moves with a new rule, adds none.
    """
    after, queued = "", 0
    windows: dict[str, str | None] = {}  # by ZIP
    while True:
        async with reading() as session:
            cars = await queries.list_cars(session, after, _AT_ONCE)
            people = {car.person_id for car in cars}
            known = await queries.histories(session, people, now - HISTORY)
        if not cars:
            return queued
        drafts: list[Draft] = []
        for car in cars:
            due = _due(car, known[car.id], now)
            if due is None:
                continue
            if car.zip_code not in windows:
                windows[car.zip_code] = await _next_free(car.zip_code)
            window = windows[car.zip_code]
            if window is not None:
                drafts += _reminder(car, due, window)
                queued += 1
        async with transaction() as session:
            await outbox.add_all(session, drafts)
        after = cars[-1].id


def _due(car: Car, history: History, now: datetime) -> Forecast | None:
    """Return the forecast of a car that is near its day and not booked.

    Of one that is booked when due it is that of the day itself, unless a seat was proposed.
    """
    if history.booked_at:
        return None
    when = forecast(history.refills, tank_gallons=car.tank_gallons, plan_id=car.plan_id)
    if not isinstance(when, Forecast) or not when.is_near(now):
        return None
    waits = history.books_when_due and (day_of(now) < day_of(when.due) or history.was_proposed)
    return None if waits else when


async def _next_free(zip_code: str) -> str | None:
    """Return the next free window of a ZIP, '' if all are full; None while it takes no bookings.

    A customer's cars may stand elsewhere than where they live.
    """
    try:
        return (await slots.first_offer(zip_code)).next_free
    except OutsideArea:
        return ""
    except AreaPaused:
        return None


def _reminder(car: Car, due: Forecast, next_free: str) -> list[Draft]:
    since = due.since.isoformat()
    return messages.drafts(
        KIND,
        car.person_id,
        {
            "vehicle": car.title,
            _CAR: car.id,
            "since": since,
            "due": short_day(due.due),
            "next_free": next_free,
        },
        key=f"{KIND}:{car.id}:{since}",
        good_until=morning(day_of(due.latest) + timedelta(days=1)),
    )


@outbox.composer(KIND)
async def compose_reminder(session: AsyncSession, row: Message) -> Mapping[str, Any] | Skip:
    """Skip a reminder whose car was filled, here or elsewhere, booked or removed meanwhile."""
    if _CAR not in row.payload:
        return {}
    person_id, vehicle_id = row.person_id or "", row.payload[_CAR]
    car = await vehicles.find(session, person_id, vehicle_id)
    known = await queries.histories(session, [person_id], clock.now() - HISTORY)
    history = known[vehicle_id]
    since = history.since.isoformat() if history.since else ""
    is_true = car and car.is_active and not history.is_served and since == row.payload["since"]
    return {} if is_true else Skip(OUTDATED)


async def export_person(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return the fills that a person has made elsewhere."""
    rows = await queries.elsewhere_of(session, person_id)
    return {"fills_elsewhere": [each.model_dump(include={"vehicle_id", "day"}) for each in rows]}


async def erase_person(session: AsyncSession, person_id: str) -> None:
    """Remove a person's fills elsewhere and due bookings."""
    await queries.erase_person(session, person_id)
