"""Booking a fill: the estimate, the booking itself, and places held on the payment page."""

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.service.mail_limits import count_mail
from fuel_app.areas.service import hours
from fuel_app.billing.service import cards
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.queries import places
from fuel_app.bookings.queries.places import Taker
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.bookings import Booking, Request
from fuel_app.bookings.rules.estimates import Estimate, FreeFillUsed
from fuel_app.bookings.rules.slots import HOLDS_MOST, SlotId, parse_slot_id
from fuel_app.bookings.service import access, batching, estimating
from fuel_app.bookings.service.figures import HOLD_MINUTES
from fuel_app.bookings.service.lookups import BookingRequest
from fuel_app.bookings.service.slots import booker_of, find_slot, takes_bookings
from fuel_app.bookings.service.storing import FreeFillGone, NewBooking
from fuel_app.customers.rules.forms import Contact
from fuel_app.kit import clock, figures
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.throttle import GUEST_BOOKINGS, HOLDS, OWN_BOOKINGS, household, throttle


async def estimate(by: Actor, request: Request, *, customer_id: object = "") -> Estimate:
    """Return the price of a fill as it would be booked now.

    Args:
        customer_id: For whom staff book; customers book for themselves, whatever is sent.

    Raises:
        Refusal: If the vehicle or address is gone, the place is outside the area, unfit or
            without its pin, the grade has no price, the slot cannot be booked, or a debt is open.
    """
    person_id, is_staff = access.customer_of(by, customer_id)
    return await _estimate(BookingRequest(person_id, request, is_staff))


async def _estimate(asked: BookingRequest) -> Estimate:
    async with reading() as session:
        return (await estimating.order(session, asked, clock.now())).estimate


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


async def estimate_guest(request: Request) -> Estimate:
    """Return the price of a guest's fill; car and place are typed."""
    return await _estimate(BookingRequest("", request))


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
        row = await batching.book(new, asked)
    except IntegrityError:  # another process has used the key a moment ago
        async with reading() as session:
            known = await queries.by_keys(session, [new.key])
        if not known:
            raise
        row = known[new.key]
    except FreeFillGone:
        raise FreeFillUsed(await _estimate(replace(asked, may_be_free=False))) from None
    if (row.person_id, row.guest_email) != (new.person_id, new.guest_email):
        raise refusals.BookingGone  # the key is another's
    return queries.booking_of(row)


async def hold(slot_id: object, hold_id: str, address: str, person_id: str = "") -> datetime:
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
            return await _hold(asked, hold_id, address, person_id)
        except IntegrityError:  # a second press at the same moment has the place
            return await _hold(asked, hold_id, address, person_id)


async def _hold(asked: SlotId, hold_id: str, address: str, person_id: str) -> datetime:
    async with transaction() as session:
        area = await hours.bookable_by_id(session, asked.area_id, lock=True)
        if area is None:
            raise refusals.SlotClosed
        now = clock.now()
        booker = await booker_of(session, person_id, is_staff=False)
        slot, window = find_slot(takes_bookings(area, ""), str(asked), booker, now)
        if await places.held_for(session, address, now, hold_id) >= HOLDS_MOST:
            raise refusals.TooManyHolds
        minutes = await figures.value(session, HOLD_MINUTES)
        until = now + timedelta(minutes=minutes)
        taker = Taker(hold_id, held_until=until, held_for=address)
        if not await places.take(session, slot.id, window.capacity, now, taker):
            raise refusals.SlotFull
        return until
