"""Booking a car when it is due: a seat is held near that day, and its customer confirms or skips.

A proposal is a slot hold under its own id, which is also the key of the booking that confirms it,
in one transaction. Whatever changes a proposal has locked its customer before, as booking does.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.bookings.rules.bookings import Location, Request, SlotFull, when
from fuel_app.bookings.rules.estimates import Estimate, PriceChanged
from fuel_app.bookings.rules.slots import SlotOffer
from fuel_app.bookings.service import access, bookings, slots, waiting
from fuel_app.bookings.service.bookings import Asked
from fuel_app.customers.rules.vehicles import VehicleGone
from fuel_app.customers.service import account, vehicles
from fuel_app.forecasts import queries
from fuel_app.forecasts.queries import DueCar
from fuel_app.forecasts.rules import due_bookings as rules
from fuel_app.forecasts.rules.due_bookings import (
    CONFIRMED,
    OPEN,
    RETURNED,
    SKIPPED,
    ConfirmedAlready,
    NeedsPlan,
    SeatGone,
    SeatOffer,
)
from fuel_app.forecasts.rules.forecasts import HISTORY, Forecast, History, forecast, short_day
from fuel_app.forecasts.tables import DueBooking, SeatProposal
from fuel_app.kit import clock, jobs, outbox, secrets
from fuel_app.kit.clock import NEW_YORK, day_of
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.jobs import NewJob
from fuel_app.kit.outbox import Message, Skip
from fuel_app.messages import service as messages
from fuel_app.messages.rules.delivery import OUTDATED
from fuel_app.messages.rules.kinds import PROPOSED, BadLink
from fuel_app.plans.service import subscriptions

PROPOSE = "forecasts.propose"
KIND, RETURNED_KIND = "due_seat", "due_seat_returned"
_NOTE = "Confirmed: proposed as the car was due"
_AT_ONCE = 500  # cars


async def switch_on(by: Actor, vehicle_id: object) -> None:
    """Have a seat held for an own car whenever it is due; a second time changes nothing.

    One that is due by now gets its seat at once, or by the job.

    Raises:
        NotAllowed: If the actor is no customer.
        VehicleGone: If they have no such vehicle, or the plan does not cover it.
        NeedsPlan
    """
    by.require(Role.CUSTOMER)
    async with transaction() as session:
        await account.facts(session, by.person_id, lock=True)
        car = await vehicles.find(session, by.person_id, vehicle_id)
        if car is None or not car.is_active:
            raise VehicleGone
        plan = await subscriptions.subscription_of(session, by.person_id)
        if plan is None or not plan.is_active:
            raise NeedsPlan
        if await queries.find_due(session, vehicle_id=car.id):
            return
        row = DueBooking(
            person_id=by.person_id,
            vehicle_id=car.id,
            wording=rules.WORDING,
            actor=str(by),
            started_at=clock.now(),
        )
        session.add(row)
        await session.flush()
        says = f"{car.title}: {row.wording}"
        await access.audit_note(session, by, by.person_id, "due_booking_started", says)
        await jobs.enqueue(session, PROPOSE, {"due": row.id})
    await propose(row.id)


async def switch_off(by: Actor, vehicle_id: object) -> None:
    """End that; a held seat goes back.

    Raises:
        NotAllowed: If the actor is no customer.
    """
    by.require(Role.CUSTOMER)
    async with transaction() as session:
        await account.facts(session, by.person_id, lock=True)
        found = await queries.find_due(session, vehicle_id=str(vehicle_id))
        if found and found.due.person_id == by.person_id:
            await _end(session, by, found, rules.BY_CUSTOMER)


async def queue_proposals(now: datetime) -> int:
    """Queue the proposals of the cars whose days are near, once a day. Return how many.

    It goes through the cars in hundreds, as the reminders do.
    """
    after, queued = "", 0
    while True:
        async with reading() as session:
            found = await queries.list_due(session, after, _AT_ONCE)
            people = {each.due.person_id for each in found}
            known = await queries.histories(session, people, now - HISTORY)
        if not found:
            return queued
        near = [each.due.id for each in found if _ready(each, known[each.due.vehicle_id], now)]
        async with transaction() as session:
            new = [
                NewJob(PROPOSE, {"due": each}, f"{PROPOSE}:{each}:{day_of(now)}") for each in near
            ]
            await jobs.enqueue_all(session, new)
        queued += len(near)
        after = found[-1].due.id


def _ready(found: DueCar, history: History, now: datetime) -> Forecast | None:
    """Return the forecast of a car for which a seat is to be held now."""
    if found.car is None or found.repeats or rules.why_ended(found.plan_state, has_car=True):
        return None
    when_due = forecast(
        history.refills, tank_gallons=found.car.tank_tenths / 10, plan_id=found.plan_id
    )
    if not isinstance(when_due, Forecast) or not rules.may_propose(when_due, history, now):
        return None
    return when_due


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is looked for: a seat for a car, where it stood last, on some day near another."""

    due: DueBooking
    car: str
    when: Forecast
    place: Location
    usual_hour: int

    def request(self, slot_id: str) -> Request:
        return Request(slot_id, (self.due.vehicle_id,), self.place)


