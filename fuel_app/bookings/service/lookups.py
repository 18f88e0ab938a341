"""The stored facts that fills depend on, looked up for the requests of many people at once."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.areas.rules.hours import BookableArea
from fuel_app.areas.rules.prices import PriceNow
from fuel_app.areas.service import hours, prices
from fuel_app.billing.service import fills
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import Car, FreeFillUse, Place, Request
from fuel_app.bookings.rules.estimates import Estimate
from fuel_app.bookings.rules.slots import parse_slot_id
from fuel_app.bookings.rules.typed import car_of, place_of
from fuel_app.customers.rules.facts import CustomerFacts
from fuel_app.customers.rules.profile import FreeFillOffer
from fuel_app.customers.rules.vehicles import bare_plate
from fuel_app.customers.service import facts, vehicles
from fuel_app.customers.service import places as saved_places
from fuel_app.customers.service.free_fill import free_fills
from fuel_app.kit import figures
from fuel_app.kit.clock import day_of
from fuel_app.kit.errors import Refusal
from fuel_app.plans.rules.ledger import GUEST, PLAN, Allowance, grant_of
from fuel_app.plans.rules.subscriptions import SubscriptionInfo
from fuel_app.plans.service import ledger, subscriptions


@dataclass(frozen=True, slots=True)
class BookingRequest:
    """A request for a fill by a customer or guest."""

    person_id: str  # '' for a guest
    request: Request
    is_staff: bool = False
    may_be_free: bool = True  # a free first fill is considered
    seen: Estimate | None = None  # on the screen as the button is pressed


@dataclass(frozen=True, slots=True)
class ResolvedRequest:
    """A request with its car and place; None where the customer has no such one."""

    asked: BookingRequest
    car: Car | None
    place: Place | None

    @property
    def grade(self) -> str:
        return self.asked.request.grade or (self.car.grade if self.car else "")

    @property
    def zip_code(self) -> str:
        return self.place.zip_code if self.place else ""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts that some requests depend on, at a moment."""

    now: datetime
    numbers: dict[str, int]  # figures
    areas: dict[str, BookableArea]  # by ZIP
    prices: dict[tuple[str, str], PriceNow]  # by area and grade
    customers: dict[str, CustomerFacts]  # by person, as is the rest
    subscriptions: dict[str, SubscriptionInfo]
    allowances: dict[str, Allowance]
    free_fills: dict[str, FreeFillOffer]  # that are not used
    free_fills_used: dict[str, str]  # for what they were: 'plate', 'phone number'
    averages: dict[str, int | None]  # thousandths of a gallon, for an estimate
    blocked: dict[str, Refusal]  # by a debt or a dispute


async def resolve(session: AsyncSession, asked: Sequence[BookingRequest]) -> list[ResolvedRequest]:
    """Look up the customers' own cars and places; what is typed is as typed."""
    cars = [(each.person_id, each.request.car) for each in asked]
    places = [(each.person_id, each.request.place) for each in asked]
    own_cars = await vehicles.find_all(session, _ids(cars))
    own_places = await saved_places.find_all(session, _ids(places))
    found = []
    for each in asked:
        car, place = each.request.car, each.request.place
        if not isinstance(car, Car):
            vehicle = own_cars.get((each.person_id, car))
            car = car_of(vehicle) if vehicle and vehicle.is_active else None
        if not isinstance(place, Place):
            saved = own_places.get((each.person_id, place))
            place = place_of(saved, saved.located) if saved else None
        found.append(ResolvedRequest(each, car, place))
    return found


def _ids(pairs: Collection[tuple[str, object]]) -> set[tuple[str, object]]:
    return {pair for pair in pairs if pair[0] and isinstance(pair[1], str)}


