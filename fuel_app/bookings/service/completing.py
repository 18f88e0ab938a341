"""Recording what was pumped, correcting it, and why nothing could be."""

from dataclasses import asdict, replace
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.areas.service import prices
from fuel_app.billing.rules.fills import InvoiceIsOpen
from fuel_app.billing.rules.invoices import sum_of
from fuel_app.billing.rules.receipts import FillDetails
from fuel_app.billing.service import corrections, fills
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.queries import places
from fuel_app.bookings.rules.bookings import Booking, BookingChanged, NeedsReason
from fuel_app.bookings.rules.filling import (
    CHECKED_FIRST,
    CHECKING,
    FILLED_AFTER_END,
    UNCONFIRMED,
    Fill,
    MoreThanTwoTanks,
    ReceiptSent,
    as_charged,
    check_start,
    check_tank,
    check_two_tanks,
    exceeds_tank,
    exceeds_two_tanks,
    fill_of,
    lines_of,
    stored_fill,
    ticket_key,
)
from fuel_app.bookings.rules.questions import FilledAlready
from fuel_app.bookings.rules.reasons import REASONS, Reason
from fuel_app.bookings.rules.states import (
    CANCELLED,
    COMPLETED,
    FAILED,
    STAFF,
    TECHNICIAN,
)
from fuel_app.bookings.service import access, changing, charging, questions, telling
from fuel_app.bookings.tables import FillQuestion, StoredBooking
from fuel_app.kit import clock
from fuel_app.kit.contact import text
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, signals
from fuel_app.plans.service import ledger


async def complete(
    session: AsyncSession,
    by: Actor,
    booking_id: object,
    revision: object,
    form: object,
    *,
    confirmed: bool,
    meter: str,
) -> Booking:
    """Record what was pumped, or correct it as long as the invoice is a draft: for 15 minutes.

    What was pumped after the booking had ended is kept and charges nothing by itself. More than
    two tanks charge nothing until an admin confirms them, unless an admin records them.

    Args:
        revision: The one on the screen.
        form: Gallons or both readings of the meter, the ticket's number, the start of fueling.
        confirmed: More than the tank holds was pumped.
        meter: Number of the meter of the booking's truck; '' if it is on no route.

    Raises:
        MoreThanTank: Unless it is confirmed.
        MoreThanTwoTanks: If it corrects what has a bill, and no admin does it.
        InvoiceIsOpen: If it is too late to correct it.
        InvalidForm, BookingChanged, BookingGone
    """
    fill = fill_of(form, clock.now())
    row = await _locked(session, by, booking_id, revision)
    check_start(queries.booking_of(row), fill)
    role, at = access.role_in(by, row.person_id), clock.now()
    await complete_in(session, by, row, role, fill, confirmed=confirmed, at=at, meter=meter)
    return queries.booking_of(row)


async def complete_in(
    session: AsyncSession,
    by: Actor,
    row: StoredBooking,
    role: str,
    fill: Fill,
    *,
    confirmed: bool,
    at: datetime,
    meter: str = "",
    internal: str = "",
) -> tuple[str, ...]:
    """Record or correct what a locked booking's fill was, in the caller's transaction.

    More than the tank that a technician has not confirmed is recorded, and charges nothing yet.

    Args:
        role: In which the actor does it; a technician's correction may go beyond the draft.
        internal: A reason for the audit log.

    Returns:
        The kinds of the questions that it leaves to the office.

    Raises:
        MoreThanTank: Unless it is `confirmed`; for a technician if it corrects what has a bill.
        MoreThanTwoTanks: If no admin does it: if it corrects what has a bill, or if staff correct
            what waits for an admin because of them.
        InvoiceIsOpen: If it is too late to correct it.
        ReceiptSent: The same for a technician, if it takes more than giving a little back.
    """
    booking, is_first = queries.booking_of(row), row.state != COMPLETED
    former, fill = row.total_cents, fill.correcting(row.ticket)
    if not confirmed and role != TECHNICIAN:
        check_tank(booking, fill.milligallons)
    is_admin = role != TECHNICIAN and by.may(Role.ADMIN)
    is_checked = exceeds_two_tanks(booking, fill.milligallons) and not is_admin
    waits_for_admin = row.gallons_asked_at is not None and exceeds_two_tanks(
        booking, row.filled_milligallons or 0
    )
    if waits_for_admin and role != TECHNICIAN and not is_admin:
        raise MoreThanTwoTanks
    if is_checked and former is not None:
        raise MoreThanTwoTanks
    if not confirmed and former is not None:
        check_tank(booking, fill.milligallons)
    is_checked |= not confirmed and exceeds_tank(booking, fill.milligallons)
    if is_first:
        is_owed = row.state not in (CANCELLED, FAILED)
    else:
        is_owed = former is not None or row.gallons_asked_at is not None
    return await _record(
        session,
        by,
        row,
        role,
        fill,
        kind="complete" if is_first else "correct",
        meter=meter or row.ticket.get("meter", ""),
        is_owed=is_owed,
        is_checked=is_checked and is_owed,
        at=at,
        note="" if is_owed else FILLED_AFTER_END,
        internal=internal,
    )


