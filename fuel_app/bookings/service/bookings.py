"""Booking a fill: its estimate, the booking itself, and the slot hold during payment.

What a request depends on is looked up without a lock (`Facts`) and checked (`Order`, with the
estimate); booking it reads what may have changed once more under locks, in one transaction.
"""

from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import AccountGone, Actor
from fuel_app.accounts.service.directory import count_mail
from fuel_app.areas.rules.hours import BookableArea
from fuel_app.areas.rules.prices import PriceNow
from fuel_app.areas.service import hours, prices
from fuel_app.billing.service import cards, fill_invoices
from fuel_app.bookings import queries
from fuel_app.bookings.queries import Taker
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.authorizations import last_try
from fuel_app.bookings.rules.bookings import (
    Booking,
    Car,
    FreeFillUse,
    NeedsCard,
    NeedsVerifiedEmail,
    Place,
    Request,
    SlotClosed,
    SlotFull,
    car_of,
    place_of,
)
from fuel_app.bookings.rules.estimates import (
    Estimate,
    FreeFillUsed,
    PriceChanged,
    expected_milligallons,
    fee_for,
)
from fuel_app.bookings.rules.slots import HOLDS_MOST, SlotId, SlotOffer, parse_slot_id
from fuel_app.bookings.rules.states import ALLOWANCE, FEE, FREE_FILL, GUEST_FILL
from fuel_app.bookings.service import access, authorizations, notifications
from fuel_app.bookings.service.slots import (
    HOLD_MINUTES,
    LATE_FEE,
    booker_from,
    check_area,
    find_booker,
    find_slot,
)
from fuel_app.bookings.tables import FreeFill, StoredBooking
from fuel_app.customers.rules.customers import CustomerFacts, FreeFillOffer
from fuel_app.customers.rules.locations import NOT_IN_STREETS, NOT_INSIDE, SPOTS, STREET
from fuel_app.customers.rules.sign_up import Contact
from fuel_app.customers.rules.vehicles import bare_plate
from fuel_app.customers.service import account as customer_facts
from fuel_app.customers.service import locations as saved_places
from fuel_app.customers.service import vehicles
from fuel_app.customers.service.account import free_fills
from fuel_app.kit import background, clock, jobs, outbox, policies
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.legal import TERMS_VERSION
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, signals
from fuel_app.kit.throttle import GUEST_BOOKINGS, HOLDS, OWN_BOOKINGS, household, throttle
from fuel_app.plans.rules.ledger import GUEST, PLAN, Allowance, Reservation, grant_of
from fuel_app.plans.rules.plans import PAST_DUE, SubscriptionInfo
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
class Facts:
    """The facts that a request depends on, at a moment. `lock` has read some of them again."""

    now: datetime
    policies: dict[str, int]
    car: Car | None  # None where the customer has no such one, as is the place
    place: Place | None
    area: BookableArea | None
    price: PriceNow | None
    customer: CustomerFacts | None = None  # None for a guest, as is the rest
    subscription: SubscriptionInfo | None = None
    allowance: Allowance | None = None  # of the period and bucket from which the plan would pay
    free_fill: FreeFillOffer | None = None  # not used yet
    free_fill_used: str = ""  # for what it was: 'plate', 'phone number'
    average: int | None = None  # thousandths of a gallon, for an estimate
    refusal: Refusal | None = None  # a debt or a dispute


@dataclass(frozen=True, slots=True)
class Order:
    """A request that can be booked, with its estimate."""

    area: BookableArea
    slot: SlotOffer | None
    capacity: int  # of the slot
    car: Car
    place: Place
    customer: CustomerFacts | None  # None for a guest
    allowance: Allowance | None  # from which a fill is taken; None if it is paid in another way
    estimate: Estimate