async def propose(due_id: str) -> None:
    """Hold a seat for a car that is due, and ask its customer.

    1. Read the car, and where it was filled last.
    2. Find the free windows near its day, the cheapest first.
    3. Hold a seat and write the message, in one transaction; the next window where one is full.

    What refuses a booking refuses this, too: it is tried again tomorrow.
    """
    now = clock.now()
    async with reading() as session:
        wanted = await _find(session, due_id, now)
        if wanted is None or await directory.find_recipient(wanted.due.person_id) is None:
            return  # or deactivated
        booker = await slots.find_booker(session, wanted.due.person_id, is_staff=False)
        plan = await subscriptions.subscription_of(session, wanted.due.person_id)
    by = _customer(wanted.due.person_id)
    ends = plan.ends if plan else None
    try:
        days = await slots.offered(by, wanted.place.zip_code)
        free = rules.windows(days, wanted.when, now, booker, ends)
        estimates: dict[date, Estimate] = {}
        for slot in free:
            if slot.day not in estimates:
                asked = wanted.request(slot.id)
                estimates[slot.day] = await bookings.estimate_fill(by, asked)
        fees = {day: each.fills[0].fee.cents for day, each in estimates.items()}
        for slot in rules.best_first(free, fees, wanted.when, now, wanted.usual_hour):
            until = rules.answer_by(slot, booker)
            try:
                return await _hold(wanted, slot, estimates[slot.day], until)
            except SlotFull:
                continue
    except Refusal:
        return


async def _find(session: AsyncSession, due_id: str, now: datetime) -> _Wanted | None:
    found = await queries.find_due(session, due_id)
    if found is None:
        return None
    due = found.due
    known = await queries.histories(session, [due.person_id], now - HISTORY)
    when_due = _ready(found, known[due.vehicle_id], now)
    if when_due is None:
        return None
    place, at = await queries.last_visit(session, due.person_id, due.vehicle_id)
    return _Wanted(
        due=due,
        car=found.title,
        when=when_due,
        place=await bookings.saved_by_now(session, due.person_id, Location(**place)),
        usual_hour=at.astimezone(NEW_YORK).hour,
    )


async def _hold(wanted: _Wanted, slot: SlotOffer, seen: Estimate, until: datetime) -> None:
    due, proposal_id = wanted.due, new_id()
    asked = Asked(
        request=wanted.request(slot.id),
        person_id=due.person_id,
        seen=seen,
        hold_id=proposal_id,
    )
    async with transaction() as session:
        order = await bookings.hold_seat(session, asked, until)
        if await _find(session, due.id, clock.now()) is None:  # another run was faster
            raise SeatGone
        session.add(
            SeatProposal(
                id=proposal_id,
                due_booking_id=due.id,
                vehicle_id=due.vehicle_id,
                car=wanted.car,
                since=wanted.when.since,
                due_day=day_of(wanted.when.due),
                slot_id=slot.id,
                starts_at=slot.starts_at,
                ends_at=slot.ends_at,
                until=until,
                place=asdict(order.place),
            )
        )
        says = {
            "proposal": proposal_id,
            "vehicle": wanted.car,
            "due": short_day(wanted.when.due),
            "when": when(slot.starts_at, slot.ends_at),
            "place": order.place.line,
            "price": "\n".join(f"{line.label}: {line.amount}" for line in order.estimate.lines),
            "until": rules.until_text(until),
        }
        drafts = messages.drafts(
            KIND, due.person_id, says, key=f"{KIND}:{proposal_id}", good_until=until
        )
        await outbox.add_all(session, drafts)


