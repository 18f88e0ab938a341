"""Changes of bookings: each step, moving and cancelling, and what follows from other changes.

A plan that changes covers other bookings; a closed account and an area's hours or ZIP codes cancel
them; a verified e-mail attaches a guest's. Locks are taken in this order: area, customer,
subscription, booking, seat, ledger.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, AccountGone, Actor, Role
from fuel_app.accounts.service import account
from fuel_app.areas.service import hours
from fuel_app.billing.service import corrections, fill_invoices
from fuel_app.billing.service import reports as billing
from fuel_app.bookings import queries
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules import states
from fuel_app.bookings.rules.authorizations import last_try
from fuel_app.bookings.rules.bookings import (
    Booking,
    BookingChanged,
    FillIsChecked,
    FillIsOpen,
    Guest,
    VisitNote,
    location_of,
)
from fuel_app.bookings.rules.estimates import estimate_of
from fuel_app.bookings.rules.slots import CUTOFF_TEXT
from fuel_app.bookings.rules.states import CUSTOMER, FEE, Changes, step_allowed
from fuel_app.bookings.service import access, authorizations, notifications, waiting
from fuel_app.bookings.service.bookings import BUCKETS, check_location
from fuel_app.bookings.service.slots import booker_from, check_area, check_not_booked, find_slot
from fuel_app.bookings.tables import StoredBooking, StoredFill
from fuel_app.customers.service import account as customer_facts
from fuel_app.customers.service import locations as saved_locations
from fuel_app.customers.service import vehicles
from fuel_app.kit import clock, jobs, outbox, policies
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import publish, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, one, signals
from fuel_app.kit.throttle import MOVES, throttle
from fuel_app.plans.rules.ledger import Claim, Reservation, grant_of
from fuel_app.plans.rules.plans import ONE_TIME_FEE, SubscriptionInfo
from fuel_app.plans.service import ledger, subscriptions

REASON_MAX = 200
COVERED = {"fee_asked_at": None, "fee_cents": 0, "tax_cents": 0}  # by the plan


def allowed_changes(by: Actor | Guest, booking: Booking) -> Changes:
    """Return what may be done with a booking now, and the late fee of cancelling it."""
    return states.changes(
        booking.state,
        booking.starts_at,
        booking.ends_at,
        clock.now(),
        late_fee=Money(0) if booking.fee_asked_at else booking.late_fee_agreed,
        is_staff=access.role_in(by, booking.person_id) != CUSTOMER,
    )


async def take_step(
    session: AsyncSession,
    row: StoredBooking,
    kind: str,
    by: Actor | Guest,
    role: str,
    *,
    before: dict[str, Any] | None = None,
    note: str = "",
    internal: str = "",
    at: datetime | None = None,
    fill: StoredFill | None = None,
    **changed: Any,
) -> None:
    """Take a step of the table in the caller's transaction, and note it.

    Args:
        row: The booking as it was read; it gets the new values.
        fill: The one that was recorded, with its new values.
        before: What the step replaces; `changed` are columns with their new values.
        note: For the customer, too; `internal` is for the audit log alone.

    Raises:
        BookingChanged: If the state allows no such step, or the revision is another by now.
    """
    allowed = step_allowed(row.state, kind, role)
    if allowed is None:
        raise BookingChanged
    changed["state"] = allowed.after
    if not await queries.change(session, row.id, row.revision, changed):
        raise BookingChanged
    session.expunge(row)
    for name, value in (changed | {"revision": row.revision + 1}).items():
        setattr(row, name, value)
    await queries.add_event(session, access.event_of(row, kind, by, before, note, at))
    await access.audit_step(session, by, row, kind, internal or note, before, role, fill)


async def move(
    by: Actor | Guest, booking_id: object, revision: object, slot_id: object, *, reason: str = ""
) -> Booking:
    """Move a booking into another slot of its area. Its price stays.

    Args:
        revision: The one on the screen.
        reason: The staff's; it stands in the message.

    Raises:
        TooManyRequests: After 20 in an hour by one customer or guest.
        LimitReached: If staff may not waive the late fee that a late move spares the customer.
        Refusal: If the booking is not theirs, has changed, or it is too late; if the slot cannot
            be booked, or lies in a period without fills left; if staff give no reason.
    """
    if isinstance(by, Guest):  # each move sends a message
        await throttle().spend(MOVES, by.booking_id)
    elif not by.may(Role.DISPATCHER):
        await throttle().spend(MOVES, by.person_id)
    async with transaction() as session:
        found = access.check(by, await queries.find(session, well_formed_id(booking_id) or ""))
        role = access.role_in(by, found.person_id)
        is_staff = role != CUSTOMER
        note = _reason(reason, role)
        # Lock order: area, customer, subscription, booking.
        area = await hours.bookable_by_id(session, found.area_id, lock=True)
        if found.person_id and not is_staff:  # so that no car is moved twice into one window
            await customer_facts.facts(session, found.person_id, lock=True)
        plan = await subscriptions.subscription_of(session, found.person_id or "", lock=True)
        row = await queries.locked(session, found.id)
        if slot_id == row.slot_id and row.state == states.BOOKED:
            return queries.booking_of(row)  # the second press of the button
        if revision != row.revision:
            raise BookingChanged
        allowed = allowed_changes(by, queries.booking_of(row))
        if not allowed.may_move:
            raise BookingChanged if row.state in states.ENDED else refusals.PleaseCall
        if is_staff:  # a cancellation is free once the booking lies ahead again
            await _waive(session, by, row, allowed.late_fee)
        area = check_area(area, row.place["zip_code"], is_staff=is_staff)
        booker = booker_from(await policies.values(session), plan, is_staff=is_staff)
        now = clock.now()
        slot, window = find_slot(area, slot_id, booker, now)
        booking = queries.booking_of(row)
        if not is_staff:
            cars = [each.car for each in booking.fills]
            whose = {"person_id": booking.person_id, "guest_email": row.guest_email}
            await check_not_booked(session, cars, slot.id, but=row.id, **whose)
        former = booking.when
        await waiting.leave_seat(session, row.id)
        if not await queries.take_seat(session, slot.id, window.capacity, now, booking_id=row.id):
            raise refusals.SlotFull
        await take_step(
            session,
            row,
            "move",
            by,
            role,
            before={"slot_id": row.slot_id, "starts_at": row.starts_at.isoformat()},
            note=note,
            slot_id=slot.id,
            starts_at=slot.starts_at,
            ends_at=slot.ends_at,
            reason="",
            card_due_at=last_try(slot.starts_at, now),
        )
        await _move_reservations(session, row, by, plan)
        await fill_invoices.release_authorizations(session, row.id)
        await jobs.enqueue_all(session, authorizations.authorization_jobs(row))
        await notifications.booking_moved(session, row, former, note)
    await signals().publish(BOOKINGS)
    return queries.booking_of(row)


async def _move_reservations(
    session: AsyncSession, row: StoredBooking, by: Actor | Guest, plan: SubscriptionInfo | None
) -> None:
    """Take the fills of the period of the window into which a booking has moved."""
    actor = by if isinstance(by, Actor) else Actor()
    for fill in row.fills:
        bucket = BUCKETS.get(fill.pays_by)
        if bucket is None or row.person_id is None or fill.outcome:
            continue
        grant = grant_of(plan, bucket, day_of(row.starts_at))
        if grant and grant.period == fill.period and fill.fee_asked_at is None:
            continue
        await ledger.release_fill(session, fill.id, row.revision - 1, actor)
        wanted = Reservation(grant, row.id, fill.id, row.revision, str(actor))
        await ledger.reserve_fill(session, wanted)
        await queries.change_fill(session, fill, COVERED | {"period": grant and grant.period})


async def cancel(
    by: Actor | Guest,
    booking_id: object,
    revision: object,
    *,
    seen_fee: Money,
    reason: str = "",
    waive: bool = False,
) -> Booking:
    """Cancel a booking: its place and its fill of the allowance are free again.

    Args:
        revision: The one on the screen, as is the late fee, `seen_fee`.
        reason: Staff have to give one, and may `waive` the fee.

    Raises:
        FeeChanged: With the late fee as it is now.
        LimitReached: If staff may not waive as much.
        Refusal: If it is not theirs, has changed, or it is too late.
    """
    async with transaction() as session:
        row = await access.locked(session, by, booking_id)
        role = access.role_in(by, row.person_id)
        note = _reason(reason, role)
        if row.revision != revision:
            raise BookingChanged
        allowed = allowed_changes(by, queries.booking_of(row))
        if not allowed.may_cancel:
            raise BookingChanged if row.state in states.ENDED else refusals.PleaseCall
        is_waived = waive is True and role != CUSTOMER
        fee = Money(0) if is_waived else allowed.late_fee
        if not is_waived and fee != seen_fee:
            raise refusals.FeeChanged(fee)
        if is_waived:
            await _waive(session, by, row, allowed.late_fee)
        await _cancel(session, row, by, note, fee)
    await signals().publish(BOOKINGS)
    return queries.booking_of(row)


async def change_notes(by: Actor | Guest, booking_id: object, form: object) -> Booking:
    """Change what the technician has to know on this visit, until they set out.

    Its revision stays: nothing of what was agreed changes, and reminders go as planned.

    Raises:
        InvalidForm
        Refusal: If it is not theirs, or too late.
    """
    given = VisitNote.parse(form)
    async with transaction() as session:
        row = await access.locked(session, by, booking_id)
        if row.state not in states.WAITING:
            raise BookingChanged if row.state in states.ENDED else refusals.PleaseCall
        if row.place["notes"] != given.notes:
            row.place = row.place | {"notes": given.notes}
            await queries.add_event(session, access.event_of(row, "note", by))
            publish(session, one(BOOKINGS, row.id))
    return queries.booking_of(row)


async def change_place(
    by: Actor, booking_id: object, revision: object, place_id: object
) -> Booking:
    """Have the cars filled at another saved address of the area. The price stays.

    Raises:
        BookingChanged: If it has changed.
        PleaseCall: If it is too late, or its route is published.
        Refusal: If it is not theirs, the address is gone or unfit, or lies in another area.
    """
    await throttle().spend(MOVES, by.person_id)
    async with transaction() as session:
        found = access.check(by, await queries.find(session, well_formed_id(booking_id) or ""))
        saved = await saved_locations.find_own(session, found.person_id or "", place_id)
        if saved is None:
            raise refusals.LocationGone
        place, role = location_of(saved, saved.located), access.role_in(by, found.person_id)
        # Lock order: area, booking.
        areas = await hours.bookable_areas(session, [place.zip_code], lock=True)
        area = check_area(areas.get(place.zip_code), place.zip_code)
        if area.id != found.area_id:
            raise refusals.PlaceInOtherArea
        check_location(place, area, is_staff=role != CUSTOMER)
        row = await queries.locked(session, found.id)
        if row.place == asdict(place):
            return queries.booking_of(row)  # the second press of the button
        if row.revision != revision:
            raise BookingChanged
        is_open = allowed_changes(by, queries.booking_of(row)).may_move
        if not is_open or step_allowed(row.state, "place", role) is None:
            raise BookingChanged if row.state in states.ENDED else refusals.PleaseCall
        before = {"place": queries.booking_of(row).place.line}
        await take_step(session, row, "place", by, role, before=before, place=asdict(place))
        await notifications.withdraw_reminders(session, row)
        booking = queries.booking_of(row)
        await outbox.add_all(session, notifications.confirmation(row, estimate_of(booking)))
    await signals().publish(BOOKINGS)
    return queries.booking_of(row)


async def _waive(session: AsyncSession, by: Actor | Guest, row: StoredBooking, fee: Money) -> None:
    """Count a late fee that staff spare the customer, if one is due."""
    if isinstance(by, Actor) and fee.cents:
        await corrections.waive_late_fee(session, by, authorizations.bill_to(row), fee)


async def cancel_free(
    session: AsyncSession, booking_id: str, *, actor: Actor, reason: str
) -> Booking:
    """Cancel a booking in the caller's transaction, free of charge, as staff or system."""
    row = await access.locked(session, actor, booking_id)
    await _cancel(session, row, actor, reason.strip()[:REASON_MAX], Money(0))
    return queries.booking_of(row)