async def _look_up(session: AsyncSession, asked: BookingRequest, now: datetime) -> Facts:
    """Look up what a request depends on, without a lock."""
    person_id, request = asked.person_id, asked.request
    car, place = await _resolve(session, asked)
    values = await policies.values(session)
    area = await hours.bookable(session, place.zip_code) if place else None
    grade = request.grade or (car.grade if car else "")
    price = None
    if area and grade in area.grades:
        price = await prices.price_at(session, area.id, grade, now, numbers=values)
    facts = Facts(now, values, car, place, area, price)
    if not person_id:
        return facts
    customer = (await customer_facts.facts_of(session, [person_id])).get(person_id)
    free_fill, used = await _free_fill_of(session, asked, facts, customer)
    subscription = await subscriptions.subscription_of(session, person_id)
    is_estimate = car is not None and bool(car.id) and asked.seen is None
    return replace(
        facts,
        customer=customer,
        subscription=subscription,
        allowance=await _allowance_of(session, asked, car, subscription, now),
        free_fill=free_fill,
        free_fill_used=used,
        average=await queries.average_fill(session, person_id, car.id)
        if car and is_estimate
        else None,
        refusal=(await fill_invoices.refusals_of(session, [person_id])).get(person_id),
    )


async def _lock(session: AsyncSession, asked: BookingRequest, facts: Facts) -> Facts:
    """Lock area, customer and subscription, in this order, and read them and what hangs on them."""
    now, person_id = clock.now(), asked.person_id
    zip_codes = [facts.place.zip_code] if facts.place else []
    areas = await hours.bookable_areas(session, zip_codes, lock=True)
    facts = replace(facts, now=now, area=next(iter(areas.values()), None))
    if not person_id:
        return facts
    customers = await customer_facts.facts_of(session, [person_id], lock=True)
    subscription = await subscriptions.subscription_of(session, person_id, lock=True)
    return replace(
        facts,
        customer=customers.get(person_id),
        subscription=subscription,
        allowance=await _allowance_of(session, asked, facts.car, subscription, now),
        refusal=(await fill_invoices.refusals_of(session, [person_id])).get(person_id),
    )


async def _resolve(session: AsyncSession, asked: BookingRequest) -> tuple[Car | None, Place | None]:
    """Look up the customer's own car and place; what is typed is as typed."""
    car, place = asked.request.car, asked.request.place
    if not isinstance(car, Car):
        vehicle = await vehicles.find(session, asked.person_id, car)
        car = car_of(vehicle) if vehicle and vehicle.is_active else None
    if not isinstance(place, Place):
        saved = await saved_places.find_own(session, asked.person_id, place)
        place = place_of(saved, saved.located) if saved else None
    return car, place


async def _allowance_of(
    session: AsyncSession,
    asked: BookingRequest,
    car: Car | None,
    subscription: SubscriptionInfo | None,
    now: datetime,
) -> Allowance | None:
    """Return what is left of the fills from which the plan would pay."""
    slot = parse_slot_id(asked.request.slot_id)
    day = slot.day if slot else day_of(now)
    grant = grant_of(subscription, PLAN if car and car.id else GUEST, day)
    return await ledger.allowance_of(session, grant) if grant else None


async def _free_fill_of(
    session: AsyncSession, asked: BookingRequest, facts: Facts, customer: CustomerFacts | None
) -> tuple[FreeFillOffer | None, str]:
    """Return the free first fill that is not used, and for what another was."""
    area, car = facts.area, facts.car
    if customer is None or not customer.phone or area is None or car is None:
        return None, ""
    claim = customer.submission_id, area.opened_at
    offer = (await free_fills(session, [claim])).get(claim)
    if offer is None:
        return None, ""
    use = FreeFillUse(asked.person_id, bare_plate(car.license_plate), customer.phone)
    used = use.used_by(await queries.free_fills_used(session, [use]))
    return (offer if used is None and asked.may_be_free else None), used or ""


