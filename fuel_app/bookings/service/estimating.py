"""The estimate of a fill, and all that a booking of it needs."""

import re
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.areas.rules.hours import BookableArea
from fuel_app.areas.service import hours, prices
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import (
    Car,
    CarGone,
    GradeNotOffered,
    NeedsPin,
    NoPrice,
    PastDue,
    Place,
    PlaceGone,
    Request,
    SpotRefused,
)
from fuel_app.bookings.rules.estimates import Estimate, expected_milligallons, fee_for, fee_tax
from fuel_app.bookings.rules.slots import SlotOffer
from fuel_app.bookings.rules.states import ALLOWANCE, FEE, FREE_FILL, GUEST_FILL
from fuel_app.bookings.service.figures import LATE_FEE
from fuel_app.bookings.service.slots import booker_by, find_slot, takes_bookings
from fuel_app.customers.rules.facts import CustomerFacts
from fuel_app.customers.rules.places import NOT_IN_STREETS, NOT_INSIDE, SPOTS, STREET
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.customers.service import facts as customers
from fuel_app.customers.service import places as saved_places
from fuel_app.customers.service import vehicles
from fuel_app.customers.service.free_fill import free_fill
from fuel_app.kit import figures
from fuel_app.kit.clock import day_of
from fuel_app.kit.money import Money
from fuel_app.plans.rules.ledger import GUEST, PLAN, Allowance
from fuel_app.plans.rules.subscriptions import PAST_DUE, SubscriptionInfo
from fuel_app.plans.service import ledger, subscriptions


@dataclass(frozen=True, slots=True)
class Plan:
    """A request with everything looked up."""

    area: BookableArea
    slot: SlotOffer | None
    capacity: int  # of the slot
    car: Car
    place: Place
    customer: CustomerFacts | None  # None for a guest
    subscription: SubscriptionInfo | None
    estimate: Estimate


def plate(text: str) -> str:
    """Return a license plate without what people put between its characters."""
    return re.sub(r"[^0-9A-Z]", "", text.upper())


async def plan(
    session: AsyncSession,
    person_id: str,
    request: Request,
    now: datetime,
    *,
    is_staff: bool = False,
    may_be_free: bool = True,
    seen: Estimate | None = None,
) -> Plan:
    """Look up a request and estimate its price.

    Args:
        person_id: The customer; '' for a guest.
        request: Its slot may be empty: an estimate for today.
        may_be_free: A free first fill is considered.
        seen: The estimate on the screen as the button is pressed. Area, customer and subscription
            are then kept as they are until the commit.

    Raises:
        Refusal: As `booking.estimate` and `booking.book` say.
    """
    numbers = await figures.values(session)
    car = await _car(session, person_id, request.car)
    place = await _place(session, person_id, request.place)
    area = await hours.bookable(session, place.zip_code, lock=seen is not None)
    area = takes_bookings(area, place.zip_code)
    customer = subscription = slot = window = None
    if person_id:
        customer = await customers.facts(session, person_id, lock=seen is not None)
        subscription = await subscriptions.of(session, person_id, shared=seen is not None)
    if subscription and subscription.state == PAST_DUE:
        raise PastDue
    booker = booker_by(numbers, subscription, is_staff=is_staff)
    _check_place(place, area, is_staff=is_staff)
    if request.slot_id:
        slot, window = find_slot(area, request.slot_id, booker, now)
    grade = request.grade or car.grade
    if grade not in area.grades:
        raise GradeNotOffered
    price = await prices.price_at(session, area.id, grade, now, numbers)
    if price is None or price.is_stale:
        raise NoPrice
    milligallons = seen.milligallons if seen else await _expected(session, person_id, car)
    day = slot.day if slot else day_of(now)
    pays_by, allowance, free = FEE, None, None
    if customer:
        offer = await free_fill(session, customer.submission_id, area.opened_at)
        if offer and may_be_free and await _is_first(session, person_id, car, customer.phone):
            pays_by, free = FREE_FILL, offer
        else:
            pays_by, allowance = await _paying(session, subscription, car, day)
    fee = fee_for(pays_by)
    estimate = Estimate(
        grade=grade,
        mills=price.mills,
        effective_at=price.effective_at,
        source=price.source,
        milligallons=milligallons,
        pays_by=pays_by,
        period=allowance.period if allowance else None,
        fills_left=allowance.left if allowance else 0,
        plan_name=subscription.plan.name if subscription else "",
        fee=fee,
        tax=fee_tax(fee, area.tax_basis_points),
        free_cap=free.cap if free else None,
        late_fee=Money(numbers[LATE_FEE.name]),
    )
    capacity = window.capacity if window else 0
    return Plan(area, slot, capacity, car, place, customer, subscription, estimate)


async def _expected(session: AsyncSession, person_id: str, car: Car) -> int:
    average = await queries.average_fill(session, person_id, car.id) if car.id else None
    return expected_milligallons(average, car.tank_tenths)


async def _car(session: AsyncSession, person_id: str, asked: Car | str) -> Car:
    if isinstance(asked, Car):
        return asked
    own = await vehicles.find(session, person_id, asked) if person_id else None
    if own is None:
        raise CarGone
    return car_of(own)


def car_of(vehicle: OwnVehicle) -> Car:
    """Return a vehicle as a booking keeps it."""
    names = (name for name in Car.__slots__ if name != "id")
    return Car(**{name: getattr(vehicle, name) for name in names}, id=vehicle.id)


async def _place(session: AsyncSession, person_id: str, asked: Place | str) -> Place:
    if isinstance(asked, Place):
        return asked
    own = await saved_places.find(session, person_id, asked) if person_id else None
    if own is None:
        raise PlaceGone
    return Place(**{name: getattr(own, name) for name in Place.__slots__})


def _check_place(place: Place, area: BookableArea, *, is_staff: bool) -> None:
    if place.spot not in SPOTS:
        raise SpotRefused(NOT_INSIDE)
    if place.spot == STREET and not area.streets_allowed:
        raise SpotRefused(NOT_IN_STREETS)
    if place.is_approximate and not is_staff:
        raise NeedsPin


async def _paying(
    session: AsyncSession, subscription: SubscriptionInfo | None, car: Car, day: date
) -> tuple[str, Allowance | None]:
    """Return how a fill is paid for: of the plan, as a guest fill, else by a fee."""
    bucket = PLAN if car.id else GUEST
    allowance = await ledger.allowance_of(session, subscription, bucket, day)
    if allowance is None or allowance.left <= 0:
        return FEE, None
    return ALLOWANCE if car.id else GUEST_FILL, allowance


async def _is_first(session: AsyncSession, person_id: str, car: Car, phone: str) -> bool:
    used = await queries.free_fill_used(session, person_id, plate(car.license_plate), phone)
    return bool(phone) and not used
