"""Booking a fill: its estimate, the booking itself, and the slot hold during payment.

A request is checked twice: by reads without a lock, and once more under locks as it is stored.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service.directory import count_mail
from fuel_app.areas.rules.hours import BookableArea
from fuel_app.areas.service import hours, prices
from fuel_app.billing.service import cards
from fuel_app.bookings import queries
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.authorizations import last_try
from fuel_app.bookings.rules.bookings import (
    BookedFill,
    Booking,
    Car,
    FreeFillUse,
    Location,
    Request,
    car_of,
    location_of,
)
from fuel_app.bookings.rules.estimates import (
    Estimate,
    FillEstimate,
    FreeFillGone,
    FreeFillUsed,
    PriceChanged,
    SpentFills,
    expected_milligallons,
    fee_for,
)
from fuel_app.bookings.rules.guests import search_text
from fuel_app.bookings.rules.slots import HOLDS_MOST, SlotId, SlotOffer, parse_slot_id
from fuel_app.bookings.rules.states import ALLOWANCE, FEE, FREE_FILL, GUEST_FILL
from fuel_app.bookings.service import access, authorizations, notifications, waiting
from fuel_app.bookings.service.slots import (
    HOLD_MINUTES,
    LATE_FEE,
    booker_from,
    check_area,
    check_not_booked,
    check_paid,
    find_booker,
    find_slot,
)
from fuel_app.bookings.tables import StoredBooking, StoredFill
from fuel_app.customers.rules.customers import CustomerFacts, FreeFillOffer
from fuel_app.customers.rules.locations import NOT_IN_STREETS, NOT_INSIDE, SPOTS, STREET
from fuel_app.customers.rules.sign_up import Contact
from fuel_app.customers.rules.vehicles import bare_plate
from fuel_app.customers.service import account as customer_facts
from fuel_app.customers.service import locations as saved_locations
from fuel_app.customers.service import vehicles
from fuel_app.kit import clock, jobs, outbox, policies
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import publish, reading, transaction
from fuel_app.kit.legal import TERMS_VERSION
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS
from fuel_app.kit.throttle import GUEST_BOOKINGS, HOLDS, OWN_BOOKINGS, household, throttle
from fuel_app.plans.rules.ledger import GUEST, PLAN, Allowance, Reservation, grant_of
from fuel_app.plans.rules.plans import PLANS, SubscriptionInfo
from fuel_app.plans.service import ledger, subscriptions

BUCKETS = {ALLOWANCE: PLAN, GUEST_FILL: GUEST}  # of the ledger, by the way of paying


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A fill as a customer, staff for them, or a guest asks for it."""

    request: Request
    person_id: str = ""  # '' for a guest
    is_staff: bool = False
    # Beside its estimate, of what is booked:
    key: str = ""
    seen: Estimate | None = None  # on the screen as the button is pressed
    hold_id: str = ""
    only_held: bool = False  # by that hold, and by no other seat
    by: Actor | None = None  # None for a guest
    note: str = ""
    repeats: str = ""
    contact: dict[str, str] = field(default_factory=dict)  # of a guest
    payer_id: str | None = None  # of a guest
    visit_id: str = ""  # which the cars join: its seat is taken until its cut-off
    returned: tuple[BookedFill, ...] = ()  # of cars that leave the visit: what they took is free

    @property
    def guest_email(self) -> str:
        return self.contact.get("email", "")


@dataclass(frozen=True, slots=True)
class OrderedFill:
    """One car of an order, with its estimate."""

    car: Car
    allowance: Allowance | None  # from which a fill is taken; None if it is paid in another way
    estimate: FillEstimate


@dataclass(frozen=True, slots=True)
class Order:
    """A request that can be booked, with its estimate."""

    area: BookableArea
    slot: SlotOffer | None
    capacity: int  # of the slot
    place: Location
    customer: CustomerFacts | None  # None for a guest
    fills: tuple[OrderedFill, ...]
    estimate: Estimate


async def estimate_fill(
    by: Actor | None, request: Request, *, customer_id: object = ""
) -> Estimate:
    """Return the price of a fill as it would be booked now.

    Args:
        by: None for a guest, whose car and place are typed.
        customer_id: For whom staff book; customers book for themselves, whatever is sent.

    Raises:
        Refusal: If the vehicle or address is gone, the place is outside the area, unfit or
            without its pin, the grade has no price, the slot cannot be booked, or a debt is open.
    """
    person_id, is_staff = access.customer_of(by, customer_id)
    return await _estimate(Asked(request=request, person_id=person_id, is_staff=is_staff))


