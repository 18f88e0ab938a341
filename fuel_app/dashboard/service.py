"""The dashboard's figures: of leads, of the open company's day, and a customer's own fills."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.areas.rules.areas import OPEN
from fuel_app.areas.rules.prices import GRADES, PriceRow, age_words
from fuel_app.areas.service import company, prices
from fuel_app.billing.rules.payments import NEEDS_CONFIRMATION, reason_of
from fuel_app.billing.rules.reports import Earned
from fuel_app.billing.service import cards, reports
from fuel_app.billing.service import invoices as receipts
from fuel_app.bookings.rules.bookings import Booking, free_fill_note
from fuel_app.bookings.rules.fills import CHECKING
from fuel_app.bookings.rules.states import ALLOWANCE, COMPLETED
from fuel_app.bookings.service import access, attention, road
from fuel_app.customers.rules.customers import Account, Customer
from fuel_app.customers.service import account as accounts
from fuel_app.customers.service import directory
from fuel_app.dashboard import queries
from fuel_app.dashboard.rules import (
    DAYS_AHEAD,
    DECLINED,
    DISPUTED,
    FLOW_DAYS,
    NEAREST,
    OWED,
    REVENUE_DAYS,
    AtRisk,
    Figures,
    FuelFlow,
    Margin,
    Morning,
    Overview,
    PastService,
    Today,
    gallons_of,
    load_of,
    per_day,
    type_counts,
    week_until,
)
from fuel_app.dispatch.service import trucks
from fuel_app.kit import clock
from fuel_app.kit.cache import Cached
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import FuelPrice, Money
from fuel_app.kit.signals import (
    AREAS,
    BOOKINGS,
    LEADS,
    MEMBERS,
    PRICES,
    ROUTES,
    SHIFTS,
    TRUCKS,
)
from fuel_app.leads.rules import TYPES
from fuel_app.neighborhoods import queries as neighborhood_list
from fuel_app.neighborhoods.rules import NeighborhoodQuery, next_tier
from fuel_app.outcomes.service import attention as money
from fuel_app.preview import samples


async def lead_figures() -> Figures:
    """Count leads and neighborhoods."""
    starts = week_until(clock.now())
    async with reading() as session:
        statuses = await queries.by_status(session)
        new = await queries.since(session, starts)
        neighborhoods, members = await queries.neighborhoods(session)
        ids = await neighborhood_list.ids(session, NeighborhoodQuery(sort="missing"))
        nearest = await neighborhood_list.by_ids(session, ids[:NEAREST])
    return Figures(
        types=type_counts(statuses),
        days=per_day(starts, new),
        new_by_type={type_: sum(day.get(type_, 0) for day in new.values()) for type_ in TYPES},
        neighborhoods=neighborhoods,
        members=members,
        nearest=tuple(row for row in nearest if next_tier(row.members)),
    )


async def earned_before(actor: Actor, day: date) -> dict[date, Earned]:
    """Return what the days before one have earned: of its month, and of the chart."""
    first = min(day.replace(day=1), day - timedelta(days=REVENUE_DAYS - 1))
    return await reports.earned(actor, first, day - timedelta(days=1))


async def read_today() -> Today:
    """Return the day's figures, of the earnings the day's own."""
    day = day_of(clock.now())
    areas = [area.name for area in await company.areas() if area.status == OPEN]
    async with reading() as session:
        fills = await road.fills_of_day(session, day)
        customers, plans = await directory.counts(session)
    return Today(day, fills, customers, plans, tuple(areas), await reports.earned(SYSTEM, day, day))


async def read_morning() -> Morning:
    """Return the figures of the morning: some sixteen statements."""
    now = clock.now()
    today = day_of(now)
    days = tuple(today + timedelta(days=n) for n in range(1, DAYS_AHEAD + 1))
    yesterday = today - timedelta(days=1)
    async with reading() as session:
        owed = await money.owed(session)
        declined = await attention.declined_in_all(session, now)
        disputed = await money.disputed(session)
        areas = await company.open_hours(session, today)
        sold = await road.sold_between(session, yesterday, yesterday)
        first = today - timedelta(days=FLOW_DAYS)
        sold_before = await road.sold_between(session, first, yesterday)
        loads = await trucks.loads_on(session, first, yesterday)
        costs = await prices.costs_at(session, clock.morning(today))
        booked = await road.booked_from(session, days[0], DAYS_AHEAD)
        carried = await trucks.carried_on(session, days[0], days[-1])
    names = {area_id: name for area_id, name, _ in areas}
    return Morning(
        at_risk=(
            AtRisk(OWED, *owed),
            AtRisk(DECLINED, *declined),
            AtRisk(DISPUTED, *disputed),
        ),
        margin=Margin.of(sold, costs, names),
        flow=FuelFlow.of((load for day, load in loads if day == yesterday), sold),
        flow_before=FuelFlow.of((load for _, load in loads), sold_before),
        days=days,
        areas=load_of(areas, booked, days),
        gallons=gallons_of(booked, carried, days),
    )


_MORNING = Cached(read_morning, AREAS, BOOKINGS, PRICES, ROUTES, SHIFTS, TRUCKS)


async def morning_figures(actor: Actor) -> Morning:
    """Return the figures of the morning, kept for all tabs of this process."""
    actor.require(Role.DISPATCHER)
    return await _MORNING.get()


_TODAY = Cached(read_today, AREAS, BOOKINGS, ROUTES, SHIFTS)
_LEADS = Cached(lead_figures, LEADS, MEMBERS)


async def latest_leads(actor: Actor) -> Figures:
    """Return the figures of leads, kept for all tabs of this process."""
    actor.require(Role.DISPATCHER)
    return await _LEADS.get()


async def today_figures(actor: Actor, before: Mapping[date, Earned]) -> Today:
    """Return the day's figures, kept for all tabs of this process.

    Args:
        before: As of `earned_before`: those days do not change any more.
    """
    actor.require(Role.DISPATCHER)
    today = await _TODAY.get()
    return replace(today, earned={**before, **today.earned})


async def read_customer(actor: Actor, person_id: object) -> tuple[Customer, Overview]:
    """Return a customer as their own dashboard shows them, for staff.

    Raises:
        AccountGone: If there is no such customer (any more).
    """
    customer = await accounts.read_customer(actor, person_id)
    return customer, await _overview(actor, well_formed_id(person_id) or "", customer)


async def overview_of(account: Account, customer: Customer) -> Overview:
    """Return what the dashboard of an account shows beside its customer."""
    if isinstance(account, accounts.Own):
        by = account.session.actor.as_customer
        return await _overview(by, account.session.person_id, customer)
    return samples.overview(clock.now()) if account.is_sample else Overview()


async def _overview(actor: Actor, person_id: str, customer: Customer) -> Overview:
    """Return a customer's bookings, fills and card, and the price of their fuel."""
    if not customer.is_customer:
        return Overview()
    coming, past = await access.upcoming_and_past(actor, customer_id=person_id)
    fills = [each for each in past if each.state == COMPLETED]
    receipt_ids = await receipts.receipts_of([each.id for each in fills])
    price, now = await _find_price(customer), clock.now()
    start = customer.period_starts or day_of(now).replace(day=1)
    taken, average = _sum_of_period(fills, start)
    card, owed = await cards.on_file_with_debt(person_id)
    free_fill, is_used = ("", False) if coming or fills else await _free_fill(customer, person_id)
    return Overview(
        fills_booked=sum(_takes_fill(each, customer.period_starts) for each in coming),
        milligallons_used=taken if fills else None,
        cost_per_gallon=FuelPrice(price.mills) if price else None,
        price_age=f", set {age_words(price.effective_at, now)}" if price else "",
        average_cost=average,
        coming=coming,
        past_services=tuple(_past_service(each, receipt_ids.get(each.id, "")) for each in fills),
        free_fill=free_fill,
        is_free_fill_used=is_used,
        card_problem=reason_of(card.problem)
        if card.problem not in ("", NEEDS_CONFIRMATION)
        else "",
        owed=owed if owed.cents else None,
    )


