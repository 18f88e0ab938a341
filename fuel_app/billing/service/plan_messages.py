"""Messages about a plan, in the transaction of what they tell."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.rules.invoices import sum_of
from fuel_app.billing.rules.plans import PlanTerms, lines_of, with_credit
from fuel_app.billing.service.invoicing import invoice_of
from fuel_app.billing.tables import StoredInvoice
from fuel_app.kit import outbox
from fuel_app.kit.clock import long_date
from fuel_app.kit.money import Money
from fuel_app.messages.service import queue
from fuel_app.plans.rules.plans import Plan
from fuel_app.plans.rules.subscriptions import SubscriptionInfo


async def tell_paid(
    session: AsyncSession,
    person_id: str,
    plan: Plan,
    what: str,
    since: date,
    invoice: StoredInvoice,
) -> None:
    """Queue a message about a plan that has started, or was switched to, with what it cost."""
    amount = f"{Money(invoice.total_cents)} charged"
    payload = {"plan": plan.name, "what": what, "since": long_date(since), "amount": amount}
    payload["invoice"] = invoice.id  # whose PDF comes along
    drafts = queue.drafts("plan_changed", person_id, payload, key=f"plan_changed:{invoice.id}")
    await outbox.add_all(session, drafts)


async def tell_renewed(
    session: AsyncSession, person_id: str, plan: Plan, invoice: StoredInvoice
) -> None:
    """Queue the receipt of a renewal that was paid."""
    payload = {
        "number": invoice_of(invoice).name,
        "what": f"your {plan.name}",
        "amount": str(Money(invoice.paid_cents)),
        "invoice": invoice.id,
    }
    await outbox.add_all(
        session, queue.drafts("receipt", person_id, payload, key=f"receipt:{invoice.id}")
    )


async def tell_failed(session: AsyncSession, person_id: str, key: str, **values: Any) -> None:
    """Queue a message about a payment that failed, once."""
    payload = {name: str(value) for name, value in values.items()}
    drafts = queue.drafts("payment_failed", person_id, payload, key=f"payment_failed:{key}")
    await outbox.add_all(session, drafts)


async def tell_renewals(
    session: AsyncSession, coming: Sequence[tuple[SubscriptionInfo, PlanTerms]]
) -> None:
    """Queue a message about each period that ends soon, once, with the exact amount of the next."""
    drafts: list[outbox.Draft] = []
    for each, terms in coming:
        [_, (period, plan)] = each.periods
        amount = sum_of(with_credit(lines_of(plan, period.starts, terms), terms.credit))
        payload = {"plan": plan.name, "amount": str(amount), "day": long_date(period.starts)}
        key = _coming_key(each)
        drafts += queue.drafts("renewal_coming", each.person_id, payload, key=key)
    if drafts:
        await outbox.add_all(session, drafts)


def _coming_key(subscription: SubscriptionInfo) -> str:
    return f"renewal_coming:{subscription.person_id}:{subscription.period_ends}"


async def withdraw_coming(session: AsyncSession, subscription: SubscriptionInfo) -> None:
    """Skip that message if it waits to be sent: the plan or its end is another one by now."""
    await queue.take_back(session, _coming_key(subscription))