async def settle_all(now: datetime) -> int:
    """Give back the seats that nobody has confirmed or that are not needed. Return how many.

    Also end what has ended with its plan or car.
    """
    after, settled = "", 0
    while True:
        async with reading() as session:
            found = await queries.list_due(session, after, _AT_ONCE)
            people = {each.due.person_id for each in found if each.proposal}
            known = await queries.histories(session, people, now - HISTORY)
        if not found:
            return settled
        for each in found:
            if _outcome(each, known[each.due.vehicle_id], now):
                settled += await _settle(each.due.id, each.due.person_id)
        after = found[-1].due.id


def _outcome(found: DueCar, history: History, now: datetime) -> str:
    """Return what a due booking or its proposal comes to; '' while both go on."""
    proposal = found.proposal
    if why := rules.why_ended(found.plan_state, has_car=found.car is not None):
        return why
    if proposal is None:
        return ""
    return rules.why_returned(
        history, proposal.since, repeats=found.repeats, is_late=now >= proposal.until
    )


async def _settle(due_id: str, person_id: str) -> bool:
    """Write what has become of a due booking or its proposal. Return whether there was any."""
    async with transaction() as session:
        await account.facts_of(session, [person_id], lock=True)
        found = await queries.find_due(session, due_id)
        if found is None:
            return False
        now = clock.now()
        known = await queries.histories(session, [person_id], now - HISTORY)
        outcome = _outcome(found, known[found.due.vehicle_id], now)
        if outcome in rules.ENDS:
            await _end(session, SYSTEM, found, outcome)
        elif outcome:
            await _close(session, found.proposal, person_id, outcome)
        return bool(outcome)


async def _end(session: AsyncSession, by: Actor, found: DueCar, why: str) -> None:
    """End a due booking with its proposal; the transaction has locked the customer."""
    found.due.ended = why
    reason = RETURNED.get(why, why)
    await access.audit_note(session, by, found.due.person_id, "due_booking_ended", reason)
    await _close(session, found.proposal, found.due.person_id, why)


async def _close(
    session: AsyncSession, proposal: SeatProposal | None, person_id: str, state: str
) -> None:
    """Close a proposal; the seat goes back, unless it is booked, and that is told."""
    if proposal is None:
        return
    proposal.state = state
    await waiting.free_hold(session, proposal.id, proposal.slot_id)
    if reason := RETURNED.get(state):
        says = {
            "vehicle": proposal.car,
            "when": when(proposal.starts_at, proposal.ends_at),
            "reason": reason,
        }
        key = f"{RETURNED_KIND}:{proposal.id}"
        drafts = messages.drafts(RETURNED_KIND, person_id, says, key=key)
        await outbox.add_all(session, drafts)


async def filled_elsewhere(session: AsyncSession, vehicle_id: str) -> None:
    """Give back the seat that is held for a car; the transaction has locked its customer."""
    if found := await queries.find_due(session, vehicle_id=vehicle_id):
        await _close(session, found.proposal, found.due.person_id, rules.FILLED)


async def list_offers(by: Actor) -> list[SeatOffer]:
    """Return the seats that are held for the actor's cars, with the prices of now.

    One that could not be booked just now has no price, and `terms` that fit none.
    """
    by.require(Role.CUSTOMER)
    async with reading() as session:
        rows = await queries.open_proposals(session, by.person_id, clock.now())
    return [await _offer(by, row) for row in rows]


async def _offer(by: Actor, row: SeatProposal) -> SeatOffer:
    price = terms = ""
    try:
        estimate = await bookings.estimate_fill(by, _request(row))
    except Refusal as refusal:
        price = str(refusal)
    else:
        price, terms = estimate.brief, _terms(estimate)
    return SeatOffer(
        id=row.id,
        car=row.car,
        when=when(row.starts_at, row.ends_at),
        place=Location(**row.place).line,
        until=rules.until_text(row.until),
        price=price,
        terms=terms,
    )


def _request(row: SeatProposal) -> Request:
    return Request(row.slot_id, (row.vehicle_id,), Location(**row.place))


def _terms(estimate: Estimate) -> str:
    return secrets.digest("due seat", repr(estimate.terms)).hex()


async def find_linked(token: object) -> SeatOffer:
    """Return the seat of a message's link, with its price of now. Raises BadLink, SeatGone."""
    by, row, booking_id = await _linked(token)
    _check_open(row, booking_id)
    return await _offer(by, row)


