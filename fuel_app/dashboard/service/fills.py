"""The fills of a customer on the dashboard, and today's price."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from fuel_app.accounts.rules import Actor
from fuel_app.areas.rules.grades import GRADES
from fuel_app.areas.rules.prices import PriceNow, age_words
from fuel_app.areas.service import company, prices
from fuel_app.billing.rules.payments import NEEDS_CONFIRMATION, reason_of
from fuel_app.billing.service import cards
from fuel_app.billing.service import reading as receipts
from fuel_app.bookings.rules.bookings import Booking, free_fill_note
from fuel_app.bookings.rules.filling import CHECKING
from fuel_app.bookings.rules.states import ALLOWANCE, COMPLETED
from fuel_app.bookings.service import promises
from fuel_app.bookings.service import reading as bookings
from fuel_app.customers.rules.profile import Customer, PastService
from fuel_app.customers.service import person
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading
from fuel_app.kit.money import FuelPrice, Money


async def with_fills(actor: Actor, person_id: str, customer: Customer) -> Customer:
    """Return a customer with what was filled, if more is booked, and the price of their fuel."""
    if not customer.is_customer:
        return customer
    coming = await bookings.upcoming(actor, customer_id=person_id)
    past = await bookings.past(actor, customer_id=person_id)
    fills = [each for each in past if each.state == COMPLETED]
    known = await receipts.receipts_of([each.id for each in fills])
    price = await _price(customer)
    customer = await _with_promise(customer, person_id)
    now = clock.now()
    start = customer.period_starts or day_of(now).replace(day=1)
    taken, average = _of_period(fills, start)
    card = (await cards.on_file_of(person_id)).problem
    return replace(
        customer,
        card_problem=reason_of(card) if card not in ("", NEEDS_CONFIRMATION) else "",
        has_booking=bool(coming),
        fills_booked=sum(_takes_fill(each, customer.period_starts) for each in coming),
        past_services=tuple(_past(each, known.get(each.id, "")) for each in fills),
        milligallons_used=taken if fills else None,
        average_cost=average,
        cost_per_gallon=FuelPrice(price.mills) if price else None,
        price_age=f", set {age_words(price.effective_at, now)}" if price else "",
    )


async def _with_promise(customer: Customer, person_id: str) -> Customer:
    """Return a customer without the promise of a free first fill that cannot be had any more."""
    if customer.free_fill is None:
        return customer
    plates = [each.license_plate for each in customer.vehicles]
    async with reading() as session:
        used = await promises.free_fill_used(session, person_id, customer.personal.phone, plates)
    if used is None:
        return customer
    return replace(customer, free_fill=None, free_fill_note=free_fill_note(used))


def _takes_fill(booking: Booking, period: date | None) -> bool:
    is_covered = booking.pays_by == ALLOWANCE and not booking.fee_asked_at
    return is_covered and booking.period == period


def _of_period(fills: Sequence[Booking], start: date) -> tuple[int, FuelPrice | None]:
    """Return the milligallons since a day, and what a gallon of them has cost on average."""
    these = [each for each in fills if _day(each) >= start]
    taken = sum(each.counted_milligallons for each in these)
    cents = sum(each.total.cents for each in these if each.total)
    average = (2 * 10_000 * cents + taken) // (2 * taken) if taken else 0
    return taken, FuelPrice(average) if taken else None


async def _price(customer: Customer) -> PriceNow | None:
    """Return the price of the first vehicle's grade where the customer lives."""
    garage = customer.vehicles
    grade = getattr(garage[0], "grade", GRADES[0]) if garage else GRADES[0]
    async with reading() as session:
        area_id = await company.open_area_id(session, customer.personal.zip_code)
        return await prices.price_at(session, area_id, grade, clock.now()) if area_id else None


def _day(fill: Booking) -> date:
    return day_of(fill.completed_at or fill.ends_at)


def _past(fill: Booking, receipt: str) -> PastService:
    taken, cost = fill.counted_milligallons, fill.total or Money(0)
    note = CHECKING if fill.gallons_asked_at else ""
    return PastService(_day(fill), fill.car.name, taken, cost, receipt, note)


person.PARTS.append(with_fills)
