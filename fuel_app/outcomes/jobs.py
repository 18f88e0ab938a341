"""Jobs of payments: each goes on where a process has died, and asks again with the same keys."""

from collections.abc import Awaitable, Callable
from datetime import datetime, time, timedelta

import structlog

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in import objects
from fuel_app.billing.providers.stripe import Rejected, Unavailable
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.queries.reports import differences
from fuel_app.billing.rules.payments import AUTHORIZED
from fuel_app.billing.service import cards, fill_invoices, payments
from fuel_app.billing.tables import Refund, StoredPayment
from fuel_app.kit import jobs, metrics
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs import Job
from fuel_app.outcomes.service import charges, checkouts, renewals, webhooks
from fuel_app.plans.service import subscriptions

log = structlog.get_logger()

_LATE = timedelta(minutes=30)
_SOME = 100
_AWAY = 3  # calls without an answer in a row


def _by_id(perform: Callable[[str], Awaitable[object]]) -> Callable[[Job], Awaitable[None]]:
    async def run(job: Job) -> None:
        await perform(job.payload["id"])

    return run


for _kind, _perform in {
    "billing.payment": charges.perform_payment,  # whose process may have died
    fill_invoices.OPEN_JOB: charges.open_and_settle,
    fill_invoices.RELEASE: charges.release_authorization,
    payments.REFUND_JOB: payments.perform_refund,
    webhooks.WEBHOOK_JOB: webhooks.handle,
    payments.END_CHECKOUT: checkouts.expire_checkout,
}.items():
    jobs.handler(_kind)(_by_id(_perform))


@jobs.handler(payments.SETTLE_JOB)
async def settle(job: Job) -> None:
    """Settle an open invoice."""
    await charges.settle_invoice(job.payload["id"], job.payload["attempt"])


@jobs.handler(objects.JOB)
async def deliver(job: Job) -> None:
    """Deliver an event of the stand-in as Stripe would."""
    await webhooks.receive(*objects.signed(job.id, job.payload))


@jobs.handler(cards.DETACH)
async def detach_card(job: Job) -> None:
    """Detach a card that was replaced or removed."""
    try:
        await stripe.detach_card(job.payload["card_id"])
    except stripe.Rejected as gone:
        raise jobs.GiveUp(gone.code) from None


@jobs.scheduled("billing.reconcile", jobs.every(timedelta(minutes=30)))
async def reconcile(now: datetime) -> int:
    """Find the outcome of payments and refunds whose jobs have given up, as after a day's outage.

    Each is tried by itself, those not tried for the longest time first. While Stripe is away all
    wait for the next run. Return how many are left, with those that were not tried.
    """
    before = now - _LATE
    async with reading() as session:
        found = await queries.late_payments(session, before, _SOME)
    unanswered = 0
    for row in found:
        async with transaction() as session:
            await queries.note_try(session, row, now)
        try:
            await _learn_outcome(row)
            unanswered = 0
        except Unavailable:
            unanswered += 1
            if unanswered == _AWAY:
                log.warning("billing.provider_away")
                break
        except Exception as problem:
            unanswered = 0
            kind, reason = type(row).__tablename__, f"{type(problem).__name__}: {problem}"
            log.error("billing.not_reconciled", kind=kind, id=row.id, reason=reason)
    async with reading() as session:
        left = await queries.count_late(session, before)
    metrics.MONEY_UNKNOWN.set(left)
    return left


async def _learn_outcome(row: StoredPayment | Refund) -> None:
    if isinstance(row, Refund) and row.provider_id:
        if not await payments.sync_refund(row.provider_id):
            raise Rejected("resource_missing")
    elif isinstance(row, Refund):
        await payments.perform_refund(row.id)
    elif row.invoice_id and row.state == AUTHORIZED:
        await charges.settle_invoice(row.invoice_id, f"again:{row.id}")
    else:
        await charges.perform_payment(row.id)


@jobs.scheduled("billing.compare", jobs.daily(time(2, 45)))
async def compare(_now: datetime) -> int:
    """Log invoices and credit balances that do not add up, and repair none. Return how many."""
    async with reading() as session:
        wrong = await differences(session, _SOME)
    for each in wrong:
        log.error("money.differs", **each)
    metrics.MONEY_DIFFERENCES.set(len(wrong))
    return len(wrong)


_BATCH = 10  # plans that one job renews at once


@jobs.scheduled("billing.renew_plans", jobs.daily(time(5)))
async def renew_plans(now: datetime) -> int:
    """Enqueue the renewal of each plan whose period has ended, and of each unpaid one."""
    today = day_of(now)
    due = await subscriptions.due_renewals(today)
    batches = [due[first : first + _BATCH] for first in range(0, len(due), _BATCH)]
    new = [
        jobs.NewJob("billing.renew", {"people": ids}, f"renew:{today}:{ids[0]}") for ids in batches
    ]
    async with transaction() as session:
        await jobs.enqueue_all(session, new)
    return len(due)


@jobs.handler("billing.renew")
async def renew(job: Job) -> None:
    """Renew some plans at once. Where one fails, all are tried again: those done are skipped."""
    await renewals.renew(job.payload["people"])


@jobs.scheduled("billing.tell_coming", jobs.daily(time(5, 30)))
async def tell_coming(now: datetime) -> None:
    """Tell customers three days before that their plan renews, and for how much."""
    await renewals.notify_coming(day_of(now))