def _order(asked: BookingRequest, facts: Facts) -> Order:
    """Check a request, and estimate its price.

    Raises:
        Refusal: As `estimate_fill` and `book` say.
    """
    car, place, area, subscription = facts.car, facts.place, facts.area, facts.subscription
    if car is None:
        raise refusals.CarGone
    if place is None:
        raise refusals.PlaceGone
    area = check_area(area, place.zip_code)
    if asked.person_id and facts.customer is None:
        raise AccountGone
    if subscription and subscription.state == PAST_DUE:
        raise refusals.PastDue
    if facts.refusal:
        raise facts.refusal
    _check_place(place, area, is_staff=asked.is_staff)
    slot = window = None
    if asked.request.slot_id:
        booker = booker_from(facts.policies, subscription, is_staff=asked.is_staff)
        slot, window = find_slot(area, asked.request.slot_id, booker, facts.now)
    grade = asked.request.grade or car.grade
    if grade not in area.grades:
        raise refusals.GradeNotOffered
    if facts.price is None or facts.price.is_stale:
        raise refusals.NoPrice
    pays_by, allowance = _paying(car, facts)
    fee = fee_for(pays_by)
    estimate = Estimate(
        grade=grade,
        mills=facts.price.mills,
        effective_at=facts.price.effective_at,
        source=facts.price.source,
        milligallons=asked.seen.milligallons
        if asked.seen
        else expected_milligallons(facts.average, car.tank_tenths),
        tank_tenths=car.tank_tenths,
        pays_by=pays_by,
        period=allowance.period if allowance else None,
        fills_left=allowance.left if allowance else 0,
        fee=fee,
        tax=fee.share(area.tax_basis_points, 10_000),  # fuel prices contain theirs
        free_cap=facts.free_fill.cap if facts.free_fill and pays_by == FREE_FILL else None,
        late_fee=Money(facts.policies[LATE_FEE.name]),
        free_fill_used=facts.free_fill_used,
    )
    capacity = window.capacity if window else 0
    return Order(area, slot, capacity, car, place, facts.customer, allowance, estimate)


def _check_place(place: Place, area: BookableArea, *, is_staff: bool) -> None:
    if place.spot not in SPOTS:
        raise refusals.SpotRefused(NOT_INSIDE)
    if place.spot == STREET and not area.streets_allowed:
        raise refusals.SpotRefused(NOT_IN_STREETS)
    if place.is_approximate and not is_staff:
        raise refusals.NeedsPin


def _paying(car: Car, facts: Facts) -> tuple[str, Allowance | None]:
    """Return how a fill is paid for: free, of the plan, as a guest fill, else by a fee."""
    if facts.free_fill:
        return FREE_FILL, None
    if facts.allowance is None or facts.allowance.left <= 0:
        return FEE, None
    return (ALLOWANCE if car.id else GUEST_FILL), facts.allowance


BUCKETS = {ALLOWANCE: PLAN, GUEST_FILL: GUEST}  # of the ledger, by the way of paying


class FreeFillGone(Refusal):
    """The plate, phone or person has had a free fill by now."""


@dataclass(frozen=True, slots=True)
class NewBooking:
    """The one who books: a customer (`by` themselves or staff), or a guest with a contact."""

    key: str
    by: Actor | None = None
    person_id: str | None = None
    contact: dict[str, str] = field(default_factory=dict)
    payer_id: str | None = None  # of a guest
    hold_id: str = ""
    note: str = ""

    @property
    def guest_email(self) -> str:
        return self.contact.get("email", "")


def _row_of(new: NewBooking, order: Order, slot: SlotOffer) -> StoredBooking:
    """Return a booking as it is going to be stored."""
    estimate = order.estimate
    return StoredBooking(
        key=new.key,
        person_id=new.person_id,
        contact=new.contact,
        guest_email=new.guest_email,
        terms_version=TERMS_VERSION if new.contact else "",
        payer_id=new.payer_id,
        area_id=order.area.id,
        slot_id=slot.id,
        starts_at=slot.starts_at,
        ends_at=slot.ends_at,
        vehicle_id=order.car.id or None,
        vehicle=asdict(order.car),
        place=asdict(order.place),
        grade=estimate.grade,
        price_mills=estimate.mills,
        estimated_milligallons=estimate.milligallons,
        pays_by=estimate.pays_by,
        period=estimate.period,
        fee_cents=estimate.fee.cents,
        tax_cents=estimate.tax.cents,
        late_fee_agreed_cents=estimate.late_fee.cents,
        free_cap_cents=estimate.free_cap.cents if estimate.free_cap else None,
        free_fill_used=estimate.free_fill_used,
        card_due_at=last_try(slot.starts_at, clock.now()),
    )


