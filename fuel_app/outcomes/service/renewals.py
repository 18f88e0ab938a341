"""Renewals of plans: one invoice a period, then the charge; dunning while it is not paid.

Each step finds what an earlier run has left, so a process may die anywhere. Ten customers are
renewed in a transaction: one alone takes some 40 statements, among ten eight.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM, Actor
from fuel_app.billing.providers.stripe import Intent
from fuel_app.billing.queries import payers as queries
from fuel_app.billing.rules.invoices import OPEN, RENEWAL, Line, sum_of
from fuel_app.billing.rules.payments import CHARGE, FAILED, OPEN_STATES, PaymentPending
from fuel_app.billing.rules.plans import lines_of, with_credit
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.tables import Payer, StoredInvoice, StoredPayment
from fuel_app.customers.service import account as customers
from fuel_app.kit import clock, outbox
from fuel_app.kit.clock import day_of, long_date
from fuel_app.kit.db.session import find_row, get_rows, reading, transaction
from fuel_app.messages import service as messages
from fuel_app.outcomes.service import charges, consequences, plans
from fuel_app.plans.rules.plans import Plan, SubscriptionInfo
from fuel_app.plans.service import subscriptions


async def charge_all(payment_ids: Sequence[str]) -> None:
    """Perform new charges, each as `charges.perform_payment` does.

    Raises:
        stripe.Unavailable: If the outcome of one is not known; all others are stored.
    """
    async with reading() as session:
        rows = list((await get_rows(session, StoredPayment, payment_ids)).values())
        known = await get_rows(session, Payer, {row.payer_id for row in rows})
    calls = [payments.ask_provider(row, known[row.payer_id]) for row in rows]
    answers = await asyncio.gather(*calls, return_exceptions=True)
    pairs = zip(rows, answers, strict=True)
    outcomes = {row.id: each for row, each in pairs if not isinstance(each, BaseException)}
    try:
        async with transaction() as session:
            await _store_outcomes(session, rows, outcomes)
    except Exception:  # of one, which must not hold up the others
        for payment_id, intent in outcomes.items():
            await charges.store_outcome(payment_id, intent)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer


async def _store_outcomes(
    session: AsyncSession, asked: Sequence[StoredPayment], outcomes: dict[str, Intent]
) -> None:
    invoice_ids = {row.invoice_id for row in asked if row.invoice_id}
    known = await get_rows(session, StoredInvoice, invoice_ids, lock=True)
    _kept = await get_rows(session, Payer, {row.payer_id for row in asked})  # one query for all
    for row in (await get_rows(session, StoredPayment, outcomes, lock=True)).values():
        if row.state in OPEN_STATES:
            invoice = known.get(row.invoice_id or "")
            outcome = await payments.apply_outcome(session, row, outcomes[row.id], invoice)
            await consequences.follow(session, outcome, invoice, row)


RETRY_DAYS = (1, 3, 5, 7)  # days after the renewal
NOTICE_DAYS = 3  # days
_PAGE = 100


@dataclass(slots=True)
class _Work:
    """The charges that follow from one transaction."""

    first: list[str] = field(default_factory=list)  # payments of new periods
    again: list[tuple[str, str]] = field(default_factory=list)  # unpaid invoices, with the attempt
    waiting: bool = False  # for a switch that is being paid


async def renew(people: Sequence[str]) -> None:
    """Renew the plans whose period has ended; try unpaid ones again, or end them.

    Raises:
        stripe.Unavailable: If the outcome of a charge is not known: call it again.
        PaymentPending: If a switch is still being paid: call it again.
    """
    today = day_of(clock.now())
    try:
        async with transaction() as session:
            work = await _prepare(session, people, today)
    except Exception:
        if len(people) == 1:
            raise
        await _one_by_one(people)
        return
    if work.first:
        await charge_all(work.first)
    for invoice_id, attempt in work.again:
        payment = await charges.settle_invoice(invoice_id, attempt)
        if payment and payment.state == FAILED:
            await _end_unpaid(invoice_id, today)
    if work.waiting:
        raise PaymentPending


async def _one_by_one(people: Sequence[str]) -> None:
    """Renew each by itself, since one of them has an error, and raise that at the end."""
    problem: Exception | None = None
    for person_id in people:
        try:
            await renew([person_id])
        except Exception as error:
            problem = error
    if problem:
        raise problem


async def _prepare(session: AsyncSession, people: Sequence[str], today: date) -> _Work:
    """Begin the periods that are due, and say what has to be charged."""
    before = await subscriptions.subscriptions_of(session, people, lock=True)
    pending = await queries.with_payment_under_way(session, people)
    work = _Work(waiting=bool(pending))
    ended = []
    for person_id, each in before.items():
        if person_id in pending or not each.period_starts or not each.period_ends:
            continue
        if each.is_active and each.period_ends <= today:
            ended.append(person_id)
            continue
        row = await queries.invoice_of_period(session, person_id, each.period_starts)
        if row and row.state == OPEN and row.opened_at:
            elapsed = (today - day_of(row.opened_at)).days
            day = max((day for day in RETRY_DAYS if day <= elapsed), default=0)
            work.again.append((row.id, f"day{day}"))
    if ended:
        work.first = await _renew_all(session, ended)
    return work


async def _renew_all(session: AsyncSession, ended: Sequence[str]) -> list[str]:
    """Begin the periods of today and open their invoices; those that were missed cost nothing.

    Who was deactivated by the staff is left out.

    Returns:
        The payments to perform; none where nothing is due.
    """
    facts = await customers.facts_of(session, ended)
    terms = await plans.terms_of(session, facts)
    last: dict[str, SubscriptionInfo] = {}
    due = list(facts)
    while due:
        begun = await subscriptions.renew_all(session, due)
        await consequences.plans_changed(session, *begun.values())
        last |= {person_id: change.after for person_id, change in begun.items()}
        due = list(begun)
    known = await invoices.payers_of(session, last, lock=True)
    new: list[tuple[Payer, StoredInvoice, list[Line]]] = []
    for person_id, each in last.items():
        if each.is_active and each.period_starts:
            payer = known[person_id]  # who has paid for the start
            lines = lines_of(each.plan, each.period_starts, terms[person_id])
            row = _invoice(person_id, payer, each.plan, each.period_starts)
            new.append((payer, row, list(lines)))
    await invoices.open_all(session, new)
    due_charges = [
        payments.new_payment(
            f"charge:{row.id}:day0", CHARGE, payer, invoices.due_of(row), invoice=row
        )
        for payer, row, _ in new
        if row.state == OPEN
    ]
    session.add_all(due_charges)
    await session.flush()
    return [row.id for row in due_charges]


def _invoice(person_id: str, payer: Payer, plan: Plan, starts: date) -> StoredInvoice:
    return StoredInvoice(
        key=f"renewal:{person_id}:{starts}",
        kind=RENEWAL,
        payer_id=payer.id,
        period=starts,
        total_cents=0,
        details={"plan": plan.id, "person": person_id},
    )


async def write_off_renewal(session: AsyncSession, invoice: StoredInvoice, actor: Actor) -> None:
    """Give up what is due of a locked open invoice; the plan that it was to renew ends."""
    await invoices.write_off_invoice(session, invoice)
    if invoice.kind == RENEWAL:
        change = await subscriptions.end_plan(session, invoice.details["person"], actor)
        await consequences.plans_changed(session, change)


async def _end_unpaid(invoice_id: str, today: date) -> None:
    """End a plan that was not paid for too long, and write its invoice off."""
    async with transaction() as session:
        invoice = await find_row(session, StoredInvoice, invoice_id, lock=True)
        still_open = invoice is not None and invoice.state == OPEN
        if invoice and still_open and today >= await consequences.dunning_ends_on(session, invoice):
            await write_off_renewal(session, invoice, SYSTEM)


async def notify_coming(today: date) -> None:
    """Queue a message for each plan that renews within three days, once for a period.

    It says the exact amount.
    """
    first_day, last_day = today + timedelta(days=1), today + timedelta(days=NOTICE_DAYS)
    coming = await subscriptions.renewing(first_day, last_day)
    for first in range(0, len(coming), _PAGE):
        page = coming[first : first + _PAGE]
        drafts: list[outbox.Draft] = []
        async with transaction() as session:
            facts = await customers.facts_of(session, [each.person_id for each in page])
            terms = await plans.terms_of(session, facts)
            for each in page:
                if each.person_id not in facts:
                    continue
                [_, (period, plan)] = each.periods
                known = terms[each.person_id]
                amount = sum_of(with_credit(lines_of(plan, period.starts, known), known.credit))
                payload = {
                    "plan": plan.name,
                    "amount": str(amount),
                    "day": long_date(period.starts),
                }
                key = plans.coming_key(each)
                drafts += messages.drafts("renewal_coming", each.person_id, payload, key=key)
            await outbox.add_all(session, drafts)