async def _estimate(asked: Asked) -> Estimate:
    async with reading() as session:
        return (await check_order(session, asked, clock.now())).estimate


async def book(
    by: Actor,
    request: Request,
    *,
    key: str,
    seen: Estimate | None,
    hold_id: str = "",
    customer_id: object = "",
    reason: str = "",
    repeats: str = "",
    only_held: bool = False,
) -> Booking:
    """Book a fill. The same key returns the same booking again.

    Args:
        key: A UUID that the server made for the tab.
        seen: The estimate on the screen; other terms by now are refused.
        hold_id: Of the tab; its held place is used.
        customer_id: For whom staff book, who give a reason.
        repeats: How often it is booked by itself: 'Every 2 weeks'; its mail has Skip and Pause.
        only_held: Whether the seat of the hold is meant, and no other one.

    Raises:
        PriceChanged: With the new estimate; FreeFillUsed is one.
        Refusal: As `estimate_fill` says, and for what the customer lacks.
    """
    person_id, is_staff = access.customer_of(by, customer_id)
    if is_staff and not reason.strip():
        raise refusals.NeedsReason
    if not is_staff:
        await throttle().spend(OWN_BOOKINGS, person_id)
    return await _book(
        Asked(
            request=request,
            person_id=person_id,
            is_staff=is_staff,
            key=key,
            seen=seen,
            hold_id=hold_id,
            by=by,
            note=reason.strip(),
            repeats=repeats,
            only_held=only_held,
        )
    )


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
    return await _book(
        Asked(
            request=request,
            key=key,
            seen=seen,
            hold_id=hold_id,
            contact={name: getattr(contact, name) for name in contact.names()},
            payer_id=payer_id,
        )
    )


async def book_for_caller(
    actor: Actor,
    contact: Contact,
    request: Request,
    *,
    key: str,
    seen: Estimate,
    hold_id: str,
    address: str,
    reason: str,
) -> Booking:
    """Book a fill for a caller without an account, as a guest's without a card.

    The guest is mailed the link, where they add a card and so accept the terms. Without one the
    last authorization fails, and the booking is cancelled free of charge.

    Args:
        address: The network address of the staff, for the limit of mails.

    Raises:
        NotAllowed
        NeedsReason
        Refusal: As `book` says.
    """
    actor.require(Role.DISPATCHER)
    if not reason.strip():
        raise refusals.NeedsReason
    await throttle().spend(GUEST_BOOKINGS, str(actor))
    await count_mail(contact.email, address)
    return await _book(
        Asked(
            request=request,
            is_staff=True,
            key=key,
            seen=seen,
            hold_id=hold_id,
            by=actor,
            note=reason.strip(),
            contact={name: getattr(contact, name) for name in contact.names()},
            payer_id=await cards.callers_payer(key),
        )
    )


async def _book(asked: Asked) -> Booking:
    """Book once for a key: a seat, a fill of the plan, events, jobs, messages: all or nothing.

    Whatever can be refused is refused by reads before any lock, and checked again under the locks
    of area, customer and subscription, in this order; seat and ledger follow.
    """
    if not asked.key:  # one for all tabs would be one booking, and one payer, for all
        raise ValueError("A booking needs the key of its tab")
    async with reading() as session:
        if row := await queries.by_key(session, asked.key):
            return _own_booking(asked, row)
        now = clock.now()
        order = await check_order(session, asked, now)
        slot = _check_seen(asked, order)
        await _check_cars(session, asked, order, slot)
        taken = await queries.count_taken_seats(session, [slot.id], now, asked.hold_id)
        if taken.get(slot.id, 0) >= order.capacity:
            if row := await queries.by_key(session, asked.key):
                return _own_booking(asked, row)  # a second press: the first one has the last place
            raise refusals.SlotFull
    try:
        async with transaction() as session:
            return await book_within(session, asked)
    except IntegrityError:  # another process has used the key a moment ago
        async with reading() as session:
            row = await queries.by_key(session, asked.key)
        if row is None:
            raise
        return _own_booking(asked, row)
    except FreeFillGone:
        raise FreeFillUsed(await _estimate(asked)) from None


