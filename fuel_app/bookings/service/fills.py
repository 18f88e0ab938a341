"""Fills: recording and correcting what was pumped, why nothing could be, and the office's answers.

What needs a decision raises a question to the office, in the transaction of what raises it; each is
answered once.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.areas.service import prices
from fuel_app.billing.rules.invoices import InvoiceIsOpen, Line, sum_of
from fuel_app.billing.rules.receipts import FillDetails
from fuel_app.billing.service import corrections, fill_invoices
from fuel_app.bookings import queries
from fuel_app.bookings.queries import booking_of, fill_of
from fuel_app.bookings.rules.bookings import BookedFill, Booking, BookingChanged
from fuel_app.bookings.rules.fills import (
    CHARGED,
    CHECKING,
    CONFIRMED,
    CORRECTED,
    ENDED_WITH_OTHER,
    FILLED_AFTER_END,
    GALLONS,
    KEPT,
    KEPT_MOST,
    KEPT_MOST_IN_ALL,
    SEEN,
    TICKET,
    WAIVED,
    AnswerForm,
    FilledAlready,
    FillRecord,
    Question,
    QuestionAnswered,
    ReceiptSent,
    Recording,
    as_charged,
    check_start,
    check_two_tanks,
    fill_text,
    lines_of,
    parse_fill,
    recording_of,
    stored_fill,
    ticket_key,
)
from fuel_app.bookings.rules.states import (
    ARRIVED,
    CAR_CHARGED,
    CAR_FILLED,
    CHARGE,
    COMPLETED,
    CONFIRM,
    EN_ROUTE,
    FEE,
    FILLED,
    FREE_FILL,
    FUELING,
    NOT_FILLED,
    STAFF,
    TECHNICIAN,
    WAITING,
)
from fuel_app.bookings.service import access, authorizations, changes, notifications, waiting
from fuel_app.bookings.tables import FillQuestion, StoredBooking, StoredFill
from fuel_app.kit import clock
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.money import total as sum_money
from fuel_app.plans.service import ledger


async def complete(
    session: AsyncSession,
    by: Actor,
    booking_id: object,
    revision: object,
    form: object,
    *,
    fill_id: str = "",
    confirmed: bool,
    meter: str,
) -> Booking:
    """Record what was pumped, or correct it as long as the invoice is a draft: for 15 minutes.

    What was pumped after the booking had ended is kept and charges nothing by itself. More than
    two tanks charge nothing until an admin confirms them, unless an admin records them.

    Args:
        revision: The one on the screen.
        form: Gallons or both readings of the meter, the ticket's number, the start of fueling.
        fill_id: The car that was filled; '' where the visit has one.
        confirmed: More than the tank holds was pumped.
        meter: Number of the meter of the booking's truck; '' if it is on no route.

    Raises:
        MoreThanTank: Unless it is confirmed.
        MoreThanTwoTanks: If it corrects what has a bill, and no admin does it.
        InvoiceIsOpen: If it is too late to correct it.
        InvalidForm, BookingChanged, BookingGone
    """
    fill = parse_fill(form, clock.now())
    by.require(Role.DISPATCHER)
    row = await access.locked(session, by, booking_id)
    if row.revision != revision:
        raise BookingChanged
    check_start(booking_of(row), fill)
    role, at = access.role_in(by, row.person_id), clock.now()
    await record_fill(
        session, by, row.id, role, fill, fill_id=fill_id, confirmed=confirmed, at=at, meter=meter
    )
    return booking_of(await queries.locked(session, row.id))


async def record_fill(
    session: AsyncSession,
    by: Actor,
    booking_id: str,
    role: str,
    fill: FillRecord,
    *,
    fill_id: str = "",
    decided: str = "",
    confirmed: bool = False,
    at: datetime,
    meter: str = "",
    internal: str = "",
) -> tuple[str, ...]:
    """Record or correct what a locked booking's fill was, and draft its bill, in this transaction.

    Args:
        role: In which the actor does it; a technician's correction may go beyond the draft.
        fill_id: The car that was filled; '' where the visit has one.
        decided: CHARGE or CONFIRM, where staff have decided; else the rule says.
        confirmed: More than the tank holds was pumped.
        at: When it was recorded.
        meter: Number of the meter of the truck; '' if it is not known, or as it was.
        internal: A reason for the audit log.

    Returns:
        The kinds of the questions that it leaves to the office.

    Raises:
        MoreThanTank, MoreThanTwoTanks: As `recording_of` does.
        InvoiceIsOpen: If it is too late to correct it.
        ReceiptSent: The same for a technician, if it takes more than giving a little back.
        FillGone
    """
    row = await queries.locked(session, booking_id)
    booking, is_technician = booking_of(row), role == TECHNICIAN
    booked = booking.fill(fill_id)
    stored = next(each for each in row.fills if each.id == booked.id)
    former_key = stored.ticket_key
    fill, meter = fill.correcting(booked.ticket), meter or booked.ticket.get("meter", "")
    if decided:
        recording = Recording(_step_decided(booking, booked, decided))
    else:
        recording = recording_of(
            booking,
            booked,
            fill.milligallons,
            by_technician=is_technician,
            is_admin=not is_technician and by.may(Role.ADMIN),
            is_confirmed=confirmed,
        )
    values: dict[str, Any] = {
        "outcome": FILLED,
        "reason": "",
        "filled_milligallons": fill.milligallons,
        "ticket": fill.stored | ({"meter": meter} if meter else {}),
        "ticket_key": ticket_key(meter, fill.ticket),
        "total_cents": None,
        "gallons_asked_at": (booked.gallons_asked_at or clock.now())
        if recording.why_checked
        else None,
    }
    own_bills = await _billed_alone(session, row)
    if recording.kind == CAR_FILLED and booked.id in own_bills:
        recording = replace(recording, kind=CAR_CHARGED)
    goes_on = recording.kind in (CAR_FILLED, CAR_CHARGED)
    before: dict[str, Any] = {}
    changed: dict[str, Any] = {}
    if row.state == COMPLETED:
        before = {"milligallons": booked.filled_milligallons} | booked.ticket
    elif not goes_on:
        changed["completed_at"] = at
    if len(row.fills) > 1:
        before["fill"] = booked.id  # whose record it is: `road.last_recorded_by`
    if decided == CHARGE:
        values["pays_by"] = as_charged(booking, booked).pays_by
    if recording.kind == CHARGE:  # what ended it stays in its own event
        changed |= {"ended_by": "", "reason": ""}
    await queries.change_fill(session, stored, values)
    if not goes_on:
        await _give_up_others(session, row)
    note = "" if recording.is_owed else FILLED_AFTER_END
    if goes_on:
        note = booked.car.name
    await changes.take_step(
        session,
        row,
        recording.kind,
        by,
        role,
        before=before,
        note=f"{CHECKING}." if recording.why_checked else note,
        internal=f"{recording.why_checked} {internal}".strip(),
        at=at,
        fill=stored,
        **changed,
    )
    if recording.kind != CAR_CHARGED:
        await notifications.withdraw_reminders(session, row)
    asked = await _update_questions(session, by, stored, former_key=former_key, at=at)
    if recording.is_billed and recording.kind != CAR_FILLED:
        alone = booked.id if recording.kind == CAR_CHARGED or booked.id in own_bills else ""
        try:
            await bill_visit(session, row, only=alone, at=at)
        except InvoiceIsOpen:
            if booked.total is None and len(row.fills) > 1:
                await bill_visit(session, row, only=booked.id)
            elif not is_technician:
                raise
            else:
                billed = {alone} if alone else {each.id for each in row.fills} - own_bills
                former = _sum_billed(booking, billed)
                total = _sum_billed(booking_of(row), billed)
                await _correct_sent(session, by, row, former, total, only=alone)
    return asked


def _step_decided(booking: Booking, booked: BookedFill, decided: str) -> str:
    """Return the step by which staff have decided about a car: others may be to come, or done."""
    if booking.state == COMPLETED and decided == CHARGE:
        return "correct"
    others = any(each.id != booked.id for each in booking.still_to_fill)
    if others and decided == CHARGE and booking.state in WAITING:
        return CAR_CHARGED
    return CAR_FILLED if others and booking.state in (EN_ROUTE, ARRIVED, FUELING) else decided


async def _give_up_others(session: AsyncSession, row: StoredBooking) -> None:
    """Note that the other cars of a visit that had ended before were not filled."""
    for fill in row.fills:
        if not fill.outcome:
            values = {"outcome": NOT_FILLED, "reason": row.reason or ENDED_WITH_OTHER}
            await queries.change_fill(session, fill, values)


async def _billed_alone(session: AsyncSession, row: StoredBooking) -> set[str]:
    """Return the cars of a visit that have bills of their own."""
    return await fill_invoices.billed_alone(session, row.id) if len(row.fills) > 1 else set()


def _sum_billed(booking: Booking, fill_ids: Collection[str]) -> Money:
    return sum_money(each.total or Money(0) for each in booking.fills if each.id in fill_ids)


async def bill_visit(
    session: AsyncSession, row: StoredBooking, *, only: str = "", at: datetime | None = None
) -> None:
    """Draft the one bill of a visit that is done, or rewrite the draft: the lines of each car.

    Nothing is drafted while the office is asked about the gallons of one of them.

    Args:
        only: A car whose fuel is decided about when the bill of the others is open, or before they
            are filled: it has its own.
        at: When it was pumped, where neither the fill nor the visit says so.

    Raises:
        InvoiceIsOpen: If it is too late to rewrite it; the totals of its fills are the new ones.
    """
    alone = await _billed_alone(session, row)
    billed = {only} if only else {each.id for each in row.fills} - alone
    filled = [each for each in row.fills if each.outcome == FILLED and each.id in billed]
    if any(each.gallons_asked_at for each in filled):
        return
    lines: list[Line] = []
    for each in filled:
        if each.pays_by == FREE_FILL and not await queries.has_free_fill(session, row.id):
            await queries.change_fill(session, each, {"pays_by": FEE})  # it has come back
        fill, booked = stored_fill(each.filled_milligallons, each.ticket), fill_of(each)
        pumped_at = fill.started or row.completed_at or at or clock.now()
        now = await prices.price_at(session, row.area_id, booked.grade, pumped_at)
        mills = min(booked.price.mills, now.mills) if now else booked.price.mills
        its = lines_of(booked, fill.milligallons, mills)
        await queries.change_fill(session, each, {"total_cents": sum_of(its).cents})
        lines.extend(its)
    fueled = [each for each in filled if each.filled_milligallons]  # the others have no lines
    details = _receipt_details(row, fueled or filled[:1] or row.fills[:1])
    whose = authorizations.bill_to(row)
    await fill_invoices.bill_fill(session, whose, tuple(lines), details, only=only)


async def _correct_sent(
    session: AsyncSession,
    by: Actor,
    row: StoredBooking,
    former: Money,
    total: Money,
    *,
    only: str,
) -> None:
    """Give back what a receipt that was sent says too much.

    Raises:
        ReceiptSent: If more is due, nothing is, or an admin has to decide.
    """
    if total == former:
        return
    for_office = ReceiptSent(f"{total} instead of {former}.")
    if total > former or not total.cents:
        raise for_office
    key = f"corrected:{row.id}:{row.revision}"
    try:
        await corrections.lower_fill(session, by, row.id, former - total, key, only=only)
    except Refusal as refusal:
        raise for_office from refusal


async def use_plan_fills(session: AsyncSession, booking_id: str) -> None:
    """Use the plan's fills of a booking, or return those of cars that ended with nothing."""
    row = await session.get_one(StoredBooking, booking_id)
    for fill in row.fills:
        if fill.filled_milligallons:
            await ledger.use_fill(session, fill.id, SYSTEM)
        elif fill.outcome:
            await changes.return_fill(session, fill, row.revision, SYSTEM)


