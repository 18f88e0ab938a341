"""Recording what was pumped, correcting it, and why nothing could be."""

from dataclasses import asdict
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.areas.service import prices
from fuel_app.billing.rules.invoices import sum_of
from fuel_app.billing.rules.receipts import FillDetails
from fuel_app.billing.service import fills
from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import Booking, BookingChanged, NeedsReason
from fuel_app.bookings.rules.filling import FILLED_AFTER_END, Fill, check_tank, fill_of, lines_of
from fuel_app.bookings.rules.reasons import REASONS
from fuel_app.bookings.rules.states import CANCELLED, COMPLETED, FAILED
from fuel_app.bookings.service import access, changing, charging, telling
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import BOOKINGS, signals
from fuel_app.plans.service import ledger


async def complete(
    by: Actor, booking_id: object, revision: object, form: object, *, confirmed: bool = False
) -> Booking:
    """Record what was pumped, or correct it as long as the invoice is a draft: for 15 minutes.

    What was pumped after the booking had ended is kept and charges nothing by itself.

    Args:
        by: A member of the staff.
        booking_id: Sent by a browser, as are the revision on the screen and the form.
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
        is_first = row.state != COMPLETED
        booking = queries.booking_of(row)
        if confirmed is not True:
            check_tank(booking, fill.milligallons)
        is_owed = row.state not in (CANCELLED, FAILED) if is_first else row.total_cents is not None
        started = fill.started or row.completed_at or clock.now()
        now = await prices.price_at(session, row.area_id, row.grade, started)
        mills = min(row.price_mills, now.mills) if now else row.price_mills
        lines = lines_of(booking, fill.milligallons, mills)
        ended = {"completed_at": clock.now()} if is_first else {}
        await changing.step(
            *(
                session,
                row,
                "complete" if is_first else "correct",
                by,
                access.role_in(by, row.person_id),
            ),
            before={} if is_first else {"milligallons": row.filled_milligallons} | row.ticket,
            note="" if is_owed else FILLED_AFTER_END,
            filled_milligallons=fill.milligallons,
            ticket=fill.stored,
            total_cents=sum_of(lines).cents if is_owed else None,
            **ended,
        )
        if is_owed:
            await fills.bill(session, charging.whose(row), lines, _details(row, fill))
        await telling.withdraw(session, row)
    await signals().publish(BOOKINGS)
    return queries.booking_of(row)


@fills.on_open
async def take_fill(session: AsyncSession, booking_id: str) -> None:
    """Use the plan's fill of a booking, or return it where nothing was pumped."""
    row = await session.get_one(StoredBooking, booking_id)
    if row.filled_milligallons:
        await ledger.use(session, row.id, SYSTEM)
    else:
        await changing.return_fill(session, row, row.revision, SYSTEM)


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
    known = REASONS.get(reason) if isinstance(reason, str) else None
    said = note.strip()[: changing.REASON_MAX] if isinstance(note, str) else ""
    if known is None or (known.needs_note and not said):
        raise NeedsReason
    async with transaction() as session:
        row = await _locked(session, by, booking_id, revision)
        before = row.revision
        role = access.role_in(by, row.person_id)
        fee = row.late_fee_agreed_cents if known.costs_fee else 0
        ending = {"ended_by": role, "reason": known.label, "late_fee_cents": fee}
        await changing.step(session, row, "fail", by, role, note=said or known.label, **ending)
        await changing.return_fill(session, row, before, by)
        await charging.ended(session, row, known.label)
        await telling.failed(session, row, known.label)
    await signals().publish(BOOKINGS)
    return queries.booking_of(row)


async def _locked(
    session: AsyncSession, by: Actor, booking_id: object, revision: object
) -> StoredBooking:
    by.require(Role.DISPATCHER)
    found = await queries.find(session, well_formed_id(booking_id) or "", lock=True)
    row = access.check(by, found)
    if row.revision != revision:
        raise BookingChanged
    return row