async def _cancel(
    session: AsyncSession, row: StoredBooking, by: Actor | Guest, note: str, fee: Money
) -> None:
    role, revision = access.role_in(by, row.person_id), row.revision
    await take_step(
        session,
        row,
        "cancel",
        by,
        role,
        note=note,
        ended_by=role,
        reason=note,
        late_fee_cents=fee.cents,
    )
    await waiting.leave_seat(session, row.id)
    await return_fills(session, row, revision, by)
    late = f"cancelled within {CUTOFF_TEXT} of the window"
    await authorizations.bill_without_fill(session, row, late)
    await notifications.booking_cancelled(session, row)


async def return_fills(
    session: AsyncSession, row: StoredBooking, revision: int, by: Actor | Guest
) -> None:
    """Return what the cars of a booking without a fill have taken."""
    for fill in row.fills:
        if fill.outcome != states.FILLED:
            await return_fill(session, fill, revision, by)


async def return_fill(
    session: AsyncSession, fill: StoredFill, revision: int, by: Actor | Guest
) -> None:
    """Return what a car that was not filled has taken: a fill of the plan, a free first fill."""
    if fill.pays_by in BUCKETS:
        actor = by if isinstance(by, Actor) else Actor()
        await ledger.release_fill(session, fill.id, revision, actor)
    if fill.pays_by == states.FREE_FILL:
        await queries.remove_free_fill(session, booking_id=fill.booking_id)