def _receipt_details(row: StoredBooking, filled: Sequence[StoredFill]) -> dict[str, Any]:
    first, *others = map(_ticket_details, filled)
    details = FillDetails(
        filled_at=(row.completed_at or clock.now()).isoformat(),
        place=booking_of(row).place.line,
        **first,
        sold_to=authorizations.bill_to(row).name,
        others=others,
    )
    stored = asdict(details)
    return stored if others else {name: stored[name] for name in stored if name != "others"}


def _ticket_details(stored: StoredFill) -> dict[str, Any]:
    booked = fill_of(stored)
    fill = stored_fill(booked.filled_milligallons, booked.ticket)
    return {
        "grade": booked.grade,
        "vehicle": booked.car.name,
        "plate": f"{booked.car.license_plate} ({booked.car.plate_state})",
        "ticket": fill.ticket,
        "meter_start": fill.meter_start or 0,
        "meter_end": fill.meter_end or 0,
    }


async def _update_questions(
    session: AsyncSession, by: Actor, fill: StoredFill, *, former_key: str, at: datetime
) -> tuple[str, ...]:
    """Ask about a fill that was just recorded or corrected, and drop what is no question any more.

    A repeated ticket that staff have seen is not asked about again. Two fills that are recorded in
    the same moment are not compared.

    Args:
        former_key: The ticket of a meter that it had before.
        at: When it was recorded or corrected.

    Returns:
        The kinds of the questions that hold.
    """
    keys = {GALLONS: ""} if fill.gallons_asked_at else {}
    if fill.ticket_key:
        used = await queries.fills_with_tickets(session, [fill.ticket_key])
        if any(fill_id != fill.id for _, _, fill_id in used):
            keys[TICKET] = fill.ticket_key
    known = [
        each
        for each in await queries.questions_of(session, [fill.booking_id])
        if each.kind != KEPT and each.fill_id == fill.id
    ]
    now = clock.now()
    for each in known:
        if keys.get(each.kind) != each.ticket_key:
            await queries.answer_question(session, each.id, CORRECTED, str(by), now, "")
    for kind, key in keys.items():
        stands = ((e.kind, e.ticket_key) == (kind, key) and e.answer != CORRECTED for e in known)
        if not any(stands):
            about = {"booking_id": fill.booking_id, "fill_id": fill.id, "at": at}
            about["person_id"] = by.person_id or None
            session.add(FillQuestion(kind=kind, ticket={}, ticket_key=key, **about))
            await session.flush()
    if former_key not in ("", fill.ticket_key):
        left = {each[1:] for each in await queries.fills_with_tickets(session, [former_key])}
        if len(left) < 2:  # a single fill has the former ticket now
            for each in await queries.open_questions_about(session, former_key):
                await queries.answer_question(session, each.id, CORRECTED, str(by), now, "")
    return tuple(keys)