async def confirm_in(session: AsyncSession, by: Actor, row: StoredBooking, reason: str) -> None:
    """Bill a locked booking's fill as it was recorded.

    Raises:
        MoreThanTwoTanks: If no admin does it.
    """
    fill = stored_fill(row.filled_milligallons, row.ticket)
    check_two_tanks(queries.booking_of(row), fill.milligallons, is_admin=by.may(Role.ADMIN))
    about = {"kind": "confirm", "meter": row.ticket.get("meter", ""), "internal": reason}
    await _record(session, by, row, STAFF, fill, at=clock.now(), **about)


async def charge_in(
    session: AsyncSession, by: Actor, row: StoredBooking, kept: FillQuestion, reason: str
) -> None:
    """Complete a locked booking with what was pumped beside it, and bill it.

    What has come back to the customer as it was cancelled stays theirs: a fill of the plan, a free
    first fill. The fuel is paid then; so is a late fee that was billed. The place of a later
    window, into which it was moved, is free again.

    Raises:
        FilledAlready: If another fill has completed it.
        MoreThanTwoTanks: If no admin does it.
    """
    if row.state == COMPLETED:
        raise FilledAlready
    fill = stored_fill(kept.milligallons, kept.ticket)
    check_two_tanks(queries.booking_of(row), fill.milligallons, is_admin=by.may(Role.ADMIN))
    about: dict[str, Any] = {
        "kind": "charge",
        "meter": kept.ticket.get("meter", ""),
        "internal": reason,
    }
    about |= {"pays_by": as_charged(queries.booking_of(row)).pays_by}
    about |= {"ended_by": "", "reason": ""}  # their own event keeps them
    await _record(session, by, row, STAFF, fill, at=kept.at, **about)
    await places.leave(session, row.id)


async def _record(
    session: AsyncSession,
    by: Actor,
    row: StoredBooking,
    role: str,
    fill: Fill,
    *,
    kind: str,
    meter: str,
    at: datetime,
    note: str = "",
    internal: str = "",
    is_owed: bool = True,
    is_checked: bool = False,
    **changed: Any,
) -> tuple[str, ...]:
    """Store what was pumped by a step, and draft its bill if it is owed and needs no check."""
    state, former, was_checked = row.state, row.total_cents, row.gallons_asked_at
    former_key = row.ticket_key
    booking = replace(queries.booking_of(row), **changed)
    started = fill.started or row.completed_at or at
    now = await prices.price_at(session, row.area_id, row.grade, started)
    mills = min(row.price_mills, now.mills) if now else row.price_mills
    lines = lines_of(booking, fill.milligallons, mills)
    total = sum_of(lines)
    key = ticket_key(meter, fill.ticket)
    is_known = state == COMPLETED
    await changing.step(
        session,
        row,
        kind,
        by,
        role,
        before={"milligallons": row.filled_milligallons} | row.ticket if is_known else {},
        note=f"{CHECKING}." if is_checked else note,
        internal=" ".join(
            filter(None, [_why_checked(booking, fill) if is_checked else "", internal])
        ),
        at=at,
        filled_milligallons=fill.milligallons,
        ticket=fill.stored | ({"meter": meter} if meter else {}),
        ticket_key=key,
        total_cents=total.cents if is_owed and not is_checked else None,
        gallons_asked_at=(was_checked or clock.now()) if is_checked else None,
        **changed | ({} if is_known else {"completed_at": at}),
    )
    await telling.withdraw(session, row)
    asked = await questions.follow(session, by, row, former_key=former_key, at=at)
    if is_owed and not is_checked:
        try:
            await fills.bill(session, charging.whose(row), lines, _details(row, fill))
        except InvoiceIsOpen:
            if role != TECHNICIAN:
                raise
            await _correct_sent(session, by, row, Money(former or 0), total)
    return asked