async def cover_again(
    session: AsyncSession, row: StoredBooking, fill: StoredFill, way: str, period: date, by: Actor
) -> None:
    """Cover a car that had a fee by a fill of the plan that this transaction has returned."""
    wanted = Reservation(None, row.id, fill.id, row.revision, str(by))
    await ledger.reserve_returned(session, (row.person_id or "", period, BUCKETS[way]), wanted)
    covered = COVERED | {"pays_by": way, "period": period}
    await _note_coverage(session, row, fill, "cover", covered)


def _reason(reason: str, role: str) -> str:
    """Return the reason; staff have to give one."""
    note = reason.strip()[:REASON_MAX] if isinstance(reason, str) else ""
    if role != CUSTOMER and not note:
        raise refusals.NeedsReason
    return note


async def choose_fee(
    by: Actor | Guest, booking_id: object, revision: object, seen_fee: Money
) -> Booking:
    """Pay the convenience fees for what of a booking the plan does not cover any more.

    Args:
        revision: The one on the screen, as are the fees with their tax, `seen_fee`.

    Raises:
        BookingGone: If it is not theirs.
        BookingChanged: If it is covered again, or has changed in another way.
    """
    async with transaction() as session:
        row = await access.locked(session, by, booking_id)
        booking = queries.booking_of(row)
        is_asked, is_paid = booking.fee_asked_at, any(each.pays_by == FEE for each in row.fills)
        if is_paid and not is_asked and row.revision - 1 == revision:
            return booking  # the second press of the button
        if not is_asked or row.revision != revision or booking.asked_fee != seen_fee:
            raise BookingChanged
        await take_step(
            session,
            row,
            "pay_fee",
            by,
            access.role_in(by, row.person_id),
            note=f"{booking.asked_fee}",
            card_due_at=authorizations.card_due_at(row, clock.now()),
        )
        paid = {"pays_by": FEE, "period": None, "fee_asked_at": None}
        for fill in [each for each in row.fills if each.fee_asked_at]:
            await queries.change_fill(session, fill, paid)
        await fill_invoices.release_authorizations(session, row.id)
        await jobs.enqueue_all(session, authorizations.authorization_jobs(row))
    await signals().publish(BOOKINGS)
    return queries.booking_of(row)


