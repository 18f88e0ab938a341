"""Charges: asking Stripe, storing the outcome with its consequences, settling open invoices.

A fill's draft is opened 15 minutes after Done, then settled. Each outcome and what follows from it
are one transaction: `follow` says what, by the invoice's kind.
"""

from contextlib import suppress

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Session
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import Intent, Rejected
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.corrections import WAIVED
from fuel_app.billing.rules.invoices import DRAFT, LEAST_CHARGE, OPEN, PAID, InvoiceGone
from fuel_app.billing.rules.payments import (
    AUTHORIZED,
    CHARGE,
    FAILED,
    HOLD,
    HOSTED,
    NEW,
    Payment,
    PaymentDeclined,
    PaymentPending,
    ProviderDown,
)
from fuel_app.billing.service import fill_invoices, invoices, payments
from fuel_app.billing.tables import Payer, StoredInvoice, StoredPayment
from fuel_app.bookings.service import fills
from fuel_app.kit.db.session import find_row, get_row, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.money import Money
from fuel_app.kit.throttle import PAYMENTS, throttle
from fuel_app.outcomes.service import consequences


async def open_and_settle(invoice_id: str) -> None:
    """Open the draft of a fill, settle it by the hold and a charge, and release what is left.

    Raises:
        stripe.Unavailable: If an outcome is not known; a second call goes on.
    """
    async with transaction() as session:
        row = await find_row(session, StoredInvoice, invoice_id, lock=True)
        if row is None:
            return
        booking_id, held_for = row.booking_id or "", fill_invoices.visit_held_for(row)
        if row.state == DRAFT:
            await fills.use_plan_fills(session, booking_id)
            await fill_invoices.open_bill(session, row)
            if row.state == PAID:
                await consequences.follow(session, "paid", row)
    async with transaction() as session:
        unknown = [each.id for each in await queries.holds_of(session, held_for, NEW)]
    for payment_id in unknown:
        await fill_invoices.perform_authorization(payment_id)
    await settle_invoice(invoice_id, "first")
    async with transaction() as session:
        await fill_invoices.release_authorizations(session, held_for)


async def perform_payment(payment_id: str) -> Payment:
    """Ask Stripe for a new payment and store the outcome; one that has an outcome is returned.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    payment, intent = await payments.ask_about(payment_id)
    return await store_outcome(payment_id, intent) if intent else payment


async def sync_payment(intent_id: str) -> bool:
    """Read a payment of Stripe anew and store its outcome. Return whether it is one of ours."""
    try:
        intent = await stripe.read_intent(intent_id)
    except Rejected:
        return False
    async with reading() as session:
        row = await find_row(session, StoredPayment, intent.payment_id)
    if row is None:
        return False
    await store_outcome(row.id, intent)
    return True


async def store_outcome(payment_id: str, intent: Intent) -> Payment:
    """Store what Stripe says of a payment, with all consequences."""
    async with transaction() as session:
        row = await get_row(session, StoredPayment, payment_id)
        invoice = await find_row(session, StoredInvoice, row.invoice_id, lock=True)
        row = await get_row(session, StoredPayment, payment_id, lock=True)
        if payments.may_become(row, intent):
            if invoice and invoice.state == DRAFT:  # it starts or switches a plan
                payer = await get_row(session, Payer, invoice.payer_id)
                await consequences.lock_plans(session, [payer.person_id or ""])
            outcome = await payments.apply_outcome(session, row, intent, invoice)
            await consequences.follow(session, outcome, invoice, row)
        return payments.payment_of(row)


async def release_authorization(payment_id: str) -> None:
    """Release an authorization, whose outcome may not be known yet; one that has ended stays so.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    await fill_invoices.perform_authorization(payment_id)
    async with reading() as session:
        row = await get_row(session, StoredPayment, payment_id)
    if row.state == AUTHORIZED and row.provider_id:
        intent = await stripe.release(row.provider_id, key=f"release:{row.id}")
        await store_outcome(payment_id, intent)


async def begin_hosted_payment(by: Session, invoice_id: object, back: str) -> str:
    """Begin a payment of one's own open invoice. Return the address of the provider's page.

    A former checkout ends with it, so that nothing is paid twice.

    Args:
        back: The address of our page. The provider leads back to `{back}?payment=<checkout>`.

    Raises:
        InvoiceGone: If it is not theirs, or not open.
        PaymentPending: If a charge is under way, or another tab has just begun a checkout.
        ProviderDown
    """
    await throttle().spend(PAYMENTS, by.person_id)
    known_id = well_formed_id(invoice_id) or ""
    try:
        if under_way := await _under_way(by, known_id):
            await end_checkout(under_way)
    except (stripe.Unavailable, stripe.Rejected):
        raise ProviderDown from None
    payment, payer = await _open_invoice_payment(by, known_id)
    return await payments.open_page(payment, payer, back)


async def _under_way(by: Session, invoice_id: str) -> str:
    """Return the id of one's own payment that waits for its confirmation; empty without one."""
    async with reading() as session:
        row = await queries.new_payment(session, invoice_id)
        if row is None or row.kind != HOSTED:
            return ""
        payer = await get_row(session, Payer, row.payer_id)
        return row.id if payer.person_id == by.person_id else ""