async def confirm(by: Actor, proposal_id: object, terms: object) -> str:
    """Book the seat that is held for the actor. Return the booking, which a second press finds.

    Args:
        terms: Of the offer that the actor has seen.

    Raises:
        NotAllowed: If the actor is no customer.
        SeatGone, ConfirmedAlready
        PriceChanged: If the terms are others by now.
        Refusal: As `bookings.book` says.
    """
    by.require(Role.CUSTOMER)
    async with reading() as session:
        row, booking_id = await _find_own(session, by, proposal_id)
    if booking_id:
        return booking_id
    _check_open(row)
    estimate = await bookings.estimate_fill(by, _request(row))
    if _terms(estimate) != terms:
        raise PriceChanged(estimate)
    asked = Asked(
        request=_request(row),
        person_id=by.person_id,
        key=row.id,
        seen=estimate,
        hold_id=row.id,
        only_held=True,
        by=by,
        note=_NOTE,
    )
    async with transaction() as session:
        booking = await bookings.book_within(session, asked)
        row, _ = await _find_own(session, by, proposal_id)
        await _close(session, row, by.person_id, CONFIRMED)
    return booking.id


async def confirm_linked(token: object, terms: object) -> SeatProposal:
    """Book the seat of a message's link. Raises BadLink, and as `confirm` says."""
    by, row, _ = await _linked(token)
    await confirm(by, row.id, terms)
    return row


async def skip(by: Actor, proposal_id: object) -> SeatProposal:
    """Give back the seat that is held for the actor; a second press changes nothing.

    Raises:
        NotAllowed: If the actor is no customer.
        SeatGone, ConfirmedAlready
    """
    by.require(Role.CUSTOMER)
    async with transaction() as session:
        await account.facts(session, by.person_id, lock=True)
        row, booking_id = await _find_own(session, by, proposal_id)
        if row.state == SKIPPED:
            return row
        _check_open(row, booking_id)
        await _close(session, row, by.person_id, SKIPPED)
        return row


async def skip_linked(token: object) -> SeatProposal:
    """Give back the seat of a message's link. Raises BadLink, and as `skip` says."""
    by, row, _ = await _linked(token)
    return await skip(by, row.id)


def _check_open(row: SeatProposal, booking_id: str | None = None) -> None:
    if booking_id:
        raise ConfirmedAlready
    if row.state != OPEN or row.until <= clock.now():
        reason = RETURNED.get(row.state, RETURNED[rules.LAPSED])
        raise SeatGone(f"{SeatGone.message[:-1]}: {reason}.")


async def _find_own(
    session: AsyncSession, by: Actor, proposal_id: object
) -> tuple[SeatProposal, str | None]:
    found = await queries.find_proposal(session, well_formed_id(proposal_id) or "")
    if found is None or found[1] != by.person_id:
        raise SeatGone
    return found[0], found[2]


async def _linked(token: object) -> tuple[Actor, SeatProposal, str | None]:
    async with reading() as session:
        found = await queries.find_proposal(session, secrets.row_of(PROPOSED, token) or "")
    if found is None or await directory.find_recipient(found[1]) is None:  # deactivated
        raise BadLink
    return _customer(found[1]), found[0], found[2]


def _customer(person_id: str) -> Actor:
    return Actor(frozenset({Role.CUSTOMER}), person_id)


@outbox.composer(KIND)
async def compose_proposal(session: AsyncSession, row: Message) -> Mapping[str, Any] | Skip:
    """Skip a proposal that was answered or has ended meanwhile."""
    if "proposal" not in row.payload:
        return {}
    found = await queries.find_proposal(session, row.payload["proposal"])
    return {} if found and found[0].state == OPEN else Skip(OUTDATED)


async def end_all(session: AsyncSession, person_id: str, by: Actor) -> None:
    """End the due bookings of an account that is closed; held seats go back."""
    await account.facts_of(session, [person_id], lock=True)
    for row in await queries.due_bookings_of(session, person_id):
        if found := await queries.find_due(session, row.id):
            await _end(session, by, found, rules.ACCOUNT)


async def export_person(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's due bookings and what was proposed, those that have ended, too."""
    on = await queries.due_bookings_of(session, person_id)
    proposed = await queries.proposals_of(session, person_id)
    ids = {"id", "person_id", "actor", "due_booking_id"}
    return {
        "booked_when_due": [each.model_dump(exclude=ids) for each in on],
        "proposed_seats": [each.model_dump(exclude=ids) for each in proposed],
    }
