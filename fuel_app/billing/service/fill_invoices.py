"""Bills of fills: the authorization before, a draft at Done, opened and settled 15 minutes later.

Late fees are billed at once; who referred a customer is credited after the first paid fill.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import Intent
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.invoices import (
    DRAFT,
    FILL,
    LATE_FEE,
    OPENED_AFTER,
    InvoiceIsOpen,
    Line,
    PaymentDisputed,
    PaymentOpen,
    Whose,
)
from fuel_app.billing.rules.payments import HOLD, HOSTED, NEW, OPEN_STATES, Payment, PaymentPending
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.tables import Payer, StoredInvoice, StoredPayment
from fuel_app.customers.rules.vehicles import bare_plate
from fuel_app.customers.service import account, neighborhood, vehicles
from fuel_app.kit import clock, jobs, policies
from fuel_app.kit.db.session import get_row, transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.jobs import NewJob
from fuel_app.kit.money import Money
from fuel_app.kit.policies import policy

REFERRAL_CREDIT = policy(
    "referral_credit", "Credit for a referral", unit="cents", default=1000, least=0, most=10_000
)
RELEASE = "billing.release"


async def lock_payer_of(session: AsyncSession, whose: Whose) -> Payer:
    if whose.payer_id:
        return await get_row(session, Payer, whose.payer_id)
    return await invoices.payer_of_person(session, whose.person_id or "")


async def begin_authorization(
    session: AsyncSession, key: str, whose: Whose, amount: Money, *, since: int
) -> Payment:
    """Return the live hold of a locked booking, else begin one with this key.

    The caller performs it, in a job.

    Args:
        key: 'hold:<booking>:<revision>:<name of the try>'.
        since: The revision by which the booking was last planned; holds of former ones are being
            released. Steps in between, such as publishing a route, keep the hold.
    """
    for row in await queries.holds_of(session, whose.booking_id, *OPEN_STATES):
        if _revision_in(row.key) >= since:
            return payments.payment_of(row)
    payer = await lock_payer_of(session, whose)
    hold = await payments.begin_payment(
        session, key, HOLD, payer, amount, booking_id=whose.booking_id
    )
    return payments.payment_of(hold)


def _revision_in(key: str) -> int:
    """Return the revision of the booking for which a hold was begun."""
    return int(key.split(":")[2])


async def begin_confirmation(
    session: AsyncSession, key: str, whose: Whose, amount: Money
) -> tuple[StoredPayment, Payer]:
    """Begin a hold of a locked booking that its customer confirms on the provider's page.

    The caller opens the page after the commit, and has ended former checkouts before.

    Raises:
        PaymentPending: If a hold is live, or begun by another tab.
    """
    if await queries.holds_of(session, whose.booking_id, *OPEN_STATES):
        raise PaymentPending
    payer = await lock_payer_of(session, whose)
    row = await payments.begin_payment(
        session, key, HOSTED, payer, amount, booking_id=whose.booking_id
    )
    return row, payer


async def end_checkouts(booking_id: str) -> None:
    """End checkouts that have not confirmed a hold of a booking yet.

    Raises:
        stripe.Unavailable: If the outcome of one is still open.
    """
    async with transaction() as session:
        live = await queries.holds_of(session, booking_id, NEW)
    for row in live:
        if row.kind == HOSTED and not await _end_page(row.id):
            raise stripe.Unavailable(row.id)


async def release_authorizations(session: AsyncSession, booking_id: str) -> None:
    """Release what is held for a booking, by jobs after the commit."""
    live = await queries.holds_of(session, booking_id, *OPEN_STATES)
    new = (NewJob(RELEASE, {"id": row.id}, f"{RELEASE}:{row.id}") for row in live)
    await jobs.enqueue_all(session, list(new))


async def perform_authorization(payment_id: str) -> Payment:
    """Ask for an authorization, and return what has become of it.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    payment, intent = await payments.ask_about(payment_id)
    if intent:
        payment = await _store_authorization(payment_id, intent)
    elif payment.kind == HOSTED and payment.is_pending:
        await _end_page(payment_id)
        payment, _ = await payments.ask_about(payment_id)
    if payment.is_pending:
        raise stripe.Unavailable(payment_id)
    return payment


async def _end_page(payment_id: str) -> bool:
    """End the page where an authorization was to be confirmed: store it, or cancel it.

    Returns:
        False where its outcome is still open.

    Raises:
        stripe.Unavailable
    """
    page_id, intent = await payments.close_page(payment_id)
    if intent:
        return not (await _store_authorization(payment_id, intent)).is_pending
    async with transaction() as session:
        return await payments.cancel_unconfirmed(session, payment_id, page_id)


async def _store_authorization(payment_id: str, intent: Intent) -> Payment:
    """Store what Stripe says of an authorization that no invoice has used yet."""
    async with transaction() as session:
        row = await get_row(session, StoredPayment, payment_id, lock=True)
        if payments.may_become(row, intent):
            await payments.apply_outcome(session, row, intent, None)
        return payments.payment_of(row)


async def last_authorizations(
    session: AsyncSession, booking_ids: Collection[str]
) -> dict[str, Payment]:
    """Return the last hold of bookings, by booking."""
    rows = await queries.last_holds(session, booking_ids)
    return {booking_id: payments.payment_of(row) for booking_id, row in rows.items()}