async def lock_ahead(session: AsyncSession, area_id: str) -> list[Booking]:
    """Lock what is booked in an area from now on, and return it."""
    return [
        queries.booking_of(row) for row in await queries.lock_ahead(session, area_id, clock.now())
    ]


async def claims_on_plans(
    session: AsyncSession, people: Collection[str], gaining: Collection[str] = ()
) -> list[Claim]:
    """Lock people's bookings that their plans may cover, and return their fills as claims.

    Args:
        gaining: Those whose plan gives more fills by now: it may cover what has a fee, too, after
            all that takes a fill of it already.
    """
    rows = await queries.lock_coverable(session, people, clock.now())
    claiming = [
        (row, fill)
        for row in rows
        for fill in row.fills
        if not fill.outcome
        and (fill.pays_by in BUCKETS or (fill.pays_by == FEE and row.person_id in gaining))
    ]
    claiming.sort(key=lambda each: each[1].pays_by == FEE)
    return [
        Claim(
            row.person_id or "", row.id, fill.id, BUCKETS[_way_covered(fill)], day_of(row.starts_at)
        )
        for row, fill in claiming
    ]


def _way_covered(fill: StoredFill) -> str:
    """Return how a plan pays for a fill: a car that is not registered takes a guest fill."""
    if fill.pays_by in BUCKETS:
        return fill.pays_by
    return states.ALLOWANCE if fill.vehicle_id else states.GUEST_FILL