async def keep_fill(
    session: AsyncSession,
    by: Actor,
    booking: Booking,
    fill: FillRecord,
    *,
    fill_id: str | None,
    action_id: str,
    why: str,
    meter: str,
    at: datetime,
) -> None:
    """Keep what a technician has pumped beside a booking, and ask the office, once.

    The booking stays as it is. Beyond `KEPT_MOST`, or `KEPT_MOST_IN_ALL`, the office is not asked:
    what the phone has sent is stored with its actions.

    Args:
        fill_id: The car's; None if it is none of the visit.
    """
    before = await queries.kept_fills_of(session, [booking.id], by.person_id)
    same = (fill.milligallons, fill.ticket)
    if any((each.milligallons, each.ticket.get("number")) == same for each in before):
        return
    if len([each for each in before if not each.answer]) >= KEPT_MOST:
        return
    if await queries.count_kept_fills(session, by.person_id) >= KEPT_MOST_IN_ALL:
        return
    row = FillQuestion(
        id=action_id,
        kind=KEPT,
        booking_id=booking.id,
        fill_id=fill_id,
        person_id=by.person_id,
        why=why[:200],
        at=at,
        **_fill_values(fill, meter),
    )
    session.add(row)
    await session.flush()
    filled = fill_text(fill.milligallons, fill.stored)
    what = f"{booking.when}, the technician has recorded {filled}"
    await access.audit_note(session, by, booking.person_id, "booking_question", what)