async def declined_authorizations(session: AsyncSession, since: datetime) -> dict[str, Payment]:
    """Return the last holds that were declined since a moment, by booking."""
    rows = await queries.declined_holds(session, since)
    return {row.booking_id or "": payments.payment_of(row) for row in rows}


async def declined_bookings(session: AsyncSession, payer_id: str, since: datetime) -> set[str]:
    """Return the bookings of a payer for which a hold was declined, even if not the last one."""
    return await queries.declined_of(session, payer_id, since)


_REFERRAL_TEXT = "Your friend's first fill-up"


async def credit_referrer(session: AsyncSession, invoice: StoredInvoice) -> None:
    """Credit the referrer of a customer whose first fill was paid; once, and never oneself."""
    friend = await get_row(session, Payer, invoice.payer_id)
    amount = Money(await policies.value(session, REFERRAL_CREDIT))
    if not (friend.person_id and amount.cents):
        return
    if await queries.paid_fills(session, friend.id) > 1:
        return
    referrer_id = await neighborhood.referrer_of(session, friend.person_id)
    if referrer_id is None or await _shares_car(session, friend.person_id, referrer_id):
        return
    referrer = await invoices.payer_of_person(session, referrer_id, lock=True)
    if friend.card_fingerprint and friend.card_fingerprint == referrer.card_fingerprint:
        return
    key = f"referral:{friend.person_id}"
    await payments.add_credit(session, referrer, amount, text=_REFERRAL_TEXT, actor=SYSTEM, key=key)


async def _shares_car(session: AsyncSession, person_id: str, referrer_id: str) -> bool:
    """Return whether both are one person, or share a phone or a plate."""
    known = await account.facts_of(session, [person_id, referrer_id])
    phones = [each.phone for each in known.values() if each.phone]
    plates = [
        {bare_plate(each.license_plate) for each in await vehicles.of_person(session, whose)}
        for whose in (person_id, referrer_id)
    ]
    is_one = person_id == referrer_id or len(set(phones)) < len(phones)
    return is_one or not plates[0].isdisjoint(plates[1])


OPEN_JOB = "billing.open_fill"  # performed by `open_and_settle`: outcomes/jobs.py


def bill_key(booking_id: str, only: str) -> str:
    return ":".join(filter(None, (FILL, booking_id, only)))


async def billed_alone(session: AsyncSession, booking_id: str) -> set[str]:
    """Return the fills of a visit that have a bill of their own."""
    rows = await queries.bills_of(session, booking_id)
    return {invoices.fill_billed(each.key) for each in rows} - {""}


def visit_held_for(invoice: StoredInvoice) -> str:
    """Return the visit whose hold an invoice takes; '' for the bill of one car alone."""
    return "" if invoices.fill_billed(invoice.key) else invoice.booking_id or ""


async def bill_fill(
    session: AsyncSession,
    whose: Whose,
    lines: tuple[Line, ...],
    details: dict[str, Any],
    *,
    only: str = "",
) -> None:
    """Draft the bill of a visit, or rewrite the draft; one without lines will be void.

    Args:
        only: The one car whose fuel it is; '' for all of the visit.

    Raises:
        InvoiceIsOpen: If it is too late to rewrite it.
    """
    key = bill_key(whose.booking_id, only)
    stored = await queries.row_by(session, StoredInvoice, key=key, lock=True)
    if stored is None:
        payer = await lock_payer_of(session, whose)
        more = {"lines": lines, "booking_id": whose.booking_id, "details": details}
        row = await invoices.draft_invoice(session, key=key, kind=FILL, payer=payer, **more)
        run_at = clock.now() + OPENED_AFTER
        await jobs.enqueue(
            session, OPEN_JOB, {"id": row.id}, key=f"{OPEN_JOB}:{row.id}", run_at=run_at
        )
    elif stored.state == DRAFT:
        await queries.rewrite(session, stored, lines, details)
    else:
        raise InvoiceIsOpen


async def bill_late_fee(session: AsyncSession, whose: Whose, amount: Money, text: str) -> None:
    """Open the bill of a late fee; a job settles it after the commit."""
    key = f"{LATE_FEE}:{whose.booking_id}"
    payer = await lock_payer_of(session, whose)
    more = {"lines": [Line(LATE_FEE, text, amount)], "booking_id": whose.booking_id}
    details = {"sold_to": whose.name}
    row = await invoices.draft_invoice(
        session, key=key, kind=LATE_FEE, payer=payer, details=details, **more
    )
    await open_bill(session, row)
    await jobs.enqueue(session, OPEN_JOB, {"id": row.id}, key=f"{OPEN_JOB}:{row.id}")


async def open_bill(session: AsyncSession, row: StoredInvoice) -> None:
    """Open a locked draft, paid by credit as far as there is some; one without lines is void."""
    if not await queries.lines_of(session, row.id):
        await invoices.void_invoice(session, row)
        return
    await invoices.spend_credit(session, row)
    await invoices.open_invoice(session, row)


async def refusals_of(session: AsyncSession, person_ids: Collection[str]) -> dict[str, Refusal]:
    """Return why customers may not book, by person: a debt, or a dispute."""
    debts = await queries.debts(session, person_ids)
    found: dict[str, Refusal] = {
        person_id: PaymentDisputed() for person_id in await queries.disputed(session, person_ids)
    }
    return found | {person_id: PaymentOpen(amount) for person_id, amount in debts.items()}