async def _open_invoice_payment(by: Session, invoice_id: str) -> tuple[StoredPayment, Payer]:
    async with transaction() as session:
        invoice = await find_row(session, StoredInvoice, invoice_id, lock=True)
        payer = await invoices.payer_of_person(session, by.person_id)
        if invoice is None or invoice.payer_id != payer.id or invoice.state != OPEN:
            raise InvoiceGone
        if await queries.new_payment(session, invoice_id):
            raise PaymentPending
        number = len(await queries.payments_of(session, invoice_id))
        key, due = f"hosted:{invoice_id}:{number}", invoices.due_of(invoice)
        row = await payments.begin_payment(session, key, HOSTED, payer, due, invoice=invoice)
        return row, payer


async def end_checkout(payment_id: str) -> bool:
    """End the checkout of a payment: what was confirmed is stored, anything else is cancelled.

    A draft that was to be paid there, for a plan, is void.

    Returns:
        False where its outcome is still open.

    Raises:
        stripe.Unavailable
    """
    page_id, intent = await payments.close_page(payment_id)
    if intent:
        return not (await store_outcome(payment_id, intent)).is_pending
    async with transaction() as session:
        return await payments.cancel_unconfirmed(session, payment_id, page_id)


async def settle_invoice(invoice_id: str, attempt: str) -> Payment | None:
    """Settle an open invoice: by the hold of its booking, else and for the rest by a charge.

    The same attempt charges once. Return the last payment; None where nothing is due.

    Raises:
        stripe.Unavailable: If the outcome is not known; the same attempt goes on.
    """
    last: Payment | None = None
    while True:
        async with transaction() as session:
            invoice = await find_row(session, StoredInvoice, invoice_id, lock=True)  # before holds
            if invoice is None or invoice.state != OPEN:
                return last
            due = invoices.due_of(invoice)
            holds = await queries.holds_of(session, fill_invoices.visit_held_for(invoice))
            if holds and due >= LEAST_CHARGE:
                row = holds[0]
                row.invoice_id = invoice_id
            else:
                row = await _charge_rest(session, invoice, due, attempt)
        if row is None:
            continue
        if row.kind == HOLD:
            intent = await _capture(row, min(due, Money(row.amount_cents)))
            last = await store_outcome(row.id, intent)
            if last.state == AUTHORIZED:  # Stripe captures nothing of it just now
                raise stripe.Unavailable(last.id)
        elif row.kind == HOSTED:
            if not await end_checkout(row.id):  # the bank is still at it
                raise stripe.Unavailable(row.id)
        else:
            return await perform_payment(row.id)


async def _capture(hold: StoredPayment, amount: Money) -> Intent:
    """Capture a part of a hold; Stripe releases the rest. One that has ended is read instead.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    provider_id, key = hold.provider_id or "", f"capture:{hold.id}:{amount.cents}"
    try:
        return await stripe.capture(provider_id, amount=amount, key=key)
    except Rejected as rejected:
        payments.log.warning("payment.not_captured", payment=hold.id, code=rejected.code)
        return await stripe.read_intent(provider_id)


async def _charge_rest(
    session: AsyncSession, invoice: StoredInvoice, due: Money, attempt: str
) -> StoredPayment | None:
    """Return the charge of an attempt; another one that is still under way is waited for.

    None where so little is due that it was waived.
    """
    under_way = await queries.new_payment(session, invoice.id)
    if under_way:
        return under_way
    if due < LEAST_CHARGE:
        about = {"reason": "Too little to charge", "actor": SYSTEM, "key": f"little:{invoice.id}"}
        await payments.add_credit_note(session, invoice, due, WAIVED, **about)
        await consequences.follow(session, "paid", invoice)
        return None
    payer = await get_row(session, Payer, invoice.payer_id)
    key = f"charge:{invoice.id}:{attempt}"
    return await payments.begin_payment(session, key, CHARGE, payer, due, invoice=invoice)


async def settle_open(person_id: str) -> None:
    """Settle what a customer owes by a new card, as its jobs do, which go on if this ends early."""
    async with reading() as session:
        payer = await queries.row_by(session, Payer, person_id=person_id)
        if payer is None or not payer.card_id:
            return
        owed = await queries.open_invoices(session, payer.id)
    with suppress(stripe.Unavailable):  # the first timeout is enough for who waits
        for invoice in owed:
            await settle_invoice(invoice.id, payments.by_card(payer))


async def pay_now(by: Session, invoice_id: object) -> None:
    """Charge one's own open invoice to the card.

    Raises:
        InvoiceGone: If it is not theirs.
        PaymentDeclined: With the reason.
        PaymentPending: If the outcome is not known; a job goes on.
    """
    known_id = well_formed_id(invoice_id) or ""
    await throttle().spend(PAYMENTS, by.person_id)
    async with transaction() as session:
        invoice = await find_row(session, StoredInvoice, known_id, lock=True)
        payer = await invoices.payer_of_person(session, by.person_id)
        if invoice is None or invoice.payer_id != payer.id:
            raise InvoiceGone
        attempt = await payments.begin_payment_now(session, invoice)
    await settle_now(known_id, attempt)


async def settle_now(invoice_id: str, attempt: str) -> None:
    """Settle an invoice while its customer waits.

    Raises:
        PaymentDeclined: With the reason.
        PaymentPending: If the outcome is not known; a job goes on.
    """
    try:
        payment = await settle_invoice(invoice_id, attempt)
    except stripe.Unavailable:
        raise PaymentPending from None
    if payment and payment.state == FAILED:
        raise PaymentDeclined(payment.code)