def _why_checked(booking: Booking, fill: Fill) -> str:
    return CHECKED_FIRST if exceeds_two_tanks(booking, fill.milligallons) else UNCONFIRMED


async def _correct_sent(
    session: AsyncSession, by: Actor, row: StoredBooking, former: Money, total: Money
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
        await corrections.lower_fill(session, by, row.id, former - total, key)
    except Refusal as refusal:
        raise for_office from refusal


async def take_fill(session: AsyncSession, booking_id: str) -> None:
    """Use the plan's fill of a booking, or return it where nothing was pumped."""
    row = await session.get_one(StoredBooking, booking_id)
    if row.filled_milligallons:
        await ledger.use(session, row.id, SYSTEM)
    else:
        await changing.return_fill(session, row, row.revision, SYSTEM)


fills.ON_OPEN.append(take_fill)


def _details(row: StoredBooking, fill: Fill) -> dict[str, Any]:
    booking = queries.booking_of(row)
    details = FillDetails(
        filled_at=(row.completed_at or clock.now()).isoformat(),
        place=booking.place.line,
        grade=row.grade,
        vehicle=booking.car.name,
        plate=f"{booking.car.license_plate} ({booking.car.plate_state})",
        ticket=fill.ticket,
        meter_start=fill.meter_start or 0,
        meter_end=fill.meter_end or 0,
        sold_to=charging.whose(row).name,
    )
    return asdict(details)


async def fail(
    by: Actor, booking_id: object, revision: object, reason: object, note: str = ""
) -> Booking:
    """End a booking that could not be filled, for one of `REASONS`.

    Raises:
        NeedsReason, BookingChanged, BookingGone
    """
    known, said = reason_of(reason, note)
    async with transaction() as session:
        row = await _locked(session, by, booking_id, revision)
        role = access.role_in(by, row.person_id)
        await fail_in(session, by, row, role, known, said, at=clock.now())
    await signals().publish(BOOKINGS)
    return queries.booking_of(row)


async def fail_in(
    session: AsyncSession,
    by: Actor,
    row: StoredBooking,
    role: str,
    reason: Reason,
    note: str,
    *,
    at: datetime,
) -> None:
    """End a locked booking that could not be filled, as `changing.step` does."""
    before, label = row.revision, reason.label
    fee = row.late_fee_agreed_cents if reason.costs_fee else 0
    ending = {"ended_by": role, "reason": label, "late_fee_cents": fee}
    await changing.step(session, row, "fail", by, role, note=note or label, at=at, **ending)
    await changing.return_fill(session, row, before, by)
    await charging.ended(session, row, reason.told)
    await telling.failed(session, row, reason.told)


def reason_of(reason: object, note: object) -> tuple[Reason, str]:
    """Return a reason of `REASONS` and the note, as they were sent.

    Raises:
        NeedsReason: If there is no such reason, or it needs a note.
    """
    known = REASONS.get(reason) if isinstance(reason, str) else None
    said = text(note)[: changing.REASON_MAX]
    if known is None or (known.needs_note and not said):
        raise NeedsReason
    return known, said


async def _locked(
    session: AsyncSession, by: Actor, booking_id: object, revision: object
) -> StoredBooking:
    by.require(Role.DISPATCHER)
    row = await access.locked(session, by, booking_id)
    if row.revision != revision:
        raise BookingChanged
    return row