async def _free_fill(customer: Customer, person_id: str) -> tuple[str, bool]:
    """Return what the promised free first fill is worth, or that it was used before."""
    plates = [each.license_plate for each in customer.vehicles]
    async with reading() as session:
        offer = await accounts.free_fill_of(session, person_id)
        if offer is None:
            return "", False
        used = await access.find_free_fill_use(session, person_id, customer.personal.phone, plates)
    note = free_fill_note(used or "")
    return note or str(offer), bool(note)


def _takes_fill(booking: Booking, period: date | None) -> bool:
    return any(
        each.pays_by == ALLOWANCE and not each.fee_asked_at and each.period == period
        for each in booking.fills
    )


def _sum_of_period(fills: Sequence[Booking], start: date) -> tuple[int, FuelPrice | None]:
    """Return the milligallons since a day, and what a gallon of them has cost on average."""
    these = [each for each in fills if _day(each) >= start]
    taken = sum(each.counted_milligallons for each in these)
    cents = sum(each.total.cents for each in these if each.total)
    average = (2 * 10_000 * cents + taken) // (2 * taken) if taken else 0
    return taken, FuelPrice(average) if taken else None


async def _find_price(customer: Customer) -> PriceRow | None:
    """Return the price of the first vehicle's grade where the customer lives."""
    garage = customer.vehicles
    grade = getattr(garage[0], "grade", GRADES[0]) if garage else GRADES[0]
    async with reading() as session:
        return await prices.price_in_zip(session, customer.personal.zip_code, grade, clock.now())


def _day(fill: Booking) -> date:
    return day_of(fill.completed_at or fill.ends_at)


def _past_service(fill: Booking, receipt: str) -> PastService:
    taken, cost = fill.counted_milligallons, fill.total or Money(0)
    note = CHECKING if fill.is_checked else ""
    return PastService(_day(fill), fill.cars, taken, cost, receipt, note)
