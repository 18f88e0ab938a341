"""Messages about bookings: to the customer, or to a guest's e-mail; and their reminders."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.rules.invoices import FILL, LATE_FEE, Invoice, Line
from fuel_app.billing.rules.payments import NEEDS_CONFIRMATION, NO_CARD, Payment
from fuel_app.billing.rules.receipts import (
    dye_notice,
    fuel_text,
    gallons_text,
    vehicles_of,
)
from fuel_app.bookings import queries
from fuel_app.bookings.queries import booking_of
from fuel_app.bookings.rules import bookings as rules
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.estimates import Estimate, one_car_each
from fuel_app.bookings.rules.slots import CUTOFF
from fuel_app.bookings.rules.states import NOT_FILLED, shown_reason
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit import clock, outbox
from fuel_app.kit.clock import day_of, time_of_day
from fuel_app.kit.money import FuelPrice, Money
from fuel_app.kit.outbox import Draft
from fuel_app.kit.words import and_list
from fuel_app.messages import service as messages
from fuel_app.messages.rules.content import NO_CHARGE


def confirmation(row: StoredBooking, estimate: Estimate, repeats: str = "") -> list[Draft]:
    """Return the messages of a new booking: that it is booked, and its reminders."""
    booking, says = booking_of(row), {"held": estimate.held, **_terms(row)}
    if row.contact and not row.terms_version and row.card_due_at:  # staff have booked it
        says |= {"card_by": _moment(row.card_due_at)}
    says |= {"repeats": repeats} if repeats else {}
    price = "\n".join(f"{line.label}: {line.amount}" for line in estimate.lines)
    return [*drafts_about(booking, "booking_confirmed", price=price, **says), *_reminders(booking)]


async def booking_moved(
    session: AsyncSession, row: StoredBooking, before: str, reason: str
) -> None:
    """Tell of another window; the reminders of the former one are withdrawn."""
    await withdraw_reminders(session, row)
    booking, says = booking_of(row), {"before": before, "reason": reason, **_terms(row)}
    await outbox.add_all(
        session, [*drafts_about(booking, "booking_moved", **says), *_reminders(booking)]
    )


async def booking_cancelled(session: AsyncSession, row: StoredBooking) -> None:
    """Tell of a cancellation and what it costs; the reminders are withdrawn."""
    await withdraw_reminders(session, row)
    await _queue(session, row, "booking_cancelled", charge=_charge(row), reason=row.reason)


async def fill_failed(session: AsyncSession, row: StoredBooking, reason: str) -> None:
    """Tell that a booking could not be filled, and what it costs."""
    await withdraw_reminders(session, row)
    says = {"reason": f"{reason}.", "what_to_do": "Please book another time."}
    await _queue(session, row, "fill_failed", charge=_charge(row), **says)


async def invoice_settled(session: AsyncSession, invoice: Invoice, payment: Payment | None) -> None:
    """Tell that a fill was paid, with its receipt; or that a payment has failed."""
    row = await queries.find(session, invoice.booking_id)
    if row is None:
        return
    if payment and payment.problem:
        await _queue(
            session,
            row,
            "payment_failed",
            once=payment.id,
            payment=payment.id,
            what="the late fee" if invoice.kind == LATE_FEE else "your fill-up",
            amount=str(invoice.due),
            reason=payment.problem,
        )
    elif invoice.kind == FILL and (payment or not invoice.total.cents):
        fuel = [line for line in invoice.lines if line.kind == "fuel"]
        await _queue(
            session,
            row,
            "completed",
            once=invoice.id if invoice.fill_id else row.id,
            gallons=gallons_text(sum(line.milligallons or 0 for line in fuel)),
            price=FuelPrice(invoice.lines[0].price_mills or 0).exact,
            total=str(invoice.total),
            invoice=invoice.id,
            notice=dye_notice(invoice.details),
            **_cars_filled(booking_of(row), vehicles_of(invoice.details), fuel),
        )


def _cars_filled(booking: Booking, vehicles: Sequence[str], fuel: Sequence[Line]) -> dict[str, str]:
    """Return what a receipt says of each car, where a visit has several."""
    if len(booking.fills) == 1:
        return {}
    missed = [each for each in booking.fills if each.outcome == NOT_FILLED]
    why = (f"{each.car.name}: {shown_reason(each.reason)}" for each in missed)
    said = {"vehicle": and_list(vehicles)}
    if len(vehicles) > 1:
        filled = zip(vehicles, fuel, strict=True)
        said["others"] = "\n".join(f"{vehicle}: {fuel_text(line)}" for vehicle, line in filled)
    if missed:
        said["missed"] = f"We could not fill {'; '.join(why)}."
    return said


async def authorization_declined(
    session: AsyncSession, row: StoredBooking, name: str, payment: Payment, until: datetime
) -> None:
    """Tell that the card was declined in the try with this name."""
    says = {"amount": payment.amount.short, "reason": payment.problem, "until": _moment(until)}
    says |= {"confirm": "yes"} if payment.code == NEEDS_CONFIRMATION else {}
    says |= {"missing": "yes"} if payment.code == NO_CARD else {}
    if payment.may_pass_for_less and len(row.fills) > 1:
        says |= {"alone": " or ".join(each.text for each in one_car_each(booking_of(row)))}
    await _queue(session, row, "hold_declined", once=name, good_until=until, **says)


async def fee_asked(session: AsyncSession, row: StoredBooking, again: str = "") -> None:
    """Tell that the plan covers it no more, and what to choose; `again` names a later try."""
    booking = booking_of(row)
    once = again or f"{row.id}:{booking.fee_asked_at}"
    await _queue(session, row, "fee_asked", once=once, fee=str(booking.asked_fee))


async def weather_hold_begun(
    session: AsyncSession, booking: Booking, kind: str, **more: Any
) -> None:
    """Tell that a booking has to wait, by a message of this kind; its reminders are withdrawn."""
    await withdraw_reminders(session, booking)
    await outbox.add_all(session, drafts_about(booking, kind, **more))


async def weather_hold_ended(
    session: AsyncSession, booking: Booking, untold: Collection[str] = (), **more: Any
) -> None:
    """Tell that a booking that had to wait is on again, with its reminders.

    Args:
        untold: The channels on which nobody has said that it had to wait.
    """
    news = (
        each for each in drafts_about(booking, "on_again", **more) if each.channel not in untold
    )
    await outbox.add_all(session, [*news, *_reminders(booking)])


def drafts_about(
    booking: Booking,
    kind: str,
    *,
    once: str = "",
    wanted: datetime | None = None,
    good_until: datetime | None = None,
    **more: Any,
) -> list[Draft]:
    """Return a message about a booking, to its customer or guest.

    Args:
        once: Makes it happen once; by default once for each revision.
        more: Other values of its text.
    """
    payload = {
        "booking": booking.id,
        "revision": booking.revision,
        "starts_at": booking.starts_at.isoformat(),
        "ends_at": booking.ends_at.isoformat(),
        "when": booking.when,
        "vehicle": booking.cars,
        "place": booking.place.line,
    }
    return messages.drafts(
        kind,
        booking.person_id or None,
        payload | more,
        to="" if booking.person_id else booking.contact.get("email", ""),
        key=f"{kind}:{once or f'{booking.id}:{booking.revision}'}",
        wanted=wanted,
        good_until=good_until,
    )


async def _queue(session: AsyncSession, row: StoredBooking, kind: str, **more: Any) -> None:
    await outbox.add_all(session, drafts_about(booking_of(row), kind, **more))


def _reminders(booking: Booking) -> list[Draft]:
    """Return the reminders before a window that opens later."""
    now = clock.now()
    sent = (
        drafts_about(booking, each.kind, wanted=each.at, good_until=each.good_until)
        for each in rules.reminders_for(booking.starts_at)
        if each.at > now
    )
    return [each for drafts in sent for each in drafts]


def _charge(row: StoredBooking) -> str:
    return f"{Money(row.late_fee_cents)} late fee" if row.late_fee_cents else NO_CHARGE


async def withdraw_reminders(session: AsyncSession, row: StoredBooking | Booking) -> None:
    """Withdraw the reminders of former revisions."""
    revisions = range(1, row.revision)
    keys = (f"{kind}:{row.id}:{each}" for kind in rules.REMINDER_KINDS for each in revisions)
    await messages.cancel_queued(session, *keys)


def _moment(at: datetime) -> str:
    """'Tuesday, November 24, 6:30 AM'."""
    day = day_of(at)
    return f"{day:%A, %B} {day.day}, {time_of_day(at)}"


def _terms(row: StoredBooking) -> dict[str, Any]:
    """Return what moving and cancelling cost; its text leaves out a time that is past."""
    until = row.starts_at - CUTOFF
    late_fee = str(Money(row.late_fee_agreed_cents)) if row.late_fee_agreed_cents else ""
    return {
        "free_until": _moment(until),
        "free_until_at": until.isoformat(),
        "late_fee": late_fee,
    }
