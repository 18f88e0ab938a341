"""Waiting for a full window: a seat that becomes free is offered first come, first served.

An offer is a slot hold under the wait's own id. Whoever has it books by it; once it has lapsed, the
seat is anybody's, and is offered to the next.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.areas.service import hours
from fuel_app.bookings import queries
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.slots import SlotId, parse_slot_id
from fuel_app.bookings.rules.waiting import (
    OFFER_LASTS,
    WAITS_MOST,
    BookedAlready,
    HasRoom,
    NotWaiting,
    OwnWaits,
    SeatOffer,
    TooManyWaits,
)
from fuel_app.bookings.service.slots import check_area, check_paid, find_booker, find_slot
from fuel_app.bookings.tables import SlotWait
from fuel_app.customers.service import account as customer_facts
from fuel_app.kit import clock, jobs, outbox
from fuel_app.kit.db.session import publish, reading, transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.outbox import Message, Skip
from fuel_app.kit.signals import BOOKINGS
from fuel_app.messages import service as messages
from fuel_app.messages.rules.delivery import OUTDATED
from fuel_app.messages.rules.kinds import is_quiet
from fuel_app.plans.service import subscriptions

OFFER = "bookings.offer"  # the job that offers the free seats of a slot
KIND = "place_open"  # of the message


async def read_own(by: Actor) -> OwnWaits:
    """Return for which windows the actor waits, and what is held for them."""
    now = clock.now()
    async with reading() as session:
        known = (await customer_facts.facts_of(session, [by.person_id])).get(by.person_id)
        waits = await queries.waits_of(session, by.person_id)
    offers = [
        SeatOffer(each.slot_id, each.id, each.offered_until)
        for each in sorted(waits, key=lambda each: each.offered_until or now, reverse=True)
        if each.offered_until and each.offered_until > now
    ]
    return OwnWaits(
        may_wait=known is not None and known.has_card and known.email_verified,
        slot_ids=tuple(each.slot_id for each in waits if not each.is_over(now)),
        offers=tuple(offers),
    )


async def wait_for(by: Actor, slot_id: object) -> None:
    """Have the actor wait for a full window; a second time changes nothing.

    Raises:
        NotAllowed: If the actor is no customer.
        NeedsVerifiedEmail, NeedsCard, HasRoom, BookedAlready, TooManyWaits
        Refusal: If the slot cannot be booked.
    """
    by.require(Role.CUSTOMER)
    asked = _parse(slot_id)
    async with transaction() as session:
        area = check_area(await hours.bookable_by_id(session, asked.area_id, lock=True), "")
        customer = await customer_facts.facts(session, by.person_id, lock=True)
        if not customer.email_verified:
            raise refusals.NeedsVerifiedEmail
        if not customer.has_card:
            raise refusals.NeedsCard
        now = clock.now()
        booker = await find_booker(session, by.person_id, is_staff=False)
        slot, window = find_slot(area, str(asked), booker, now)
        if await queries.in_slot(session, slot.id, by.person_id, ""):
            raise BookedAlready
        taken = await queries.count_taken_seats(session, [slot.id], now)
        if taken.get(slot.id, 0) < window.capacity:
            raise HasRoom
        await queries.remove_waits_over(session, now, by.person_id)
        others = [
            each
            for each in await queries.waits_of(session, by.person_id)
            if each.slot_id != slot.id
        ]
        if len(others) >= WAITS_MOST:
            raise TooManyWaits
        wait = SlotWait(person_id=by.person_id, slot_id=slot.id, starts_at=slot.starts_at)
        await queries.add_wait(session, wait)


async def leave(by: Actor, slot_id: object) -> None:
    """Have the actor wait no more; what is held for them is offered to the next.

    Raises:
        NotAllowed: If the actor is no customer.
    """
    by.require(Role.CUSTOMER)
    async with transaction() as session:
        # Lock order: customer, wait, seat.
        await customer_facts.facts(session, by.person_id, lock=True)
        await _remove(session, by.person_id, str(_parse(slot_id)))


async def leave_all(session: AsyncSession, person_id: str) -> None:
    """Remove all waits of a person, whose account is closed."""
    for wait in await queries.waits_of(session, person_id):
        await _remove(session, person_id, wait.slot_id)


async def _remove(session: AsyncSession, person_id: str, slot_id: str) -> None:
    wait_id = await queries.remove_wait(session, person_id, slot_id)
    if wait_id:
        await free_hold(session, wait_id, slot_id)


async def free_hold(session: AsyncSession, hold_id: str, slot_id: str) -> None:
    """Give a held seat back; it is offered to whoever waits for it."""
    if await queries.free_hold(session, hold_id):
        await _seat_is_free(session, slot_id)
        publish(session, BOOKINGS)


async def leave_seat(session: AsyncSession, booking_id: str) -> None:
    """Free the seat of a booking; it is offered to whoever waits for it."""
    slot_id = await queries.leave_seat(session, booking_id)
    if slot_id:
        await _seat_is_free(session, slot_id)


async def _seat_is_free(session: AsyncSession, slot_id: str) -> None:
    if await queries.open_waits(session, slot_id):
        await jobs.enqueue(session, OFFER, {"slot": slot_id})


async def offer_all(now: datetime) -> int:
    """Offer the free seats of every window for which somebody waits. Return how many.

    It finds what no job tells of: holds that have lapsed, more capacity, the morning.
    """
    async with transaction() as session:
        await queries.remove_waits_over(session, now)
        slot_ids = await queries.slots_waited_for(session)
    return sum([await offer(each) for each in slot_ids])


async def offer(slot_id: str) -> int:
    """Offer the free seats of a window in the order of the waits. Return how many.

    1. Count its free seats; read who waits for it.
    2. Offer them one by one, each in a transaction of its own, which a second run cannot repeat.
       Who cannot book the window now is passed over.
    """
    asked, now = _parse(slot_id), clock.now()
    if is_quiet(now):
        return 0
    async with reading() as session:
        area = await hours.bookable_by_id(session, asked.area_id)
        capacity = area.hours.capacity(asked.day, asked.opens) if area else 0
        taken = await queries.count_taken_seats(session, [slot_id], now)
        free = capacity - taken.get(slot_id, 0)
        waits = await queries.open_waits(session, slot_id) if free > 0 else []
    offered = 0
    for wait in waits:
        if offered < free:
            offered += await _offer(asked, wait)
    return offered


async def _offer(asked: SlotId, wait: SlotWait) -> bool:
    """Hold a seat for a customer and tell them. Return False if it is not for them now."""
    if await directory.find_recipient(wait.person_id) is None:  # deactivated
        return False
    try:
        async with transaction() as session:
            area = check_area(await hours.bookable_by_id(session, asked.area_id, lock=True), "")
            await customer_facts.facts(session, wait.person_id, lock=True)
            plan = await subscriptions.subscription_of(session, wait.person_id)
            await check_paid(session, wait.person_id, plan)
            now = clock.now()
            until = now + OFFER_LASTS
            booker = await find_booker(session, wait.person_id, is_staff=False)
            slot, window = find_slot(area, wait.slot_id, booker, until)  # there is time to book it
            if await queries.in_slot(session, slot.id, wait.person_id, ""):
                raise BookedAlready
            if not await queries.set_offered(session, wait.id, until):
                raise NotWaiting
            if not await queries.take_seat(
                session, slot.id, window.capacity, now, wait.id, held_until=until
            ):
                raise refusals.SlotFull
            says = {"wait": wait.id, "slot": slot.id, "when": slot.when}
            says |= {"until": clock.time_of_day(until)}
            drafts = messages.drafts(
                KIND, wait.person_id, says, key=f"{KIND}:{wait.id}", good_until=until
            )
            await outbox.add_all(session, drafts)
            publish(session, BOOKINGS)
    except Refusal:
        return False
    return True


@outbox.composer(KIND)
async def compose_offer(session: AsyncSession, row: Message) -> Mapping[str, Any] | Skip:
    """Skip an offer whose customer has booked or left meanwhile."""
    waits = await queries.waits_of(session, row.person_id or "")
    wait_id = row.payload.get("wait")
    return {} if wait_id in (None, *(each.id for each in waits)) else Skip(OUTDATED)


async def export_person(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return the windows for which a person waits."""
    rows = await queries.waits_of(session, person_id)
    shown = {"slot_id", "starts_at", "created_at", "offered_until"}
    return {"waiting_for_windows": [each.model_dump(include=shown) for each in rows]}


def _parse(slot_id: object) -> SlotId:
    asked = parse_slot_id(slot_id)
    if asked is None:
        raise refusals.SlotClosed
    return asked