async def follow_plans(
    session: AsyncSession, covered: Mapping[str, date | None], switched: Collection[str]
) -> list[Booking]:
    """Cover fills by plans that have changed, or ask for their fees.

    A hold that is made stays as it is: less is captured of it.

    Args:
        covered: By fill, the period that covers it; None where none does.
        switched: People whose plan has changed: their vehicles are fitted to it.

    Returns:
        The bookings whose fee is not due any more.
    """
    spared = []
    for row in await queries.of_fills(session, covered):
        uncovered, is_spared = [], False
        for fill in [each for each in row.fills if each.id in covered]:
            period = covered[fill.id]
            has_fee = fill.pays_by == FEE or fill.fee_asked_at is not None
            if period is None and not has_fee:
                uncovered.append(fill)
            elif period and has_fee:
                values = {"pays_by": _way_covered(fill), "period": period}
                await _note_coverage(session, row, fill, "cover", COVERED | values)
                is_spared = True
            elif period and fill.period != period:
                await _note_coverage(session, row, fill, "", {"period": period})
        if uncovered:
            await _ask_fees(session, row, uncovered)
        if is_spared:
            spared.append(queries.booking_of(row))
    for person_id in switched:
        rows = await queries.upcoming(session, person_id)
        booked = [fill.vehicle_id for row in rows for fill in row.fills]
        await vehicles.fit_plan(session, person_id, booked)
    return spared


async def covered_since(person_id: str, since: datetime) -> list[Booking]:
    """Return a customer's bookings that their plan has covered since a moment."""
    async with reading() as session:
        rows = await queries.covered_since(session, person_id, since)
    return [queries.booking_of(row) for row in rows]


async def _ask_fees(session: AsyncSession, row: StoredBooking, fills: list[StoredFill]) -> None:
    """Let the customer choose between the convenience fees and a free cancellation."""
    area, at = await hours.bookable_by_id(session, row.area_id), clock.now()
    tax = ONE_TIME_FEE.share(area.tax_basis_points if area else 0, 10_000).cents
    asked = {"fee_asked_at": at, "fee_cents": ONE_TIME_FEE.cents, "tax_cents": tax}
    for fill in fills:
        await _note_coverage(session, row, fill, "ask_fee", asked)
    await notifications.fee_asked(session, row)
    last = last_try(row.starts_at, clock.now())  # it may be past the usual one
    unanswered = authorizations.authorization_job(row, f"asked:{at}", last, last)
    await jobs.enqueue_all(session, [unanswered])


