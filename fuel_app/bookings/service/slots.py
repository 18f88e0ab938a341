"""An area's slots on offer, which of them a customer may book, and the figures that decide it.

Admins change the figures: late fee, minutes of a slot hold, when booking closes, days ahead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.areas.rules.areas import OPEN, PAUSED
from fuel_app.areas.rules.hours import BookableArea, DayWindow
from fuel_app.areas.rules.prices import GRADES
from fuel_app.areas.service import hours, prices
from fuel_app.billing.service import fill_invoices
from fuel_app.bookings import queries
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.bookings import Booking, Car, Guest
from fuel_app.bookings.rules.slots import (
    SAME_DAY_PLAN,
    Booker,
    SlotDay,
    SlotId,
    SlotOffer,
    by_day,
    can_be_booked,
    horizon,
    parse_slot_id,
    slot_offer,
    with_places,
)
from fuel_app.bookings.rules.states import CUSTOMER
from fuel_app.bookings.service import access
from fuel_app.kit import clock, policies
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading
from fuel_app.kit.money import FuelPrice
from fuel_app.kit.policies import Policy, policy
from fuel_app.plans.rules.plans import PAST_DUE, SubscriptionInfo
from fuel_app.plans.service import subscriptions

LATE_FEE = policy("late_fee", "Late fee", unit="cents", default=1500, least=0, most=10_000)
HOLD_MINUTES = policy(
    "hold_minutes", "Places are held for a payment", unit="minutes", default=15, least=5, most=60
)
BOOKING_CLOSES_HOUR = policy(
    "booking_closes_hour",
    "Booking for the next day ends",
    unit="hours after midnight",
    default=20,
    least=12,
    most=23,
)


def _horizon(name: str, whom: str, days: int) -> Policy:
    label = f"{whom} book ahead"
    return policy(f"horizon_{name}", label, unit="days", default=days, least=1, most=60)


# By plan; without one, as for Solo and a one-time fill.
HORIZONS = {
    "": _horizon("one_time", "One-time fills", 7),
    "solo": _horizon("solo", "Solo plans", 7),
    "family": _horizon("family", "Family plans", 14),
    "big-family": _horizon("big_family", "Big Family plans", 21),
}


async def offered(
    by: Actor | None, zip_code: str, *, customer_id: object = "", hold_id: str = ""
) -> tuple[SlotDay, ...]:
    """Return the slots of a ZIP's area for the horizon: open, few left, full, closed.

    Args:
        by: None for a guest.
        customer_id: For whom staff book; their plan decides.
        hold_id: Of the tab; its own held place counts as free.

    Raises:
        OutsideArea, AreaPaused
    """
    person_id, is_staff = access.customer_of(by, customer_id) if by else ("", False)
    async with reading() as session:
        area = check_area(await hours.bookable(session, zip_code), zip_code)
        booker = await find_booker(session, person_id, is_staff=is_staff)
        return await _list_open(session, area, booker, hold_id)


@dataclass(frozen=True, slots=True)
class FirstOffer:
    """Price and next free window in a ZIP, for a visitor who has not said who they are."""

    regular: FuelPrice | None  # of a gallon; None where none can be booked just now
    next_free: str  # 'Tue, Nov 24, 8-10 AM'; empty where all is full


async def first_offer(zip_code: str) -> FirstOffer:
    """Return today's price of regular and the next free window of a ZIP's area, for a visitor.

    Raises:
        OutsideArea, AreaPaused
    """
    async with reading() as session:
        area = check_area(await hours.bookable(session, zip_code), zip_code)
        booker = await find_booker(session, "", is_staff=False)
        days = await _list_open(session, area, booker)
        price = await prices.price_at(session, area.id, GRADES[0], clock.now())
    return FirstOffer(
        FuelPrice(price.mills) if price and not price.is_stale else None,
        next((slot.when for day in days for slot in day.slots if slot.is_open), ""),
    )


async def offered_to_move(by: Actor | Guest, booking: Booking) -> tuple[SlotDay, ...]:
    """Return the slots into which a booking can be moved; its own is left out."""
    is_staff = access.role_in(by, booking.person_id) != CUSTOMER
    async with reading() as session:
        area = await hours.bookable_by_id(session, booking.area_id)
        area = check_area(area, booking.place.zip_code, is_staff=is_staff)
        booker = await find_booker(session, booking.person_id, is_staff=is_staff)
        return await _list_open(session, area, booker, but=booking.slot_id)


async def list_free(session: AsyncSession, booking: Booking, most: int) -> list[str]:
    """Return the next free windows into which a customer can move a booking, in words.

    None where the area takes no bookings just now.
    """
    area = await hours.bookable_by_id(session, booking.area_id)
    if area is None or area.status != OPEN:
        return []
    booker = await find_booker(session, booking.person_id, is_staff=False)
    days = await _list_open(session, area, booker, but=booking.slot_id)
    free = (slot.when for day in days for slot in day.slots if slot.is_open)
    return list(islice(free, most))


async def find_booker(session: AsyncSession, person_id: str, *, is_staff: bool) -> Booker:
    """Return how far ahead and how late a customer may book; '' is a guest."""
    subscription = await subscriptions.subscription_of(session, person_id) if person_id else None
    return booker_from(await policies.values(session), subscription, is_staff=is_staff)


def booker_from(
    numbers: dict[str, int], subscription: SubscriptionInfo | None, *, is_staff: bool
) -> Booker:
    """Return the same from all figures and an active plan."""
    plan_id = subscription.plan.id if subscription and subscription.is_active else ""
    return Booker(
        horizon_days=numbers[HORIZONS[plan_id].name],
        closes_hour=numbers[BOOKING_CLOSES_HOUR.name],
        same_day=plan_id == SAME_DAY_PLAN,
        is_staff=is_staff,
    )


async def check_paid(
    session: AsyncSession, person_id: str, subscription: SubscriptionInfo | None
) -> None:
    """Refuse a customer who has to pay before another booking.

    Raises:
        PastDue, PaymentDisputed, PaymentOpen
    """
    if subscription and subscription.state == PAST_DUE:
        raise refusals.PastDue
    if refusal := (await fill_invoices.refusals_of(session, [person_id])).get(person_id):
        raise refusal


def check_area(area: BookableArea | None, zip_code: str, *, is_staff: bool = False) -> BookableArea:
    """Return an area that takes bookings; staff may move those of a paused one."""
    if area is None or area.status not in (OPEN, PAUSED):
        raise refusals.OutsideArea(zip_code)
    if area.status == PAUSED and not is_staff:
        raise refusals.AreaPaused
    return area


def find_slot(
    area: BookableArea, slot_id: object, booker: Booker, now: datetime
) -> tuple[SlotOffer, DayWindow]:
    """Return a slot of an area that can be booked now, places aside; a browser has sent its id."""
    asked = parse_slot_id(slot_id)
    if asked is None:
        raise refusals.SlotClosed
    if asked.area_id != area.id:
        raise refusals.OtherArea
    for window in area.hours.on(asked.day):
        if window.opens == asked.opens:
            slot = slot_offer(str(asked), asked.day, window.opens, window.closes)
            if not can_be_booked(slot, booker, now):
                raise refusals.SlotPast
            if not window.capacity or slot.starts_at >= slot.ends_at:
                raise refusals.SlotClosed(window.reason)
            return slot, window
    raise refusals.SlotClosed


async def _list_open(
    session: AsyncSession, area: BookableArea, booker: Booker, hold_id: str = "", *, but: str = ""
) -> tuple[SlotDay, ...]:
    now = clock.now()
    found: list[tuple[SlotOffer, DayWindow]] = []
    for day in horizon(day_of(now), booker.horizon_days):
        for window in area.hours.on(day):
            slot_id = str(SlotId(area.id, day, window.opens))
            slot = slot_offer(slot_id, day, window.opens, window.closes)
            is_real = slot.starts_at < slot.ends_at  # not in the hour that a night skips
            if is_real and slot_id != but and can_be_booked(slot, booker, now):
                found.append((slot, window))
    taken = await queries.count_taken_seats(session, [slot.id for slot, _ in found], now, hold_id)
    return by_day(
        with_places(
            slot,
            window.capacity - taken.get(slot.id, 0),
            is_closed=not window.capacity,
            reason=window.reason,
        )
        for slot, window in found
    )


async def with_room(session: AsyncSession, held: Sequence[Booking]) -> list[Booking]:
    """Return those of some locked bookings on hold that fit in their windows as these are now.

    They have their seats; what else is on hold takes no room before it is booked again, by one
    transaction at a time.
    """
    areas = {each.slot_id: each.area_id for each in held}
    await queries.lock_taken_seats(session, areas)
    in_use = await queries.count_seats_in_use(session, areas, clock.now())
    room: dict[str, int] = {}
    for slot_id, area_id in areas.items():
        area, slot = await hours.bookable_by_id(session, area_id), parse_slot_id(slot_id)
        capacity = area.hours.capacity(slot.day, slot.opens) if area and slot else 0
        room[slot_id] = capacity - in_use.get(slot_id, 0)
    fitting = []
    for booking in held:
        if room[booking.slot_id] > 0:
            room[booking.slot_id] -= 1
            fitting.append(booking)
    return fitting


async def check_not_booked(
    session: AsyncSession,
    cars: Sequence[Car],
    slot_id: str,
    *,
    person_id: str,
    guest_email: str = "",
    key: str = "",
    but: str = "",
) -> None:
    """Refuse a car that its customer or guest has booked in this slot already.

    Another account's booking of the same plate is its own matter.

    Args:
        key: Of what is booked; a second press may see what the first one has made.
        but: A booking that moves there.

    Raises:
        CarBooked
    """
    for row in await queries.in_slot(session, slot_id, person_id, guest_email):
        booked = [fill.car for fill in queries.booking_of(row).fills]
        twice = next((car for car in cars for other in booked if car.is_same(other)), None)
        if twice and row.id != but and row.key != key:
            raise refusals.CarBooked(twice, row.id)