async def book_within(session: AsyncSession, asked: Asked) -> Booking:
    """Book once for a key in the caller's transaction, at the terms that were seen.

    Area, customer and subscription stay locked, in this order, until the commit.

    Raises:
        FreeFillGone
        Refusal: As `book` says.
    """
    order = await check_order(session, asked, clock.now(), lock=True)
    if row := await queries.by_key(session, asked.key):
        return _own_booking(asked, row)  # a second press that has waited for the locks
    slot = _check_seen(asked, order)
    await _check_cars(session, asked, order, slot)
    row = _row_of(asked, order, slot)
    await _store(session, asked, order, row)
    publish(session, BOOKINGS)
    return _own_booking(asked, row)


async def _store(session: AsyncSession, asked: Asked, order: Order, row: StoredBooking) -> None:
    """Store a new booking with all that belongs to it.

    Raises:
        FreeFillGone, NoFillsLeft, SlotFull, SeatNotHeld
    """
    if asked.only_held and not await queries.is_held(session, asked.hold_id, clock.now()):
        raise refusals.SeatNotHeld
    await queries.add(session, row)
    wait_id = await queries.remove_wait(session, asked.person_id, row.slot_id)
    if not await queries.take_seat(
        session, row.slot_id, order.capacity, clock.now(), asked.hold_id, booking_id=row.id
    ):
        raise refusals.SlotFull
    if wait_id:
        await waiting.free_hold(session, wait_id, row.slot_id)
    await take_fills(session, order, row.fills, row.revision, asked)
    await queries.add_event(session, access.event_of(row, "book", asked.by, note=asked.note))
    await access.audit_step(session, asked.by, row, "book", asked.note)
    await jobs.enqueue_all(session, authorizations.authorization_jobs(row))
    await outbox.add_all(session, notifications.confirmation(row, order.estimate, asked.repeats))


async def take_fills(
    session: AsyncSession, order: Order, stored: Sequence[StoredFill], revision: int, asked: Asked
) -> None:
    """Take what the cars of an order are paid by: fills of the plan, a free first fill.

    Args:
        stored: The order's fills, in their order.

    Raises:
        FreeFillGone, NoFillsLeft
    """
    for fill, row in zip(order.fills, stored, strict=True):
        if fill.allowance:
            wanted = Reservation(fill.allowance, row.booking_id, row.id, revision, str(asked.by))
            await ledger.reserve_fill(session, wanted)
        if row.pays_by == FREE_FILL:
            phone = order.customer.phone if order.customer else ""
            use = FreeFillUse(asked.person_id, bare_plate(fill.car.license_plate), phone)
            if not await queries.add_free_fill(session, use, row.booking_id):
                raise FreeFillGone


def _own_booking(asked: Asked, row: StoredBooking) -> Booking:
    """Return the booking of a key, unless the key is another's."""
    if (row.person_id or "", row.guest_email) != (asked.person_id, asked.guest_email):
        raise refusals.BookingGone
    return queries.booking_of(row)


def _check_seen(asked: Asked, order: Order) -> SlotOffer:
    """Return the slot of an order whose terms are those on the screen, and that may be booked.

    Raises:
        PriceChanged, SlotClosed, NeedsVerifiedEmail, NeedsCard
    """
    estimate, seen = order.estimate, asked.seen
    if seen is None or estimate.terms != seen.terms:
        had_free = seen and seen.has_free_fill and not estimate.has_free_fill
        raise FreeFillUsed(estimate) if had_free else PriceChanged(estimate)
    if order.slot is None:
        raise refusals.SlotClosed
    if order.customer and not order.customer.email_verified:
        raise refusals.NeedsVerifiedEmail
    if order.customer and not order.customer.has_card:
        raise refusals.NeedsCard
    return order.slot


async def _check_cars(session: AsyncSession, asked: Asked, order: Order, slot: SlotOffer) -> None:
    """Refuse a car that is booked in this slot already; staff may know why. Raises CarBooked."""
    if asked.is_staff:
        return
    cars = [each.car for each in order.fills]
    whose = {"person_id": asked.person_id, "guest_email": asked.guest_email}
    await check_not_booked(session, cars, slot.id, key=asked.key, **whose)