async def _note_coverage(
    session: AsyncSession, row: StoredBooking, fill: StoredFill, kind: str, values: dict[str, Any]
) -> None:
    """Set how a fill is paid, and note why; the revision stays: no screen is out of date."""
    await queries.change_fill(session, fill, values)
    if kind:
        await queries.add_event(session, access.event_of(row, kind, SYSTEM))


_CLOSED = "The account was closed."
_OF_QUESTION = {"kind", "milligallons", "ticket", "at", "answer", "answered_at", "reason"}
_OF_STEP = {"kind", "state", "at", "before", "note"}
_BLANK_CAR = {"license_plate": "", "color": "", "id": ""}
_BLANK_PLACE = {"street": "", "unit": "", "gate_code": "", "notes": "", "lat": 0, "lng": 0}


async def attach_guest_bookings(session: AsyncSession, person_id: str, email: str) -> None:
    """Give a person the bookings that were made as a guest with an e-mail they have verified."""
    if ids := await queries.lock_of_guest(session, email):
        await queries.set_values(session, ids, {"person_id": person_id, "guest_search": ""})
        await billing.attach_guest_payers(session, person_id, ids)


async def cancel_all_open(session: AsyncSession, person_id: str) -> None:
    """Cancel what is booked as a person closes the account.

    Raises:
        FillIsOpen: If a technician is on the way or filling.
        FillIsChecked: If staff are asked about the gallons of a fill, or of one beside a booking.
    """
    try:
        await customer_facts.facts(session, person_id, lock=True)  # nothing is booked from here on
        # Lock order: subscription before bookings.
        await subscriptions.subscriptions_of(session, [person_id], lock=True)
    except AccountGone:  # a member of the staff
        return
    rows = await queries.upcoming(session, person_id)
    if await queries.under_check(session, person_id):
        raise FillIsChecked
    if any(step_allowed(row.state, "cancel", CUSTOMER) is None for row in rows):
        raise FillIsOpen
    for row in rows:
        await cancel_free(session, row.id, actor=SYSTEM, reason=_CLOSED)


async def ids_of(session: AsyncSession, person_id: str) -> list[str]:
    """Return the ids of a person's bookings."""
    return [row.id for row in await queries.of_person(session, person_id)]


async def owners(session: AsyncSession, ids: Collection[str]) -> dict[str, str | None]:
    """Return whose bookings these ids are, by booking; None for those of no account."""
    return await queries.owners(session, ids)


async def of_erased_accounts(session: AsyncSession, ids: Collection[str]) -> set[str]:
    """Return those of these ids that are bookings of accounts that are emptied."""
    people = await queries.owners(session, ids)
    emptied = await account.erased_among(session, {*filter(None, people.values())})
    return {booking_id for booking_id, person_id in people.items() if person_id in emptied}


async def export_person(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's bookings with their steps, and what was pumped beside them."""
    rows = await queries.of_person(session, person_id)
    asked: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in await queries.questions_of(session, [row.id for row in rows]):
        asked[question.booking_id].append(question.model_dump(include=_OF_QUESTION))
    return {
        "bookings": [
            row.model_dump(exclude={"person_id", "key"})
            | {
                "fills": [each.model_dump(exclude={"booking_id"}) for each in row.fills],
                "steps": [
                    each.model_dump(include=_OF_STEP)
                    for each in await queries.events(session, row.id)
                ],
                "questions": asked[row.id],
            }
            for row in rows
        ]
    }


async def erase_person(session: AsyncSession, person_id: str) -> None:
    """Empty the personal data in a person's bookings; what was filled when and where stays."""
    rows = await queries.of_person(session, person_id)
    for row in rows:
        row.place = row.place | _BLANK_PLACE
        row.contact, row.guest_email, row.guest_search, row.reason = {}, "", "", ""
        for fill in row.fills:
            fill.vehicle, fill.vehicle_id, fill.reason = fill.vehicle | _BLANK_CAR, None, ""
    await session.flush()
    await queries.erase_notes(session, [row.id for row in rows])
    await queries.erase_answer_reasons(session, [row.id for row in rows])
    await queries.remove_free_fill(session, person_id=person_id)
