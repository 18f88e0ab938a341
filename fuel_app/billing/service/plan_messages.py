"""Messages about a plan, in the transaction of what they tell."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.rules.invoices import sum_of
from fuel_app.billing.rules.plans import PlanTerms, lines_of, with_credit
from fuel_app.kit import outbox
from fuel_app.kit.clock import long_date
from fuel_app.messages.service import queue
from fuel_app.plans.rules.subscriptions import SubscriptionInfo


async def tell(
    session: AsyncSession, kind: str, person_id: str, key: str, **values: object
) -> None:
    """Queue a message to a customer, once for its kind and key."""
    payload = {name: str(value) for name, value in values.items()}
    await outbox.add_all(session, queue.drafts(kind, person_id, payload, key=f"{kind}:{key}"))


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
    await outbox.add_all(session, drafts)


def _coming_key(subscription: SubscriptionInfo) -> str:
    return f"renewal_coming:{subscription.person_id}:{subscription.period_ends}"


async def withdraw_coming(session: AsyncSession, subscription: SubscriptionInfo) -> None:
    """Skip that message if it waits to be sent: the plan or its end is another one by now."""
    await queue.take_back(session, _coming_key(subscription))
