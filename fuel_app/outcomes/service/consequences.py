"""What follows from a paid or declined invoice, a changed plan, a new card: by kind, top to bottom.

All in the transaction of its cause; the callers own it. Lock order: invoice, payment, subscription,
booking, payer (docs/decisions/money.md).
"""

from collections.abc import Collection
from datetime import date, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules import invoices as kinds
from fuel_app.billing.rules.payments import FAILED, reason_of
from fuel_app.billing.service import fill_invoices, invoices, payments
from fuel_app.billing.service.payments import Outcome
from fuel_app.billing.tables import Payer, StoredInvoice, StoredPayment
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.service import authorizations, notifications
from fuel_app.bookings.service import changes as booking_changes
from fuel_app.kit import clock, outbox, policies
from fuel_app.kit.clock import day_of, long_date
from fuel_app.kit.money import Money
from fuel_app.kit.policies import policy
from fuel_app.messages import service as messages
from fuel_app.plans.rules.plans import BY_ID, PlanChange
from fuel_app.plans.service import ledger, subscriptions

PLAN_ENDS_AFTER = policy(  # at most before the next renewal
    "plan_ends_after_days", "An unpaid plan ends after", unit="days", default=14, least=7, most=28
)
UNSERVED = ", since we can no longer come to your address"


async def follow(
    session: AsyncSession,
    outcome: Outcome,
    invoice: StoredInvoice | None,
    payment: StoredPayment | None = None,
) -> None:
    """Take the consequences of what has become of an invoice.

    Args:
        payment: None for one that was waived, paid by credit, or has nothing due.
    """
    if invoice is None or not outcome:
        return
    if outcome == "declined" and invoice.kind in (kinds.START, kinds.SWITCH):  # nothing has changed
        await invoices.void_invoice(session, invoice)
        return
    if outcome == "declined" and payment and payment.state != FAILED:
        return  # a page of the provider that expired: nothing to say
    match invoice.kind:
        case kinds.START | kinds.SWITCH:
            await _plan_charge_paid(session, invoice)
        case kinds.RENEWAL if outcome == "declined" and payment:
            await _renewal_declined(session, invoice, payment)
        case kinds.RENEWAL:
            await _renewal_paid(session, invoice, payment, is_late=outcome == "paid_late")
        case _:  # FILL or LATE_FEE
            if invoice.kind == kinds.FILL and outcome != "declined" and invoice.paid_cents:
                await fill_invoices.credit_referrer(session, invoice)
            lines = await queries.lines_of(session, invoice.id)
            settled = invoices.invoice_of(invoice, lines)
            by = payment and payments.payment_of(payment)
            await notifications.invoice_settled(session, settled, by)


async def new_card(session: AsyncSession, payer: Payer) -> None:
    """Settle by a new card what is unpaid, and authorize what the former one held up."""
    for invoice in await queries.open_invoices(session, payer.id):
        await payments.settle_later(session, invoice.id, payments.by_card(payer))
    await authorizations.authorize_new_card(session, payer)


async def lock_plans(session: AsyncSession, people: Collection[str]) -> None:
    """Lock subscriptions, and the bookings that they cover: before payers and the ledger."""
    await subscriptions.subscriptions_of(session, people, lock=True)
    await booking_changes.claims_on_plans(session, people)


async def plans_changed(session: AsyncSession, *changes: PlanChange | None) -> list[Booking]:
    """Fit the ledger and the bookings to plans that have changed, whose rows are locked.

    Where the next period has become too small the latest bookings lose their fill; where a plan has
    more fills by now it covers bookings that had a fee.

    Returns:
        The bookings whose fee is not due any more.
    """
    made = [each for each in changes if each and each.before != each.after]
    if not made:
        return []
    after = {each.after.person_id: each.after for each in made}
    gaining = {each.after.person_id for each in made if each.adds_fills}
    claims = await booking_changes.claims_on_plans(session, after, gaining)
    await ledger.roll_over(session, made)
    covered = await ledger.fit_to_plan(session, after, claims)
    switched = [each.after.person_id for each in made if each.before.plan != each.after.plan]
    return await booking_changes.follow_plans(session, covered, switched)


async def dunning_ends_on(session: AsyncSession, invoice: StoredInvoice) -> date:
    """Return the day on which a plan ends whose invoice is not paid."""
    days = await policies.value(session, PLAN_ENDS_AFTER)
    return day_of(invoice.opened_at or invoice.created_at) + timedelta(days=days)


async def notify_plan(
    session: AsyncSession, kind: str, person_id: str, key: str, **values: object
) -> None:
    """Queue a message to a customer, once for its kind and key."""
    payload = {name: str(value) for name, value in values.items()}
    await outbox.add_all(session, messages.drafts(kind, person_id, payload, key=f"{kind}:{key}"))


async def _plan_charge_paid(session: AsyncSession, invoice: StoredInvoice) -> None:
    person_id, plan = invoice.details["person"], BY_ID[invoice.details["plan"]]
    actor = Actor(frozenset({Role.CUSTOMER}), person_id)
    day, is_unserved = invoice.period or day_of(clock.now()), False
    if invoice.kind == kinds.START:
        wording, what = invoice.details["wording"], f"{plan.name} started"
        change = await subscriptions.start_plan(session, person_id, plan.id, day, wording, actor)
    else:
        what = f"Switched to {plan.name}"
        before = await subscriptions.lock_one(session, person_id)
        # Customers cannot cancel while they pay: it ends as no area serves them any more.
        is_unserved = before.following is None and not invoice.details.get("ending", True)
        change = await subscriptions.switch_now(session, person_id, plan.id, day, actor)
    spared = await plans_changed(session, change)
    await notify_plan(
        session,
        "plan_changed",
        person_id,
        invoice.id,
        plan=plan.name,
        what=what,
        since=long_date(day),
        amount=f"{Money(invoice.total_cents)} charged",
        invoice=invoice.id,  # whose PDF comes along
        covers="; ".join(each.when for each in spared),
    )
    if is_unserved:
        ending = await subscriptions.cancel_later(session, person_id, SYSTEM, why=UNSERVED)
        await plans_changed(session, ending)


async def _renewal_paid(
    session: AsyncSession, invoice: StoredInvoice, payment: StoredPayment | None, *, is_late: bool
) -> None:
    person_id, plan = invoice.details["person"], BY_ID[invoice.details["plan"]]
    if payment is None or is_late or payment.key != f"charge:{invoice.id}:day0":
        change = await subscriptions.set_paid(session, person_id, invoice.period, is_paid=True)
        await plans_changed(session, change)
    if payment:
        await notify_plan(
            session,
            "receipt",
            person_id,
            invoice.id,
            number=invoices.invoice_of(invoice).name,
            what=f"your {plan.name}",
            amount=Money(invoice.paid_cents),
            invoice=invoice.id,
        )


async def _renewal_declined(
    session: AsyncSession, invoice: StoredInvoice, payment: StoredPayment
) -> None:
    """Note that the plan is past due, and tell the customer why, until when, and what it ends."""
    person_id, plan = invoice.details["person"], BY_ID[invoice.details["plan"]]
    change = await subscriptions.set_paid(session, person_id, invoice.period, is_paid=False)
    await plans_changed(session, change)
    until = await dunning_ends_on(session, invoice)
    await notify_plan(
        session,
        "payment_failed",
        person_id,
        payment.id,
        payment=payment.id,
        what=f"your {plan.name}",
        amount=invoices.due_of(invoice),
        reason=reason_of(payment.code),
        until=f"{long_date(until)}, when the plan ends",
    )
