"""The charge of a start or a switch up: a draft invoice and a payment first, then the call.

What it pays for happens in the transaction that stores the payment's outcome.
"""

from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.billing.providers import stripe
from fuel_app.billing.rules.invoices import START, SWITCH
from fuel_app.billing.rules.payments import (
    HOSTED,
    NEW,
    SUCCEEDED,
    NoCard,
    PaymentDeclined,
    PaymentPending,
)
from fuel_app.billing.rules.plans import Offer
from fuel_app.billing.service import hosted, invoicing, paying
from fuel_app.billing.service.plan_messages import tell
from fuel_app.billing.tables import CardSetup, Payer, StoredInvoice, StoredPayment
from fuel_app.customers.rules.account import NotVerified
from fuel_app.customers.rules.facts import CustomerFacts
from fuel_app.kit import clock, jobs
from fuel_app.kit.clock import day_of, long_date
from fuel_app.kit.db.rows import get_row
from fuel_app.kit.db.session import reading
from fuel_app.kit.money import Money
from fuel_app.plans.rules.plans import BY_ID
from fuel_app.plans.service import periods, subscriptions

UNSERVED = ", since we can no longer come to your address"
_PROCESS_DIED = timedelta(seconds=30)  # then the job performs the payment


async def begin(
    session: AsyncSession,
    key: str,
    payer: Payer,
    facts: CustomerFacts,
    offer: Offer,
    kind: str,
    *,
    ending: bool,
) -> str:
    """Draft the invoice of an offer, once for its key. Return its payment; '' if credit pays it.

    The payer is locked, so that the credit is as offered.

    Args:
        kind: CHARGE, or HOSTED for a payment that is confirmed on the provider's page.
        ending: Whether the plan ends with its period, as the customer knows.

    Raises:
        NotVerified, NoCard
    """
    if not facts.email_verified:
        raise NotVerified
    if not facts.has_card:
        raise NoCard
    invoice = await invoicing.draft(
        session,
        key=key,
        kind=START if offer.way == "start" else SWITCH,
        payer=payer,
        lines=[line for line in offer.lines if line.kind != "credit"],
        period=day_of(clock.now()),
        details={
            "plan": offer.plan.id,
            "wording": offer.button,
            "person": payer.person_id,
            "ending": ending,
        },
    )
    await invoicing.spend_credit(session, invoice)
    if not invoice.total_cents:
        await invoicing.open_invoice(session, invoice)
        await paying.paid(session, invoice)
        return ""
    key, amount = f"charge:{invoice.id}", Money(invoice.total_cents)
    new = paying.new_payment(key, kind, payer, amount, invoice=invoice)
    payment = await paying.begin(session, new)
    if kind == HOSTED:
        await hosted.add_visit(session, CardSetup(id=payment.id, payer_id=payer.id))
        return payment.id
    again = clock.now() + _PROCESS_DIED
    await jobs.enqueue(session, "billing.payment", {"id": payment.id}, run_at=again)
    return payment.id


async def perform(payment_id: str, *, is_ours: bool) -> None:
    """Charge for the plan that is asked for; the outcome of one that is not ours is awaited.

    Raises:
        PaymentDeclined, PaymentPending
    """
    try:
        payment = await paying.perform(payment_id)
        if payment.kind == HOSTED and payment.state == NEW:  # of a page that is left or forgotten
            await hosted.end(payment_id)
            payment = await paying.perform(payment_id)
    except (stripe.Unavailable, stripe.Rejected):
        raise PaymentPending from None
    if payment.state == NEW:
        raise PaymentPending
    if is_ours and payment.state != SUCCEEDED:
        raise PaymentDeclined(payment.code)


async def open_page(payment_id: str, back: str) -> str:
    """Return the address of the provider's page, where the charge of a plan is confirmed."""
    async with reading() as session:
        payment = await get_row(session, StoredPayment, payment_id)
        payer = await get_row(session, Payer, payment.payer_id)
    return await hosted.open_page(payment, payer, back)


async def _paid(
    session: AsyncSession, invoice: StoredInvoice, _payment: StoredPayment | None
) -> None:
    person_id, plan = invoice.details["person"], BY_ID[invoice.details["plan"]]
    actor = Actor(frozenset({Role.CUSTOMER}), person_id)
    day, is_unserved = invoice.period or day_of(clock.now()), False
    if invoice.kind == START:
        wording, what = invoice.details["wording"], f"{plan.name} started"
        await periods.start(session, person_id, plan.id, day, wording, actor)
    else:
        what = f"Switched to {plan.name}"
        before = await subscriptions.locked(session, person_id)
        # Customers cannot cancel while they pay: it ends as no area serves them any more.
        is_unserved = before.following is None and not invoice.details.get("ending", True)
        await periods.switch(session, person_id, plan.id, day, actor)
    await tell(
        *(session, "plan_changed", person_id, invoice.id),
        plan=plan.name,
        what=what,
        since=long_date(day),
        amount=f"{Money(invoice.total_cents)} charged",
        invoice=invoice.id,  # whose PDF comes along
    )
    if is_unserved:
        await periods.cancel_later(session, person_id, SYSTEM, why=UNSERVED)


async def _declined(
    session: AsyncSession, invoice: StoredInvoice, _payment: StoredPayment | None
) -> None:
    """End the draft: nothing has changed."""
    await invoicing.void(session, invoice)


paying.ON_PAID.update({START: _paid, SWITCH: _paid})
paying.ON_DECLINED.update({START: _declined, SWITCH: _declined})