async def estimate_fill(by: Actor, request: Request, *, customer_id: object = "") -> Estimate:
    """Return the price of a fill as it would be booked now.

    Args:
        customer_id: For whom staff book; customers book for themselves, whatever is sent.

    Raises:
        Refusal: If the vehicle or address is gone, the place is outside the area, unfit or
            without its pin, the grade has no price, the slot cannot be booked, or a debt is open.
    """
    person_id, is_staff = access.customer_of(by, customer_id)
    return await _estimate_request(BookingRequest(person_id, request, is_staff))


async def _estimate_request(asked: BookingRequest) -> Estimate:
    async with reading() as session:
        return _order(asked, await _look_up(session, asked, clock.now())).estimate


async def book(
    by: Actor,
    request: Request,
    *,
    key: str,
    seen: Estimate,
    hold_id: str = "",
    customer_id: object = "",
    reason: str = "",
) -> Booking:
    """Book a fill. The same key returns the same booking again.

    Args:
        key: A UUID that the server made for the tab.
        seen: The estimate on the screen; other terms by now are refused.
        hold_id: Of the tab; its held place is used.
        customer_id: For whom staff book, who give a reason.

    Raises:
        PriceChanged: With the new estimate; FreeFillUsed is one.
        Refusal: As `estimate_fill` says, and for what the customer lacks.
    """
    person_id, is_staff = access.customer_of(by, customer_id)
    if is_staff and not reason.strip():
        raise refusals.NeedsReason
    if not is_staff:
        await throttle().spend(OWN_BOOKINGS, person_id)
    new = NewBooking(key, by, person_id=person_id, hold_id=hold_id, note=reason.strip())
    return await _book(new, BookingRequest(person_id, request, is_staff, seen=seen))


async def estimate_guest_fill(request: Request) -> Estimate:
    """Return the price of a guest's fill; car and place are typed."""
    return await _estimate_request(BookingRequest("", request))


async def book_guest(
    contact: Contact,
    request: Request,
    *,
    key: str,
    seen: Estimate,
    hold_id: str,
    address: str,
    payer_key: str,
) -> Booking:
    """Book a guest's fill; its contact is stored on the booking, the terms' version, too.

    Args:
        address: The visitor's network address, for the rate limit.
        payer_key: Of the tab, with which its card was added.

    Raises:
        Refusal: As `book` says.
    """
    payer_id = await cards.guests_payer(payer_key)
    if not payer_id:
        raise refusals.NeedsCard
    await throttle().spend(GUEST_BOOKINGS, address)
    await count_mail(contact.email, address)
    given = {name: getattr(contact, name) for name in contact.names()}
    new = NewBooking(key, contact=given, payer_id=payer_id, hold_id=hold_id)
    return await _book(new, BookingRequest("", request, seen=seen))


async def _book(new: NewBooking, asked: BookingRequest) -> Booking:
    """Book once for a key. Who comes too late is refused by reads, before any lock."""
    async with reading() as session:
        if row := await queries.by_key(session, new.key):
            return _own_booking(new, row)
        facts = await _look_up(session, asked, clock.now())
        order = _order(asked, facts)
        slot = _check_seen(asked, order)
        taken = await queries.count_taken_seats(session, [slot.id], facts.now, new.hold_id)
        if taken.get(slot.id, 0) >= order.capacity:
            raise SlotFull
    try:
        row = await _store(new, asked, facts)
    except IntegrityError:  # another process has used the key a moment ago
        async with reading() as session:
            row = await queries.by_key(session, new.key)
        if row is None:
            raise
    except FreeFillGone:
        raise FreeFillUsed(await _estimate_request(replace(asked, may_be_free=False))) from None
    background.start(signals().publish(BOOKINGS))
    return _own_booking(new, row)


def _own_booking(new: NewBooking, row: StoredBooking) -> Booking:
    """Return the booking of a key, unless the key is another's."""
    if (row.person_id, row.guest_email) != (new.person_id, new.guest_email):
        raise refusals.BookingGone
    return queries.booking_of(row)