def _row_of(asked: Asked, order: Order, slot: SlotOffer) -> StoredBooking:
    """Return a booking as it is going to be stored."""
    place, plates = asdict(order.place), [each.car.license_plate for each in order.fills]
    row = StoredBooking(
        key=asked.key,
        person_id=asked.person_id or None,
        contact=asked.contact,
        guest_email=asked.guest_email,
        guest_search=search_text(asked.contact, plates, place) if asked.contact else "",
        # Who is booked for by staff accepts them with the card.
        terms_version=TERMS_VERSION if asked.contact and not asked.is_staff else "",
        payer_id=asked.payer_id,
        area_id=order.area.id,
        slot_id=slot.id,
        starts_at=slot.starts_at,
        ends_at=slot.ends_at,
        place=place,
        late_fee_agreed_cents=order.estimate.late_fee.cents,
        card_due_at=last_try(slot.starts_at, clock.now()),
    )
    row.fills = [
        fill_row(row.id, position, each) for position, each in enumerate(order.fills, start=1)
    ]
    return row


def fill_row(booking_id: str, position: int, fill: OrderedFill) -> StoredFill:
    estimate = fill.estimate
    return StoredFill(
        booking_id=booking_id,
        position=position,
        vehicle_id=fill.car.id or None,
        vehicle=asdict(fill.car),
        grade=estimate.grade,
        price_mills=estimate.mills,
        estimated_milligallons=estimate.milligallons,
        pays_by=estimate.pays_by,
        period=estimate.period,
        fee_cents=estimate.fee.cents,
        tax_cents=estimate.tax.cents,
        free_cap_cents=estimate.free_cap.cents if estimate.free_cap else None,
        free_fill_used=estimate.free_fill_used,
    )


async def check_order(
    session: AsyncSession, asked: Asked, now: datetime, *, lock: bool = False
) -> Order:
    """Read what a request depends on, check it, and estimate its price.

    Each car takes a fill of the plan in the order of the request, as long as there are some.

    Args:
        lock: Keeps area, customer and subscription, in this order, until the commit.

    Raises:
        Refusal: As `estimate_fill` says.
    """
    person_id, request = asked.person_id, asked.request
    cars, place = await _resolve(session, person_id, request)
    areas = await hours.bookable_areas(session, [place.zip_code], lock=lock)
    area = check_area(areas.get(place.zip_code), place.zip_code)
    customer = subscription = None
    if person_id:
        customer = await customer_facts.facts(session, person_id, lock=lock)
        subscription = await subscriptions.subscription_of(session, person_id, lock=lock)
        await check_paid(session, person_id, subscription)
    check_location(place, area, is_staff=asked.is_staff)
    numbers = await policies.values(session)
    slot = window = None
    if request.slot_id:
        may_be_late = asked.is_staff or bool(asked.visit_id)
        booker = booker_from(numbers, subscription, is_staff=may_be_late)
        slot, window = find_slot(area, request.slot_id, booker, now)
    day = slot.day if slot else day_of(now)
    allowances = {}
    for bucket in dict.fromkeys(PLAN if car.id else GUEST for car in cars):
        grant = grant_of(subscription, bucket, day)
        known = await ledger.allowance_of(session, grant) if grant else None
        freed = [each for each in asked.returned if BUCKETS.get(each.pays_by) == bucket]
        if known:
            back = sum(each.period == known.period and not each.fee_asked_at for each in freed)
            known = replace(known, left=known.left + back)
        allowances[bucket] = known
    has_free = False  # one of them is free, no second one
    fills: list[OrderedFill] = []
    for number, car in enumerate(cars):
        if car.grade not in area.grades:
            raise refusals.GradeNotOffered
        price = await prices.price_at(session, area.id, car.grade, now, numbers=numbers)
        if price is None or price.is_stale:
            raise refusals.NoPrice
        # How it is paid for: free, of the plan, as a guest fill, else by a fee.
        offer = _free_fill_of(session, asked, area, car, None if has_free else customer)
        free_fill, used = await offer
        bucket = PLAN if car.id else GUEST
        allowance = None if free_fill else allowances[bucket]
        spent = None
        if subscription and allowance and allowance.left <= 0:
            spent = _spent_fills(subscription, allowance) if car.id else None
            allowance = None
        if free_fill:
            has_free, pays_by = True, FREE_FILL
        elif allowance:
            pays_by = ALLOWANCE if car.id else GUEST_FILL
            allowances[bucket] = replace(allowance, left=allowance.left - 1)
        else:
            pays_by = FEE
        fee = fee_for(pays_by)
        if asked.seen and number < len(asked.seen.fills):
            milligallons = asked.seen.fills[number].milligallons
        else:
            average = await queries.average_fill(session, person_id, car.id) if car.id else None
            milligallons = expected_milligallons(average, car.tank_tenths)
        estimate = FillEstimate(
            car=car.name,
            grade=car.grade,
            mills=price.mills,
            effective_at=price.effective_at,
            source=price.source,
            milligallons=milligallons,
            tank_tenths=car.tank_tenths,
            pays_by=pays_by,
            period=allowance.period if allowance else None,
            fills_left=allowance.left if allowance else 0,
            fee=fee,
            tax=fee.share(area.tax_basis_points, 10_000),  # fuel prices contain theirs
            free_cap=free_fill.cap if free_fill else None,
            free_fill_used=used,
            spent=spent,
        )
        fills.append(OrderedFill(car, allowance, estimate))
    estimate = Estimate(tuple(each.estimate for each in fills), Money(numbers[LATE_FEE.name]))
    capacity = window.capacity if window else 0
    return Order(area, slot, capacity, place, customer, tuple(fills), estimate)