async def correct_kept_fill(
    session: AsyncSession, by: Actor, booking_id: str, fill: FillRecord, *, fill_id: str | None
) -> bool:
    """Correct what a technician has pumped beside a booking, until the office has answered.

    Return False if there is no such question.
    """
    open_ones = await queries.lock_kept_fills(session, booking_id)
    mine = (each for each in reversed(open_ones) if each.person_id == by.person_id)
    last = next((each for each in mine if each.fill_id == fill_id), None)
    if last is None:
        return False
    figures = _fill_values(fill.correcting(last.ticket), last.ticket.get("meter", ""))
    for name, value in figures.items():
        setattr(last, name, value)
    await session.flush()
    return True


def _fill_values(fill: FillRecord, meter: str) -> dict[str, Any]:
    return {
        "milligallons": fill.milligallons,
        "ticket": fill.stored | ({"meter": meter} if meter else {}),
        "ticket_key": ticket_key(meter, fill.ticket),
    }


async def kept_fills_by(
    session: AsyncSession, person_id: str, booking_ids: Collection[str]
) -> dict[tuple[str, str | None], Question]:
    """Return what a technician has pumped last beside these bookings, by booking and car."""
    rows = await queries.kept_fills_of(session, booking_ids, person_id)
    return {(row.booking_id, row.fill_id): _question_of(row) for row in rows}


