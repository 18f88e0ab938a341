"""Recording what was pumped, correcting it, and why nothing could be."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.areas.service import prices
from fuel_app.billing.rules.fills import InvoiceIsOpen
from fuel_app.billing.rules.invoices import sum_of
from fuel_app.billing.rules.receipts import FillDetails
from fuel_app.billing.service import corrections, fills, holds
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import Booking, BookingChanged, NeedsReason
from fuel_app.bookings.rules.filling import (
    FILLED_AFTER_END,
    Fill,
    ReceiptSent,
    check_tank,
    fill_of,
    lines_of,
)
from fuel_app.bookings.rules.reasons import REASONS, Reason
from fuel_app.bookings.rules.states import CANCELLED, COMPLETED, FAILED, OPEN_STATES, TECHNICIAN
from fuel_app.bookings.service import access, changing, charging, telling
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit import clock
from fuel_app.kit.contact import text
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, signals
from fuel_app.plans.service import ledger


async def complete(
    by: Actor, booking_id: object, revision: object, form: object, *, confirmed: bool = False
) -> Booking:
    """Record what was pumped, or correct it as long as the invoice is a draft: for 15 minutes.

    What was pumped after the booking had ended is kept and charges nothing by itself.

    Args:
        revision: The one on the screen.
        form: Gallons or both readings of the meter, the ticket's number, the start of fueling.
        confirmed: More than the tank holds was pumped.

    Raises:
        MoreThanTank: Unless it is confirmed.
        InvoiceIsOpen: If it is too late to correct it.
        InvalidForm, BookingChanged, BookingGone
    """
    fill = fill_of(form, clock.now())
    async with transaction() as session:
        row = await _locked(session, by, booking_id, revision)
        role, at = access.role_in(by, row.person_id), clock.now()
        await complete_in(session, by, row, role, fill, confirmed=confirmed is True, at=at)
    await signals().publish(BOOKINGS)
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
    is_owed: bool = True,
) -> None:
    """Record or correct what a locked booking's fill was, in the caller's transaction.

    Args:
        role: In which the actor does it; a technician's correction may go beyond the draft.
        is_owed: False for one that the technician should not have filled: it is kept and charges
            nothing by itself. What has ended before is never owed.

    Raises:
        MoreThanTank: Unless it is `confirmed`.
        InvoiceIsOpen: If it is too late to correct it.
        ReceiptSent: The same for a technician, if it takes more than giving a little back.
    """
    state, revision, former = row.state, row.revision, row.total_cents
    is_first = state != COMPLETED
    booking, fill = queries.booking_of(row), fill.correcting(row.ticket)
    if not confirmed:
        check_tank(booking, fill.milligallons)
    owed = is_owed and state not in (CANCELLED, FAILED) if is_first else former is not None
    started = fill.started or row.completed_at or at
    now = await prices.price_at(session, row.area_id, row.grade, started)
    mills = min(row.price_mills, now.mills) if now else row.price_mills
    lines = lines_of(booking, fill.milligallons, mills)
    total = sum_of(lines)
    await changing.step(
        *(session, row, "complete" if is_first else "correct", by, role),
        before={} if is_first else {"milligallons": row.filled_milligallons} | row.ticket,
        note="" if owed else FILLED_AFTER_END,
        at=at,
        filled_milligallons=fill.milligallons,
        ticket=fill.stored,
        total_cents=total.cents if owed else None,
        **{"completed_at": at} if is_first else {},
    )
    if owed:
        try:
            await fills.bill(session, charging.whose(row), lines, _details(row, fill))
        except InvoiceIsOpen:
            if role != TECHNICIAN:
                raise
            await _correct_sent(session, by, row, Money(former or 0), total)
    elif is_first and state in OPEN_STATES:
        await changing.return_fill(session, row, revision, by)
        await holds.release(session, row.id)
    await telling.withdraw(session, row)


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
