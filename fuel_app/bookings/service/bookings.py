"""Booking a fill: its estimate, the booking itself, and the slot hold during payment.

What is known about customer, area and plan is looked up (`Facts`), becomes an `Order` with its
estimate, and is stored with seat, fill of the plan, events, jobs and messages in one transaction.
"""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta

import structlog
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError
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
from fuel_app.kit import background, clock, figures, jobs, outbox
from fuel_app.kit.audit import current_request
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


async def _resolve(session: AsyncSession, asked: Sequence[BookingRequest]) -> list[ResolvedRequest]:
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


async def _look_up(
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
    customers = await customer_facts.facts_of(session, people, lock=lock) if people else {}
    theirs = await subscriptions.subscriptions_of(session, people, lock=lock) if people else {}
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
        blocked=await fill_invoices.refusals_of(session, people) if people else {},
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


async def _look_up_order(session: AsyncSession, asked: BookingRequest, now: datetime) -> Order:
    """Look up a request and estimate its price.

    Raises:
        Refusal: As `booking.estimate` and `booking.book` say.
    """
    found = (await _look_up_orders(session, [asked], now, lock=False))[0]
    if isinstance(found, Refusal):
        raise found
    return found


async def _look_up_orders(
    session: AsyncSession, asked: Sequence[BookingRequest], now: datetime, *, lock: bool
) -> list[Order | Refusal]:
    """Look up requests, of each customer one. To book they take three queries more for each area.

    Args:
        lock: Keep areas, customers and subscriptions as they are until the commit.

    Returns:
        What can be booked, or why not, in the order of the requests.
    """
    found = await _resolve(session, asked)
    facts = await _look_up(session, found, now, lock=lock)
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
    area = check_area(facts.areas.get(place.zip_code), place.zip_code)
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
        booker = booker_from(facts.numbers, subscription, is_staff=asked.is_staff)
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
    request_id: str = field(default_factory=current_request)

    @property
    def guest_email(self) -> str:
        return self.contact.get("email", "")


@dataclass(frozen=True, slots=True)
class Ready:
    """A checked booking, which needs only a place."""

    new: NewBooking
    order: Order
    row: StoredBooking


async def _store_all(
    session: AsyncSession, ready: Sequence[Ready]
) -> list[StoredBooking | SlotFull | None]:
    """Store bookings with their places, fills of the allowance, events and messages.

    Args:
        session: Of the transaction in which the orders were looked up, each of another person.

    Returns:
        The bookings in their order; None where others may have locked the last free places for a
        moment: ask again in another transaction.

    Raises:
        FreeFillGone, NoFillsLeft: If it is so for one of them. None may be stored then.
    """
    free = await _lock_seats(session, ready)
    outcomes = list(zip(ready, free, strict=True))
    placed = [(each, place) for each, place in outcomes if isinstance(place, int)]
    if placed:
        await _store_seated(session, placed)
    return [each.row if isinstance(place, int) else place for each, place in outcomes]


async def _lock_seats(session: AsyncSession, ready: Sequence[Ready]) -> list[int | SlotFull | None]:
    by_slot: dict[str, list[int]] = {}
    for number, each in enumerate(ready):
        by_slot.setdefault(each.row.slot_id, []).append(number)
    found: dict[int, int | SlotFull | None] = {}
    for slot_id, numbers in sorted(by_slot.items()):  # in one order, against deadlocks
        capacity = ready[numbers[0]].order.capacity
        holds = [ready[number].new.hold_id for number in numbers]
        waits = not any(isinstance(place, int) for place in found.values())
        free = await queries.lock_free_seats(
            session, slot_id, capacity, clock.now(), holds, waits=waits
        )
        found |= zip(numbers, free or [SlotFull() for _ in numbers], strict=True)
    return [found[number] for number in range(len(ready))]


async def _store_seated(session: AsyncSession, placed: Sequence[tuple[Ready, int]]) -> None:
    """Store bookings in the places that are locked for them."""
    new = [each for each, _ in placed]
    reservations = [
        Reservation(each.order.allowance, each.row.id, each.row.revision, str(each.new.by))
        for each in new
        if each.order.allowance
    ]
    if reservations:
        for each in reservations:
            await ledger.reserve_fill(session, each)
    await queries.add(session, [each.row for each in new])
    free_fills = [_free_fill(each) for each in new if each.row.pays_by == FREE_FILL]
    free_fills.sort(key=lambda each: each.license_plate)  # in one order, against deadlocks
    if free_fills and not await queries.add_free_fills(session, free_fills):
        raise FreeFillGone
    taken = [
        (each.row.slot_id, place, Taker(each.new.hold_id, each.row.id)) for each, place in placed
    ]
    await queries.fill_seats(session, taken)
    holds = [each.new.hold_id for each in new if each.new.hold_id]
    if holds:
        await queries.release_slot_holds(session, *holds)
    events = [access.event_of(each.row, "book", each.new.by, note=each.new.note) for each in new]
    await queries.add_events(session, events)
    for each in new:
        with structlog.contextvars.bound_contextvars(request_id=each.new.request_id):
            await access.audit_step(session, each.new.by, each.row, "book", each.new.note)
    await jobs.enqueue_all(
        session, [job for each in new for job in authorizations.authorization_jobs(each.row)]
    )
    messages = (notifications.confirmation(each.row, each.order.estimate) for each in new)
    await outbox.add_all(session, [draft for drafts in messages for draft in drafts])


def _free_fill(each: Ready) -> FreeFill:
    customer = each.order.customer
    return FreeFill(
        person_id=each.row.person_id or "",
        license_plate=bare_plate(each.order.car.license_plate),
        phone=customer.phone if customer else "",
        booking_id=each.row.id,
    )


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


BATCH_MAX = 50
DEADLOCK = "40P01"  # PostgreSQL's code


@dataclass(eq=False, slots=True)
class _Waiting:
    """A booking that waits for its outcome."""

    new: NewBooking
    asked: BookingRequest
    outcome: asyncio.Future[StoredBooking]

    def settle(self, outcome: StoredBooking | Exception) -> None:
        if self.outcome.done():  # its tab has closed
            return
        if isinstance(outcome, Exception):
            self.outcome.set_exception(outcome)
        else:
            self.outcome.set_result(outcome)


@dataclass(slots=True)
class _Queue:
    """The bookings of this process that wait, and whether they are being worked on."""

    waiting: list[_Waiting] = field(default_factory=list)
    is_running: bool = False

    def next_batch(self) -> list[_Waiting]:
        """Take the next bookings, one of each customer; drop those whose tab has closed."""
        there = [each for each in self.waiting if not each.outcome.done()]
        firsts: dict[str, _Waiting] = {}
        for each in there:
            firsts.setdefault(each.new.person_id or each.new.key, each)
        batch = list(firsts.values())[:BATCH_MAX]
        self.waiting = [each for each in there if each not in batch]
        return batch

    async def run(self) -> None:
        """Book what waits, batch by batch, until nothing does."""
        try:
            while batch := self.next_batch():
                await _book_batch(batch)
                background.start(signals().publish(BOOKINGS))
        finally:
            self.is_running = False


_QUEUE = _Queue()


async def _book_soon(new: NewBooking, asked: BookingRequest) -> StoredBooking:
    """Store a booking together with those that wait beside it. A known key returns its booking.

    Raises:
        PriceChanged
        Refusal: Nothing is stored.
    """
    outcome = asyncio.get_running_loop().create_future()
    _QUEUE.waiting.append(_Waiting(new, asked, outcome))
    if not _QUEUE.is_running:
        _QUEUE.is_running = True
        background.start(_QUEUE.run())
    return await outcome


async def _book_batch(batch: Sequence[_Waiting]) -> None:
    """Bring each booking its outcome. An outage is one for all; any other error is one's own."""
    while left := [each for each in batch if not each.outcome.done()]:
        try:
            await _book_batch_once(left)
        except Exception as raised:
            error = raised
        else:
            continue
        if len(left) == 1 or _is_outage(error):
            for each in left:
                each.settle(error)
        else:
            for each in left:
                await _book_batch([each])


def _is_outage(error: Exception) -> bool:
    """Return whether an error is none that a single booking may have caused."""
    if isinstance(error, DBAPIError):
        is_deadlock = getattr(error.orig, "sqlstate", "") == DEADLOCK
        return not is_deadlock and not isinstance(error, (IntegrityError, DataError))
    return isinstance(error, OSError)  # a timeout is one, too


async def _book_batch_once(batch: Sequence[_Waiting]) -> None:
    """Try to store bookings in one transaction; those that need another one have no outcome yet."""
    async with transaction() as session:
        asked = [each.asked for each in batch]
        orders = await _look_up_orders(session, asked, clock.now(), lock=True)
        known = await queries.by_keys(session, [each.new.key for each in batch])
        outcomes: list[StoredBooking | Refusal | Ready | None] = [
            known.get(each.new.key) or _check_order(each, order)
            for each, order in zip(batch, orders, strict=True)
        ]
        ready = [each for each in outcomes if isinstance(each, Ready)]
        stored = iter(await _store_all(session, ready))
        outcomes = [next(stored) if isinstance(each, Ready) else each for each in outcomes]
    for each, outcome in zip(batch, outcomes, strict=True):
        if isinstance(outcome, (StoredBooking, Refusal)):
            each.settle(outcome)


def _check_order(each: _Waiting, order: Order | Refusal) -> Ready | Refusal:
    """Return what is ready to be stored, or why it is not."""
    if isinstance(order, Refusal):
        return order
    estimate, seen = order.estimate, each.asked.seen
    if seen is None or estimate.terms != seen.terms:
        had_free = seen and seen.pays_by == FREE_FILL != estimate.pays_by
        return FreeFillUsed(estimate) if had_free else PriceChanged(estimate)
    if order.slot is None:
        return SlotClosed()
    if order.customer and not order.customer.email_verified:
        return NeedsVerifiedEmail()
    if order.customer and not order.customer.has_card:
        return NeedsCard()
    return Ready(each.new, order, _row_of(each.new, order, order.slot))


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
        return (await _look_up_order(session, asked, clock.now())).estimate


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
        Refusal: As `estimate` says, and for what the customer lacks.
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
    try:
        row = await _book_soon(new, asked)
    except IntegrityError:  # another process has used the key a moment ago
        async with reading() as session:
            known = await queries.by_keys(session, [new.key])
        if not known:
            raise
        row = known[new.key]
    except FreeFillGone:
        raise FreeFillUsed(await _estimate_request(replace(asked, may_be_free=False))) from None
    if (row.person_id, row.guest_email) != (new.person_id, new.guest_email):
        raise refusals.BookingGone  # the key is another's
    return queries.booking_of(row)


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
        minutes = await figures.value(session, HOLD_MINUTES)
        until = now + timedelta(minutes=minutes)
        taker = Taker(hold_id, held_until=until, held_for=address)
        if not await queries.take_seat(session, slot.id, window.capacity, now, taker):
            raise refusals.SlotFull
        return until