async def look_up(
    session: AsyncSession, found: Sequence[ResolvedRequest], now: datetime, *, lock: bool
) -> Facts:
    """Look up all else. Each customer is among them once.

    Args:
        lock: Keep areas, customers and subscriptions as they are until the commit.
    """
    people = sorted({each.asked.person_id for each in found} - {""})
    numbers = await figures.values(session)
    zip_codes = {each.zip_code for each in found if each.place}
    areas = await hours.bookable_areas(session, zip_codes, lock=lock)
    customers = await facts.facts_of(session, people, lock=lock) if people else {}
    theirs = await subscriptions.of_all(session, people, shared=lock) if people else {}
    free, used = await _free_fills(session, found, areas, customers)
    return Facts(
        now=now,
        numbers=numbers,
        areas=areas,
        prices=await _prices(session, found, areas, now, numbers),
        customers=customers,
        subscriptions=theirs,
        allowances=await _allowances(session, found, theirs, now),
        free_fills=free,
        free_fills_used=used,
        averages=await _averages(session, found),
        blocked=await fills.refusals_of(session, people) if people else {},
    )


async def _prices(
    session: AsyncSession,
    found: Sequence[ResolvedRequest],
    areas: dict[str, BookableArea],
    now: datetime,
    numbers: dict[str, int],
) -> dict[tuple[str, str], PriceNow]:
    wanted: dict[str, set[str]] = {}
    for each in found:
        area = areas.get(each.zip_code)
        if area and each.grade in area.grades:
            wanted.setdefault(area.id, set()).add(each.grade)
    return {
        (area_id, grade): price
        for area_id, grades in wanted.items()
        for grade, price in (
            await prices.prices_at(session, area_id, now, *sorted(grades), numbers=numbers)
        ).items()
    }


async def _allowances(
    session: AsyncSession,
    found: Sequence[ResolvedRequest],
    theirs: dict[str, SubscriptionInfo],
    now: datetime,
) -> dict[str, Allowance]:
    """Return what is left of the fills from which a plan would pay, by person."""
    grants = []
    for each in found:
        slot = parse_slot_id(each.asked.request.slot_id)
        day = slot.day if slot else day_of(now)
        bucket = PLAN if each.car and each.car.id else GUEST
        grants.append(grant_of(theirs.get(each.asked.person_id), bucket, day))
    known = [grant for grant in grants if grant]
    stored = await ledger.as_stored(session, known) if known else {}
    return {each.person_id: each for each in stored.values()}


async def _free_fills(
    session: AsyncSession,
    found: Sequence[ResolvedRequest],
    areas: dict[str, BookableArea],
    customers: dict[str, CustomerFacts],
) -> tuple[dict[str, FreeFillOffer], dict[str, str]]:
    """Return the free first fills that are not used, and for what others were, by person."""
    uses, waiting, considered = {}, {}, set()
    for each in found:
        person_id, area = each.asked.person_id, areas.get(each.zip_code)
        customer = customers.get(person_id)
        if customer and customer.phone and area and each.car:
            license_plate = bare_plate(each.car.license_plate)
            uses[person_id] = FreeFillUse(person_id, license_plate, customer.phone)
            waiting[person_id] = customer.submission_id, area.opened_at
            if each.asked.may_be_free:
                considered.add(person_id)
    offers = await free_fills(session, waiting.values())
    offered = {
        person_id: (offers[each], uses[person_id])
        for person_id, each in waiting.items()
        if each in offers
    }
    known = await queries.free_fills_used(session, [use for _, use in offered.values()])
    used = {person_id: use.used_by(known) for person_id, (_, use) in offered.items()}
    free = {
        person_id: offer
        for person_id, (offer, _) in offered.items()
        if used[person_id] is None and person_id in considered
    }
    return free, {person_id: what for person_id, what in used.items() if what}


async def _averages(
    session: AsyncSession, found: Sequence[ResolvedRequest]
) -> dict[str, int | None]:
    return {
        each.asked.person_id: await queries.average_fill(session, each.asked.person_id, each.car.id)
        for each in found
        if each.car and each.car.id and not each.asked.seen
    }
