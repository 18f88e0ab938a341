"""Estimates of fills: from the facts that are known to what can be booked, for what price."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules.details import AccountGone
from fuel_app.areas.rules.hours import BookableArea
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.bookings import Car, Place
from fuel_app.bookings.rules.estimates import Estimate, expected_milligallons, fee_for
from fuel_app.bookings.rules.slots import SlotOffer
from fuel_app.bookings.rules.states import ALLOWANCE, FEE, FREE_FILL, GUEST_FILL
from fuel_app.bookings.service.figures import LATE_FEE
from fuel_app.bookings.service.lookups import (
    BookingRequest,
    Facts,
    ResolvedRequest,
    look_up,
    resolve,
)
from fuel_app.bookings.service.slots import booker_by, find_slot, takes_bookings
from fuel_app.customers.rules.facts import CustomerFacts
from fuel_app.customers.rules.places import NOT_IN_STREETS, NOT_INSIDE, SPOTS, STREET
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money
from fuel_app.plans.rules.ledger import Allowance
from fuel_app.plans.rules.subscriptions import PAST_DUE


@dataclass(frozen=True, slots=True)
class Order:
    """A request with everything looked up."""

    area: BookableArea
    slot: SlotOffer | None
    capacity: int  # of the slot
    car: Car
    place: Place
    customer: CustomerFacts | None  # None for a guest
    allowance: Allowance | None  # from which a fill is taken; None if it is paid in another way
    estimate: Estimate


async def order(session: AsyncSession, asked: BookingRequest, now: datetime) -> Order:
    """Look up a request and estimate its price.

    Raises:
        Refusal: As `booking.estimate` and `booking.book` say.
    """
    found = (await orders(session, [asked], now, lock=False))[0]
    if isinstance(found, Refusal):
        raise found
    return found


async def orders(
    session: AsyncSession, asked: Sequence[BookingRequest], now: datetime, *, lock: bool
) -> list[Order | Refusal]:
    """Look up requests, of each customer one. To book they take three queries more for each area.

    Args:
        lock: Keep areas, customers and subscriptions as they are until the commit.

    Returns:
        What can be booked, or why not, in the order of the requests.
    """
    found = await resolve(session, asked)
    facts = await look_up(session, found, now, lock=lock)
    results: list[Order | Refusal] = []
    for each in found:
        try:
            results.append(_order(each, facts))
        except Refusal as refusal:
            results.append(refusal)
    return results


def _order(found: ResolvedRequest, facts: Facts) -> Order:
    asked, car, place = found.asked, found.car, found.place
    if car is None:
        raise refusals.CarGone
    if place is None:
        raise refusals.PlaceGone
    area = takes_bookings(facts.areas.get(place.zip_code), place.zip_code)
    customer = facts.customers.get(asked.person_id)
    if asked.person_id and customer is None:
        raise AccountGone
    subscription = facts.subscriptions.get(asked.person_id)
    if subscription and subscription.state == PAST_DUE:
        raise refusals.PastDue
    if asked.person_id in facts.blocked:
        raise facts.blocked[asked.person_id]
    _check_place(place, area, is_staff=asked.is_staff)
    slot = window = None
    if asked.request.slot_id:
        booker = booker_by(facts.numbers, subscription, is_staff=asked.is_staff)
        slot, window = find_slot(area, asked.request.slot_id, booker, facts.now)
    if found.grade not in area.grades:
        raise refusals.GradeNotOffered
    price = facts.prices.get((area.id, found.grade))
    if price is None or price.is_stale:
        raise refusals.NoPrice
    pays_by, allowance = _paying(asked, car, facts)
    free = facts.free_fills[asked.person_id] if pays_by == FREE_FILL else None
    fee = fee_for(pays_by)
    average = facts.averages.get(asked.person_id)
    estimate = Estimate(
        grade=found.grade,
        mills=price.mills,
        effective_at=price.effective_at,
        source=price.source,
        milligallons=asked.seen.milligallons
        if asked.seen
        else expected_milligallons(average, car.tank_tenths),
        tank_tenths=car.tank_tenths,
        pays_by=pays_by,
        period=allowance.period if allowance else None,
        fills_left=allowance.left if allowance else 0,
        fee=fee,
        tax=fee.share(area.tax_basis_points, 10_000),  # fuel prices contain theirs
        free_cap=free.cap if free else None,
        late_fee=Money(facts.numbers[LATE_FEE.name]),
        free_fill_used=facts.free_fills_used.get(asked.person_id, ""),
    )
    capacity = window.capacity if window else 0
    return Order(area, slot, capacity, car, place, customer, allowance, estimate)


def _check_place(place: Place, area: BookableArea, *, is_staff: bool) -> None:
    if place.spot not in SPOTS:
        raise refusals.SpotRefused(NOT_INSIDE)
    if place.spot == STREET and not area.streets_allowed:
        raise refusals.SpotRefused(NOT_IN_STREETS)
    if place.is_approximate and not is_staff:
        raise refusals.NeedsPin


def _paying(asked: BookingRequest, car: Car, facts: Facts) -> tuple[str, Allowance | None]:
    """Return how a fill is paid for: free, of the plan, as a guest fill, else by a fee."""
    if asked.person_id in facts.free_fills:
        return FREE_FILL, None
    allowance = facts.allowances.get(asked.person_id)
    if allowance is None or allowance.left <= 0:
        return FEE, None
    return (ALLOWANCE if car.id else GUEST_FILL), allowance
