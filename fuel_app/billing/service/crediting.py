"""Corrections of invoices, and credit for customers; in the caller's transaction."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor
from fuel_app.billing.queries import accounts, refunds
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.corrections import TO_CARD, TO_CREDIT, WAIVED, most_of
from fuel_app.billing.rules.invoices import PAID, UNCOLLECTIBLE
from fuel_app.billing.rules.journal import CUSTOMER_CREDIT, PROMOTIONS, RECEIVABLE, RETURNS
from fuel_app.billing.rules.payments import TooMuch
from fuel_app.billing.service import invoicing, payers, paying, refunding
from fuel_app.billing.service.journal import post
from fuel_app.billing.tables import CreditEntry, CreditNote, Payer, StoredInvoice
from fuel_app.kit.db.rows import get_row
from fuel_app.kit.money import Money


async def note(
    session: AsyncSession,
    invoice: StoredInvoice,
    amount: Money,
    way: str,
    *,
    reason: str,
    actor: Actor,
    key: str,
) -> CreditNote:
    """Correct a locked invoice; the same key returns the same credit note.

    Args:
        way: `WAIVED`: off what is due. `TO_CARD`, `TO_CREDIT`: back, of what was paid.

    Raises:
        TooMuch: If that is more than is due, or than was paid and has not gone back.
    """
    if known := await refunds.credit_note(session, key):
        return known
    if not Money(0) < amount <= most_of(invoicing.invoice_of(invoice), way):
        raise TooMuch
    row = CreditNote(
        key=key,
        number=await queries.next_number(session, "credit_note"),
        invoice_id=invoice.id,
        way=way,
        amount_cents=amount.cents,
        reason=reason,
        actor=str(actor),
    )
    session.add(row)
    await session.flush()
    account = CUSTOMER_CREDIT if way == TO_CREDIT else RECEIVABLE
    await post(session, f"note:{row.id}", RETURNS, account, amount, invoice_id=invoice.id)
    if way == WAIVED:
        await _waive(session, invoice, amount)
    else:
        invoice.refunded_cents += amount.cents
        await session.flush()
        await (_to_card if way == TO_CARD else _to_credit)(session, invoice, row)
    return row


async def _waive(session: AsyncSession, invoice: StoredInvoice, amount: Money) -> None:
    if invoice.state == UNCOLLECTIBLE:
        key = f"waived:{invoice.id}:{invoice.waived_cents}"
        await post(session, key, RECEIVABLE, invoicing.BAD_DEBT, amount, invoice_id=invoice.id)
    invoice.waived_cents += amount.cents
    if not invoicing.due_of(invoice).cents:
        invoice.state = PAID
    await session.flush()
    if invoice.state == PAID:
        await paying.paid(session, invoice)


async def _to_card(session: AsyncSession, invoice: StoredInvoice, row: CreditNote) -> None:
    """Return an amount to the cards that it came from, the last payment first."""
    left = Money(row.amount_cents)
    for payment in reversed(await queries.payments_of(session, invoice.id)):
        part = min(left, await refunding.refundable(session, payment))
        if part.cents > 0:
            await refunding.begin(session, payment, part, credit_note_id=row.id)
            left -= part
    if left.cents:
        raise TooMuch


async def _to_credit(session: AsyncSession, invoice: StoredInvoice, row: CreditNote) -> None:
    payer = await get_row(session, Payer, invoice.payer_id, lock=True)
    about = {"text": row.reason, "actor": row.actor}
    await payers.change_credit(session, payer, f"note:{row.id}", row.amount_cents, **about)


async def give_credit(
    session: AsyncSession, payer: Payer, amount: Money, *, text: str, actor: Actor, key: str
) -> None:
    """Give a locked payer credit; the same key again does nothing."""
    if await accounts.has(session, CreditEntry.key, key):
        return
    await payers.change_credit(session, payer, key, amount.cents, text, str(actor))
    await post(session, f"credit:{key}", PROMOTIONS, CUSTOMER_CREDIT, amount)