async def is_asked_beside(session: AsyncSession, person_id: str, booking_id: str) -> bool:
    """Return whether the office is asked about what a technician has pumped beside a booking."""
    rows = await queries.kept_fills_of(session, [booking_id], person_id)
    return any(not row.answer for row in rows)


async def unanswered_questions(session: AsyncSession, most: int) -> tuple[list[Question], int]:
    """Return the oldest unanswered questions, and how many there are in all."""
    rows = await queries.unanswered_questions(session, most)
    return [_question_of(row) for row in rows], await queries.count_unanswered_questions(session)


async def count_unanswered(session: AsyncSession) -> int:
    """Count the unanswered questions."""
    return await queries.count_unanswered_questions(session)


async def bookings_with_tickets(
    session: AsyncSession, keys: Collection[str]
) -> dict[str, list[str]]:
    """Return the bookings whose fills have these tickets of a meter, by ticket."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    used = await queries.fills_with_tickets(session, {*keys} - {""})
    for key, booking_id in sorted({(key, booking_id) for key, booking_id, _ in used}):
        found[key].append(booking_id)
    return found


def _question_of(row: FillQuestion) -> Question:
    return Question(**row.model_dump(include=set(Question.__slots__)))


async def answer_charge(
    session: AsyncSession, by: Actor, question_id: object, form: object
) -> tuple[str, str | None]:
    """Complete a booking with what was pumped beside it. Return booking and technician.

    What has come back to the customer as it was cancelled stays theirs: a fill of the plan, a free
    first fill. The fuel is paid then; so is a late fee that was billed. Where other cars are still
    to come, the car has a bill of its own and their visit stays as it is; else the seat of a later
    window, into which it was moved, is free again.

    Raises:
        FilledAlready: If another fill has completed it.
        MoreThanTwoTanks: If no admin does it.
        QuestionAnswered, InvalidForm
    """
    row, kept, reason = await _answer(session, by, question_id, KEPT, CHARGED, form)
    booked = booking_of(row).find_fill(kept.fill_id)
    if booked is None or booked.outcome == FILLED:
        raise FilledAlready
    fill = stored_fill(kept.milligallons, kept.ticket)
    check_two_tanks(booked, fill.milligallons, is_admin=by.may(Role.ADMIN))
    await record_fill(
        session,
        by,
        row.id,
        STAFF,
        fill,
        fill_id=booked.id,
        decided=CHARGE,
        meter=kept.ticket.get("meter", ""),
        at=kept.at,
        internal=reason,
    )
    if (await queries.locked(session, row.id)).state == COMPLETED:
        await waiting.leave_seat(session, row.id)
    return row.id, kept.person_id


async def answer_waive(session: AsyncSession, by: Actor, question_id: object, form: object) -> None:
    """Leave a booking as it is; what was pumped beside it is never charged.

    Raises:
        MoreThanTwoTanks: If no admin does it.
        QuestionAnswered, InvalidForm
    """
    row, kept, reason = await _answer(session, by, question_id, KEPT, WAIVED, form)
    booking = booking_of(row)
    booked = booking.find_fill(kept.fill_id)
    check_two_tanks(booked, kept.milligallons or 0, is_admin=by.may(Role.ADMIN))
    what = f"{booking.when}, {fill_text(kept.milligallons, kept.ticket)}, {reason}"
    await access.audit_note(session, by, row.person_id, "booking_waive", what)


async def answer_confirm(
    session: AsyncSession, by: Actor, question_id: object, form: object
) -> None:
    """Bill gallons that were asked about as they were recorded.

    Raises:
        MoreThanTwoTanks: If no admin does it.
        QuestionAnswered, InvalidForm
    """
    row, asked, reason = await _answer(session, by, question_id, GALLONS, CONFIRMED, form)
    booked = booking_of(row).fill(asked.fill_id or "")
    fill = stored_fill(booked.filled_milligallons, booked.ticket)
    check_two_tanks(booked, fill.milligallons, is_admin=by.may(Role.ADMIN))
    await record_fill(
        session,
        by,
        row.id,
        STAFF,
        fill,
        fill_id=booked.id,
        decided=CONFIRM,
        at=clock.now(),
        internal=reason,
    )


async def answer_correct(
    session: AsyncSession, by: Actor, question_id: object, form: object, *, confirmed: bool
) -> None:
    """Bill other gallons than those that were recorded.

    Raises:
        MoreThanTank: Unless it is `confirmed`.
        MoreThanTwoTanks: If no admin does it.
        QuestionAnswered, InvalidForm
    """
    row, asked, reason = await _answer(session, by, question_id, GALLONS, CORRECTED, form)
    fill, booking = parse_fill(form, clock.now()), booking_of(row)
    booked = booking.fill(asked.fill_id or "")
    check_start(booking, fill)
    check_two_tanks(booked, fill.milligallons, is_admin=by.may(Role.ADMIN))
    await record_fill(
        session,
        by,
        row.id,
        STAFF,
        fill,
        fill_id=booked.id,
        confirmed=confirmed,
        at=clock.now(),
        internal=reason,
    )


async def answer_seen(session: AsyncSession, by: Actor, question_id: object) -> None:
    """Leave a ticket number that was used twice as it is.

    Raises:
        QuestionAnswered
    """
    row, asked, _ = await _answer(session, by, question_id, TICKET, SEEN)
    booking = booking_of(row)
    ticket = booking.fill(asked.fill_id or "").ticket.get("number", "")
    what = f"{booking.when}, ticket {ticket}"
    await access.audit_note(session, by, row.person_id, "booking_ticket", what)


async def _answer(
    session: AsyncSession,
    by: Actor,
    question_id: object,
    kind: str,
    answer: str,
    form: object = None,
) -> tuple[StoredBooking, FillQuestion, str]:
    """Answer a question, with the reason of the form if there is one.

    Return its booking, locked as those do who record fills, the question and the reason.
    """
    by.require(Role.DISPATCHER)
    reason = "" if form is None else AnswerForm.parse(form).reason
    question = await queries.find_question(session, well_formed_id(question_id) or "")
    if question is None or question.kind != kind:
        raise QuestionAnswered
    row = await queries.locked(session, question.booking_id)
    if not await queries.answer_question(
        session, question.id, answer, str(by), clock.now(), reason
    ):
        raise QuestionAnswered
    return row, question, reason
