"""Payments that the customer confirms on the provider's page, where their bank asks for it."""

from datetime import timedelta

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app import routes
from fuel_app.accounts.rules import Session
from fuel_app.billing.providers import stripe
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.cards import ProviderDown
from fuel_app.billing.rules.invoices import DRAFT, OPEN, InvoiceGone
from fuel_app.billing.rules.payments import CANCELLED, HOSTED, NEW, PaymentPending
from fuel_app.billing.service import invoicing, payers, paying
from fuel_app.billing.tables import CardSetup, Payer, StoredInvoice, StoredPayment
from fuel_app.kit import jobs
from fuel_app.kit.clock import now
from fuel_app.kit.db.rows import find_row, get_row
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.throttle import PAYMENTS, throttle
from fuel_app.settings import settings

END = "billing.end_visit"
_VISIT_LASTS = timedelta(hours=1)


async def begin_payment(by: Session, invoice_id: object, back: str) -> str:
    """Begin a payment of one's own open invoice. Return the address of the provider's page.

    A former visit ends with it, so that nothing is paid twice.

    Args:
        back: The address of our page, to which the provider leads back as `{back}?payment=<visit>`.

    Raises:
        InvoiceGone: If it is not theirs, or not open.
        PaymentPending: If a charge is under way, or another tab has just begun a visit.
        ProviderDown
    """
    await throttle().spend(PAYMENTS, by.person_id)
    known_id = well_formed_id(invoice_id) or ""
    try:
        if under_way := await _under_way(by, known_id):
            await end(under_way)
    except (stripe.Unavailable, stripe.Rejected):
        raise ProviderDown from None
    payment, payer = await _payment(by, known_id)
    return await open_page(payment, payer, back)


async def open_page(payment: StoredPayment, payer: Payer, back: str) -> str:
    """Open the provider's page for a hosted payment with its visit. Return the page's address.

    One without an invoice is only a hold. Where no page opens the payment is given up at once, so
    that it is not in the way of anything.

    Args:
        back: The address of our page, to which the provider leads back as `{back}?payment=<visit>`,
            or `{back}?left=<payment>` where the customer leaves the page without confirming.

    Raises:
        PaymentPending: If the payment was ended meanwhile, as by another tab.
        ProviderDown
    """
    try:
        visit = await stripe.begin_hosted(
            payment.id,
            customer_id=payer.provider_id,
            amount=Money(payment.amount_cents),
            text=settings.brand_name,
            success_url=f"{back}?{routes.PAYMENT_VISIT}={{CHECKOUT_SESSION_ID}}",
            cancel_url=f"{back}?{routes.LEFT_VISIT}={payment.id}",
            only_hold=payment.invoice_id is None,
        )
    except (stripe.Unavailable, stripe.Rejected):
        await end(
            payment.id
        )  # no customer has the page's address, even if only its answer was lost
        raise ProviderDown from None
    try:
        if not await begun(payment.id, visit.id):
            await stripe.expire_session(visit.id)
            raise PaymentPending
    except (stripe.Unavailable, stripe.Rejected):
        raise ProviderDown from None
    return visit.url


async def _under_way(by: Session, invoice_id: str) -> str:
    """Return the id of one's own payment that waits for its confirmation; empty without one."""
    async with reading() as session:
        row = await queries.new_payment(session, invoice_id)
        if row is None or row.kind != HOSTED:
            return ""
        payer = await get_row(session, Payer, row.payer_id)
        return row.id if payer.person_id == by.person_id else ""


async def _payment(by: Session, invoice_id: str) -> tuple[StoredPayment, Payer]:
    async with transaction() as session:
        invoice = await find_row(session, StoredInvoice, invoice_id, lock=True)
        payer = await payers.of_person(session, by.person_id)
        if invoice is None or invoice.payer_id != payer.id or invoice.state != OPEN:
            raise InvoiceGone
        if await queries.new_payment(session, invoice_id):
            raise PaymentPending
        number = len(await queries.payments_of(session, invoice_id))
        key, due = f"hosted:{invoice_id}:{number}", invoicing.due_of(invoice)
        new = paying.new_payment(key, HOSTED, payer, due, invoice=invoice)
        row = await paying.begin(session, new)
        await add_visit(session, CardSetup(id=row.id, payer_id=payer.id))
        return row, payer


async def add_visit(session: AsyncSession, visit: CardSetup) -> CardSetup:
    """Store a visit, and the job that ends it for a browser that never comes back."""
    session.add(visit)
    later = now() + _VISIT_LASTS
    await jobs.enqueue(session, END, {"id": visit.id}, key=f"{END}:{visit.id}", run_at=later)
    return visit


async def begun(setup_id: str, session_id: str) -> bool:
    """Store the provider's id of a visit. Return False if its payment has ended meanwhile."""
    async with transaction() as session:
        payment = await find_row(session, StoredPayment, setup_id, lock=True)
        theirs = update(CardSetup).where(col(CardSetup.id) == setup_id)
        await session.execute(theirs.values(session_id=session_id))
        return payment is None or payment.state == NEW


async def end(payment_id: str) -> bool:
    """End the visit of a payment: what was confirmed is stored, anything else is cancelled.

    A draft that was to be paid there, for a plan, is void.

    Returns:
        False where its outcome is still open.

    Raises:
        Unavailable
    """
    async with reading() as session:
        setup = await session.get_one(CardSetup, payment_id)
    if setup.session_id:  # else no browser has its address
        await stripe.expire_session(setup.session_id)
        visit = await stripe.checkout_session(setup.session_id)
        if visit.is_complete:
            await paying.sync(visit.intent_id)
            async with reading() as session:
                return (await get_row(session, StoredPayment, payment_id)).state != NEW
    async with transaction() as session:
        row = await get_row(session, StoredPayment, payment_id)
        invoice = await find_row(session, StoredInvoice, row.invoice_id, lock=True)
        row = await get_row(session, StoredPayment, payment_id, lock=True)
        if (await session.get_one(CardSetup, payment_id)).session_id != setup.session_id:
            return False  # a browser has its address since
        if row.state != NEW:
            return True
        row.state, row.settled_at = CANCELLED, now()
        if invoice and invoice.state == DRAFT:
            await invoicing.void(session, invoice)
        return True