def _spent_fills(subscription: SubscriptionInfo, allowance: Allowance) -> SpentFills:
    """Return which fills are used up, when others come, and which plan has more."""
    larger = next((each.name for each in PLANS if each.fills > subscription.plan.fills), "")
    return SpentFills(allowance.fills, allowance.ends if subscription.following else None, larger)


async def _resolve(
    session: AsyncSession, person_id: str, request: Request
) -> tuple[tuple[Car, ...], Location]:
    """Look up the customer's own cars and place; what is typed is as typed."""
    cars = []
    for car in request.cars:
        if not isinstance(car, Car):
            vehicle = await vehicles.find(session, person_id, car)
            if vehicle is None or not vehicle.is_active:
                raise refusals.CarGone
            car = car_of(vehicle)
        cars.append(car)
    refusals.check_cars(cars, is_guest=not person_id)
    place = request.place
    if not isinstance(place, Location):
        saved = await saved_locations.find_own(session, person_id, place)
        if saved is None:
            raise refusals.LocationGone
        place = location_of(saved, saved.located)
    if request.notes is not None:
        place = replace(place, notes=request.notes)
    return tuple(cars), place


def check_location(place: Location, area: BookableArea, *, is_staff: bool) -> None:
    if place.spot not in SPOTS:
        raise refusals.SpotRefused(NOT_INSIDE)
    if place.spot == STREET and not area.streets_allowed:
        raise refusals.SpotRefused(NOT_IN_STREETS)
    if place.is_approximate and not is_staff:
        raise refusals.NeedsPin


async def _free_fill_of(
    session: AsyncSession,
    asked: Asked,
    area: BookableArea,
    car: Car,
    customer: CustomerFacts | None,
) -> tuple[FreeFillOffer | None, str]:
    """Return the free first fill that is not used, and for what another was."""
    if customer is None or not customer.phone:
        return None, ""
    offer = await customer_facts.free_fill(session, customer.submission_id, area.opened_at)
    if offer is None:
        return None, ""
    is_returned = any(each.pays_by == FREE_FILL for each in asked.returned)
    use = FreeFillUse(asked.person_id, bare_plate(car.license_plate), customer.phone)
    but = asked.visit_id if is_returned else ""
    used = use.used_by(await queries.free_fills_used(session, [use], but=but))
    return (offer if used is None else None), used or ""


async def saved_by_now(session: AsyncSession, person_id: str, place: Location) -> Location:
    """Return a place as the customer has saved it by now: pin, gate code and notes may be others.

    One that is not saved (any more) stays as it is.
    """
    here = place.street, place.unit, place.zip_code
    saved = await saved_locations.of_person(session, person_id)
    same = (each for each in saved if (each.street, each.unit, each.zip_code) == here)
    return next((location_of(each, each.located) for each in same), place)


async def hold_seat(session: AsyncSession, asked: Asked, until: datetime) -> Order:
    """Hold the seat of a request that could be booked now, under its hold's id, until a time.

    Area, customer and subscription stay locked, in this order, until the commit.

    Raises:
        SlotFull, PriceChanged
        Refusal: As `book` says.
    """
    now = clock.now()
    order = await check_order(session, asked, now, lock=True)
    slot = _check_seen(asked, order)
    if not await queries.take_seat(
        session, slot.id, order.capacity, now, asked.hold_id, held_until=until
    ):
        raise refusals.SlotFull
    publish(session, BOOKINGS)
    return order


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
            raise refusals.TooManySlotHolds
        minutes = await policies.value(session, HOLD_MINUTES)
        until = now + timedelta(minutes=minutes)
        if not await queries.take_seat(
            session, slot.id, window.capacity, now, hold_id, held_until=until, held_for=address
        ):
            raise refusals.SlotFull
        return until
