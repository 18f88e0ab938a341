"""Jobs of bookings: the card for a booked fill, with what follows a decline; moved pins; offers."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM
from fuel_app.billing.providers import stripe
from fuel_app.billing.rules.payments import FAILED, HOSTED, NO_CARD, Payment
from fuel_app.billing.service import fill_invoices
from fuel_app.bookings import queries
from fuel_app.bookings.rules.authorizations import CARD_DECLINED, CARD_MISSING
from fuel_app.bookings.rules.estimates import estimate_of
from fuel_app.bookings.rules.states import PLANS_HOLD, step_allowed
from fuel_app.bookings.rules.states import SYSTEM as AS_SYSTEM
from fuel_app.bookings.service import authorizations, changes, desk, notifications, waiting
from fuel_app.bookings.tables import StoredBooking
from fuel_app.customers.service import locations
from fuel_app.kit import clock, jobs
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs import Job
from fuel_app.kit.signals import BOOKINGS, signals

_NOT_AGREED = (
    "Your plan does not cover this fill-up any more, and you did not choose to pay its fee."
)


@jobs.handler(authorizations.AUTHORIZE)
async def authorize(job: Job) -> None:
    """Authorise the card for a booking, unless it has moved, has ended or is authorised.

    Declined, the customer is told; from `until` on the booking is cancelled free of charge. So is
    one whose fee the customer was asked for and has not agreed to.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    asked = job.payload
    async with reading() as session:
        if await _waiting(session, asked, lock=False) is None:
            return  # a page that is open is of another window
    await fill_invoices.end_checkouts(asked["booking"])
    async with transaction() as session:
        row = await _waiting(session, asked)
        if row is None:
            return
        steps = await queries.events(session, row.id)
        since = max((step.revision for step in steps if step.kind in PLANS_HOLD), default=0)
        _, revision, _ = asked["try"].split(":", 2)
        if int(revision) < since:
            return  # another sum is planned by now, with jobs of its own
        is_asked = any(each.fee_asked_at for each in row.fills)
        key = f"hold:{asked['try']}"
        payment = None if is_asked else await _begin(session, row, key, since)
    if payment:
        payment = await fill_invoices.perform_authorization(payment.id)
        if payment.kind == HOSTED:  # a visit to the provider's page that has ended here
            raise stripe.Unavailable(payment.id)
    if not is_asked and (payment is None or payment.state != FAILED):
        return
    until = datetime.fromisoformat(asked["until"])
    async with transaction() as session:
        row = await _waiting(session, asked)
        if row is None:
            return
        if clock.now() >= until:
            declined = CARD_MISSING if payment and payment.code == NO_CARD else CARD_DECLINED
            reason = declined if payment else _NOT_AGREED
            await changes.cancel_free(session, row.id, actor=SYSTEM, reason=reason)
        elif payment:
            await notifications.authorization_declined(session, row, asked["try"], payment, until)
        else:
            await notifications.fee_asked(session, row, asked["try"])
    await signals().publish(BOOKINGS)


async def _begin(session: AsyncSession, row: StoredBooking, key: str, since: int) -> Payment | None:
    """Begin the hold of a booking; None where nothing may be due.

    Args:
        since: The revision by which the hold was last planned.
    """
    amount = estimate_of(queries.booking_of(row)).hold
    if not amount.cents:
        return None
    return await fill_invoices.begin_authorization(
        session, key, authorizations.bill_to(row), amount, since=since
    )


async def _waiting(
    session: AsyncSession, asked: Mapping[str, Any], *, lock: bool = True
) -> StoredBooking | None:
    """Lock and return a booking that still waits for its fill in that window."""
    row = await queries.find(session, asked["booking"], lock=lock)
    if row is None or row.slot_id != asked["slot"]:
        return None
    return row if step_allowed(row.state, "cancel", AS_SYSTEM) else None


@jobs.handler(locations.PIN_MOVED)
async def follow_pin(job: Job) -> None:
    """Have what a customer has booked at an address follow its pin, which they have moved."""
    async with transaction() as session:
        await desk.carry_pin(session, SYSTEM, job.payload["person"], job.payload["place"])
    await signals().publish(BOOKINGS)


@jobs.handler(waiting.OFFER)
async def offer_seat(job: Job) -> None:
    """Offer a seat that was given back to the customers who wait for its window."""
    await waiting.offer(job.payload["slot"])


@jobs.scheduled("bookings.offer_seats", jobs.every(timedelta(minutes=1)))
async def offer_seats(now: datetime) -> int:
    """Offer what has become free by itself, and end the waits that are over."""
    return await waiting.offer_all(now)