async def _store(new: NewBooking, asked: BookingRequest, facts: Facts) -> StoredBooking:
    """Store a booking with its seat, fill of the plan, events, jobs and messages: all or nothing.

    Lock order: area, customer, subscription, seat, ledger.

    Raises:
        FreeFillGone, NoFillsLeft
        Refusal: As `book` says.
    """
    async with transaction() as session:
        facts = await _lock(session, asked, facts)
        if row := await queries.by_key(session, new.key):
            return row  # a second press that has waited for the customer's lock
        order = _order(asked, facts)
        slot = _check_seen(asked, order)
        row = _row_of(new, order, slot)
        await queries.add(session, row)
        taker = Taker(new.hold_id, row.id)
        if not await queries.take_seat(session, slot.id, order.capacity, facts.now, taker):
            raise SlotFull
        if order.allowance:
            wanted = Reservation(order.allowance, row.id, row.revision, str(new.by))
            await ledger.reserve_fill(session, wanted)
        if row.pays_by == FREE_FILL and not await queries.add_free_fill(
            session, _use_of(row, order)
        ):
            raise FreeFillGone
        await queries.add_event(session, access.event_of(row, "book", new.by, note=new.note))
        await access.audit_step(session, new.by, row, "book", new.note)
        await jobs.enqueue_all(session, authorizations.authorization_jobs(row))
        await outbox.add_all(session, notifications.confirmation(row, order.estimate))
    return row


def _check_seen(asked: BookingRequest, order: Order) -> SlotOffer:
    """Return the slot of an order whose terms are those on the screen, and that may be booked.

    Raises:
        PriceChanged, SlotClosed, NeedsVerifiedEmail, NeedsCard
    """
    estimate, seen = order.estimate, asked.seen
    if seen is None or estimate.terms != seen.terms:
        had_free = seen and seen.pays_by == FREE_FILL != estimate.pays_by
        raise FreeFillUsed(estimate) if had_free else PriceChanged(estimate)
    if order.slot is None:
        raise SlotClosed
    if order.customer and not order.customer.email_verified:
        raise NeedsVerifiedEmail
    if order.customer and not order.customer.has_card:
        raise NeedsCard
    return order.slot


def _use_of(row: StoredBooking, order: Order) -> FreeFill:
    return FreeFill(
        person_id=row.person_id or "",
        license_plate=bare_plate(order.car.license_plate),
        phone=order.customer.phone if order.customer else "",
        booking_id=row.id,
    )


async def hold_slot(slot_id: object, hold_id: str, address: str, person_id: str = "") -> datetime:
    """Hold a place of a slot during payment. Return until when.

    A hold on another slot is given back first; one on this slot is renewed.

    Args:
        hold_id: A UUID that the server made for the tab.
        address: The network address, which has three at most.
        person_id: Of a customer, whose plan says how far ahead it may be.

    Raises:
        Refusal: If the slot cannot be booked, or the address has its three.
    """
    asked = parse_slot_id(slot_id)
    if asked is None:
        raise refusals.SlotClosed
    await throttle().spend(HOLDS, address)
    async with throttle().alone(HOLDS, address):  # parallel ones would not see each other
        address = household(address)[:64]
        try:
            return await _hold_slot(asked, hold_id, address, person_id)
        except IntegrityError:  # a second press at the same moment has the place
            return await _hold_slot(asked, hold_id, address, person_id)


async def _hold_slot(asked: SlotId, hold_id: str, address: str, person_id: str) -> datetime:
    async with transaction() as session:
        area = await hours.bookable_by_id(session, asked.area_id, lock=True)
        if area is None:
            raise refusals.SlotClosed
        now = clock.now()
        booker = await find_booker(session, person_id, is_staff=False)
        slot, window = find_slot(check_area(area, ""), str(asked), booker, now)
        if await queries.count_slot_holds(session, address, now, hold_id) >= HOLDS_MOST:
            raise refusals.TooManyHolds
        minutes = await policies.value(session, HOLD_MINUTES)
        until = now + timedelta(minutes=minutes)
        taker = Taker(hold_id, held_until=until, held_for=address)
        if not await queries.take_seat(session, slot.id, window.capacity, now, taker):
            raise refusals.SlotFull
        return until
