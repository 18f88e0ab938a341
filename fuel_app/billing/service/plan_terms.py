"""Read on what customers' prices depend now: neighborhood, tax, credit and what was paid."""

from collections.abc import Mapping
from datetime import date, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.areas.service import company
from fuel_app.billing.queries import invoices as invoice_queries
from fuel_app.billing.queries import plans as queries
from fuel_app.billing.rules import proration
from fuel_app.billing.rules.plans import PaidPeriod, PlanTerms
from fuel_app.billing.service import payers
from fuel_app.billing.service.figures import PLAN_ENDS_AFTER
from fuel_app.billing.tables import StoredInvoice
from fuel_app.customers.rules.facts import CustomerFacts
from fuel_app.customers.service import neighborhood
from fuel_app.kit import figures
from fuel_app.kit.clock import day_of
from fuel_app.kit.money import Money
from fuel_app.plans.rules.subscriptions import Period, SubscriptionInfo


async def terms_of(
    session: AsyncSession, facts: Mapping[str, CustomerFacts]
) -> dict[str, PlanTerms]:
    """Return the terms of several customers, by person."""
    members = await neighborhood.confirmed_members(session, facts)
    rates = await company.tax_rates(session, {each.zip_code for each in facts.values()})
    known = await payers.find_all(session, facts)
    terms = {}
    for person_id, each in facts.items():
        name, confirmed = members.get(person_id, ("", 0))
        payer = known.get(person_id)
        credit = Money(payer.credit_cents if payer else 0)
        terms[person_id] = PlanTerms(name, confirmed, rates.get(each.zip_code, 0), credit)
    return terms


async def ends_on(session: AsyncSession, invoice: StoredInvoice) -> date:
    """Return the day on which a plan ends whose invoice is not paid."""
    days = await figures.value(session, PLAN_ENDS_AFTER)
    return day_of(invoice.opened_at or invoice.created_at) + timedelta(days=days)


async def paid_period(session: AsyncSession, subscription: SubscriptionInfo) -> PaidPeriod | None:
    """Return a started plan's period with what was paid for it, less what has gone back."""
    starts, ends = subscription.period_starts, subscription.period_ends
    if starts is None or ends is None or subscription.may_start:
        return None
    period = Period(starts, ends)
    row = await queries.of_period(session, subscription.person_id, starts)
    price = Money(0)
    if row:
        lines = await invoice_queries.lines_of(session, row.id)
        returned = Money(row.waived_cents + row.refunded_cents)
        price = max(proration.price_of(lines) - returned, price)
    return PaidPeriod(subscription.plan, period, price)
