"""Plans of customers with their money: start, switch up and down, cancel, undo; terms and messages.

A start or a switch up is charged first: a draft invoice and a payment, then the call. What it pays
for happens in the transaction that stores the payment's outcome.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Session
from fuel_app.areas.service import company
from fuel_app.billing.providers import stripe
from fuel_app.billing.queries import invoices as invoice_queries
from fuel_app.billing.queries import payers as queries
from fuel_app.billing.rules import plans
from fuel_app.billing.rules.invoices import OPEN, START, SWITCH, Invoice, sum_of
from fuel_app.billing.rules.payments import (
    CHARGE,
    HOSTED,
    NEW,
    SUCCEEDED,
    CardOnFile,
    NoCard,
    PaymentDeclined,
    PaymentPending,
    under_way,
)
from fuel_app.billing.rules.plans import (
    Offer,
    OtherAmount,
    PaidPeriod,
    PlanOverview,
    PlanTerms,
    SettleFirst,
    Way,
    lines_of,
    offer_of,
    with_credit,
)
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.service.cards import card_of
from fuel_app.billing.tables import Payer, StoredPayment
from fuel_app.bookings.service import changes as booking_changes
from fuel_app.customers.rules.customers import Customer, CustomerFacts, NotVerified
from fuel_app.customers.service import account as customers
from fuel_app.customers.service import neighborhood
from fuel_app.kit import clock, jobs
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import get_row, reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.money import Money
from fuel_app.kit.throttle import PAYMENTS, throttle
from fuel_app.messages import service as messages
from fuel_app.outcomes.service import charges, consequences
from fuel_app.plans.rules.plans import (
    BY_ID,
    PAST_DUE,
    PLANS,
    NoPlan,
    Period,
    Plan,
    SubscriptionInfo,
)
from fuel_app.plans.service import subscriptions


async def terms_of(
    session: AsyncSession, facts: Mapping[str, CustomerFacts]
) -> dict[str, PlanTerms]:
    """Return the terms of several customers, by person."""
    members = await neighborhood.confirmed_members(session, facts)
    rates = await company.tax_rates(session, {each.zip_code for each in facts.values()})
    payers = await invoices.payers_of(session, facts)
    credits = await queries.credits_of(session, [each.id for each in payers.values()])
    terms = {}
    for person_id, each in facts.items():
        name, confirmed = members.get(person_id, ("", 0))
        payer = payers.get(person_id)
        credit = credits.get(payer.id if payer else "", Money(0))
        terms[person_id] = PlanTerms(name, confirmed, rates.get(each.zip_code, 0), credit)
    return terms


async def paid_period(session: AsyncSession, subscription: SubscriptionInfo) -> PaidPeriod | None:
    """Return a started plan's period with what was paid for it, less what has gone back."""
    starts, ends = subscription.period_starts, subscription.period_ends
    if starts is None or ends is None or subscription.may_start:
        return None
    period = Period(starts, ends)
    row = await queries.invoice_of_period(session, subscription.person_id, starts)
    price = Money(0)
    if row:
        lines = await invoice_queries.lines_of(session, row.id)
        returned = Money(row.waived_cents + row.refunded_cents)
        price = max(plans.price_of(lines) - returned, price)
    return PaidPeriod(subscription.plan, period, price)


def coming_key(subscription: SubscriptionInfo) -> str:
    """Return the key of the message that says that a plan renews."""
    return f"renewal_coming:{subscription.person_id}:{subscription.period_ends}"


async def cancel_coming_renewal(session: AsyncSession, subscription: SubscriptionInfo) -> None:
    """Skip that message if it waits to be sent: the plan or its end is another one by now."""
    await messages.cancel_queued(session, coming_key(subscription))


_PROCESS_DIED = timedelta(seconds=30)  # then the job performs the payment


async def _begin_charge(
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
    invoice = await invoices.draft_invoice(
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
    await invoices.spend_credit(session, invoice)
    if not invoice.total_cents:
        await invoices.open_invoice(session, invoice)
        await consequences.follow(session, "paid", invoice)
        return ""
    key, amount = f"charge:{invoice.id}", Money(invoice.total_cents)
    payment = await payments.begin_payment(session, key, kind, payer, amount, invoice=invoice)
    if kind == CHARGE:
        again = clock.now() + _PROCESS_DIED
        await jobs.enqueue(session, "billing.payment", {"id": payment.id}, run_at=again)
    return payment.id


async def _perform_charge(payment_id: str, *, is_ours: bool) -> None:
    """Charge for the plan that is asked for; the outcome of one that is not ours is awaited.

    Raises:
        PaymentDeclined, PaymentPending
    """
    try:
        payment = await charges.perform_payment(payment_id)
        if payment.kind == HOSTED and payment.state == NEW:  # of a page that is left or forgotten
            await charges.end_checkout(payment_id)
            payment = await charges.perform_payment(payment_id)
    except (stripe.Unavailable, stripe.Rejected):
        raise PaymentPending from None
    if payment.state == NEW:
        raise PaymentPending
    if is_ours and payment.state != SUCCEEDED:
        raise PaymentDeclined(payment.code)


@dataclass(frozen=True, slots=True)
class OwnPlans:
    """A customer's plan, and all plans as they are offered to them."""

    overview: PlanOverview | None = None  # None where none was chosen
    offers: tuple[Offer, ...] = ()


async def read_plans(by: Session) -> OwnPlans:
    """Return the customer's plan with its next charge, and the offers; neither to the staff."""
    async with reading() as session:
        subscription = await subscriptions.subscription_of(session, by.person_id)
        if subscription is None:
            return OwnPlans()
        facts = await customers.facts(session, by.person_id)
        terms = (await terms_of(session, {by.person_id: facts}))[by.person_id]
        return await _own_plans(session, subscription, terms)


@dataclass(frozen=True, slots=True)
class OwnBilling:
    """A customer's plans, their card, and what is unpaid, the oldest first."""

    plans: OwnPlans
    card: CardOnFile
    debts: list[Invoice]


async def read_billing(by: Session, own: Customer) -> OwnBilling:
    """Return what Billing & Plans shows of a customer who was just read: ten statements at most."""
    async with reading() as session:
        payer, credit = await queries.payer_with_credit(session, by.person_id)
        owed = await invoice_queries.open_invoices(session, payer.id) if payer else []
        debts = await invoices.invoices_with_lines(session, owed, by.person_id)
        card = card_of(payer) if payer else CardOnFile()
        if own.subscription is None:
            return OwnBilling(OwnPlans(), card, debts)
        zip_code = own.personal.zip_code
        members = await neighborhood.confirmed_members(session, [by.person_id])
        rates = await company.tax_rates(session, [zip_code])
        name, confirmed = members.get(by.person_id, ("", 0))
        terms = PlanTerms(name, confirmed, rates.get(zip_code, 0), credit)
        return OwnBilling(await _own_plans(session, own.subscription, terms), card, debts)


async def _own_plans(
    session: AsyncSession, subscription: SubscriptionInfo, terms: PlanTerms
) -> OwnPlans:
    overview = await _overview(session, subscription, terms)
    return OwnPlans(overview, await _offers(session, subscription, terms, PLANS))


async def _overview(
    session: AsyncSession, subscription: SubscriptionInfo, terms: PlanTerms
) -> PlanOverview:
    paying = await queries.charge_under_way(session, subscription.person_id)
    pending = paying is not None and paying[1].kind != HOSTED  # that is left to the customer
    starts, ends = subscription.period_starts, subscription.period_ends
    if subscription.state == PAST_DUE and starts:
        row = await queries.invoice_of_period(session, subscription.person_id, starts)
        until = await consequences.dunning_ends_on(session, row) if row else None
        return PlanOverview(subscription, ends_on=until, payment_pending=pending)
    if not subscription.is_active or not subscription.following or not ends:
        return PlanOverview(subscription, payment_pending=pending)
    lines = with_credit(lines_of(subscription.following, ends, terms), terms.credit)
    return PlanOverview(subscription, sum_of(lines), lines, payment_pending=pending)


async def _offers(
    session: AsyncSession,
    subscription: SubscriptionInfo,
    terms: PlanTerms,
    plans: tuple[Plan, ...],
) -> tuple[Offer, ...]:
    replaced = await paid_period(session, subscription)
    today = day_of(clock.now())
    return tuple(offer_of(plan, subscription, terms, today, replaced) for plan in plans)


async def start_plan(by: Session, plan_id: object, seen: object, key: str) -> None:
    """Charge the first month of a plan and start it today.

    Args:
        seen: The words on the button that was pressed.
        key: Made by the server for a press: twice the same is charged once.

    Raises:
        NotVerified, NoCard: If that is missing.
        OtherAmount: If the offer is another one by now; it carries the new one.
        PaymentDeclined: Nothing has changed.
        PaymentPending: A job finishes it, or the renewal of the period that a switch would end.
        NoPlan: If there is no such plan, or the person is no customer.
    """
    await _change_plan(by, plan_id, seen, key, ("start",))


async def switch_plan(by: Session, plan_id: object, seen: object, key: str) -> None:
    """Switch to another plan: up now, for the amount on the button; down at the period's end.

    Raises:
        SettleFirst: If the plan is past due.
        The same as `start_plan`.
    """
    await _change_plan(by, plan_id, seen, key, ("up", "down"))


async def begin_plan_confirmation(by: Session, plan_id: object, seen: object, back: str) -> str:
    """Begin to pay for a start or a switch up on the provider's page, where the bank asks for it.

    A former checkout ends with it, so that nothing is paid twice. What is confirmed there starts
    the plan once, by the first of three: the browser that comes back, a webhook, a job.

    Args:
        seen: The words on the button that was pressed.
        back: The address of our page, as `payments.open_page` says.

    Returns:
        The address of the page; empty if the plan has changed meanwhile.

    Raises:
        ProviderDown
        The same as `start_plan`.
    """
    plan = _parse_plan(plan_id)
    await throttle().spend(PAYMENTS, by.person_id)
    key = new_id()
    ways: tuple[Way, ...] = ("start", "up")
    while True:
        async with transaction() as session:
            payment_id, is_ours = await _begin_change(session, by, plan, seen, key, ways, HOSTED)
        if not is_ours:
            await _perform_charge(payment_id, is_ours=False)
            continue
        if not payment_id:
            return ""
        async with reading() as session:
            payment = await get_row(session, StoredPayment, payment_id)
            payer = await get_row(session, Payer, payment.payer_id)
        return await payments.open_page(payment, payer, back)


def _parse_plan(plan_id: object) -> Plan:
    plan = BY_ID.get(plan_id) if isinstance(plan_id, str) else None
    if plan is None:
        raise NoPlan
    return plan


async def _change_plan(
    by: Session, plan_id: object, seen: object, key: str, ways: tuple[Way, ...]
) -> None:
    plan = _parse_plan(plan_id)
    await throttle().spend(PAYMENTS, by.person_id)
    is_ours = False
    while not is_ours:
        async with transaction() as session:
            payment_id, is_ours = await _begin_change(session, by, plan, seen, key, ways, CHARGE)
        if payment_id:
            await _perform_charge(payment_id, is_ours=is_ours)


async def _begin_change(
    session: AsyncSession,
    by: Session,
    plan: Plan,
    seen: object,
    key: str,
    ways: tuple[Way, ...],
    kind: str,
) -> tuple[str, bool]:
    """Return the payment to perform, if any, and whether it is for this plan and of this kind.

    One that is under way from another tab is waited for, and its checkout ended: the offers are
    others then.
    """
    subscription = await subscriptions.lock_one(session, by.person_id)
    key = f"plan:{by.person_id}:{key}"
    if known := await queries.plan_invoice_by_key(session, key):
        return known[1].id if known[1] else "", True
    if known_one := await queries.charge_under_way(session, by.person_id):
        invoice, payment = known_one
        is_same = payment.kind == kind == CHARGE and invoice.details["plan"] == plan.id
        return payment.id, is_same
    if subscription.state == PAST_DUE:
        raise SettleFirst
    if await _is_renewing(session, subscription):
        raise PaymentPending
    await consequences.lock_plans(session, [by.person_id])
    payer = await invoices.payer_of_person(session, by.person_id, lock=True)
    facts = await customers.facts(session, by.person_id)
    terms = (await terms_of(session, {by.person_id: facts}))[by.person_id]
    (offer,) = await _offers(session, subscription, terms, (plan,))
    if seen != offer.button or offer.way not in ways or offer.problem:
        last = await queries.invoice_of_period(session, by.person_id, day_of(clock.now()))
        if last and (last.details["plan"], last.details.get("wording")) == (plan.id, seen):
            return "", True  # pressed in another tab a moment ago
        raise OtherAmount(offer)
    if offer.way != "down":
        ending = subscription.following is None
        begun = await _begin_charge(session, key, payer, facts, offer, kind, ending=ending)
        return begun, True
    change = await subscriptions.switch_later(session, by.person_id, plan.id, by.actor)
    await consequences.plans_changed(session, change)
    await cancel_coming_renewal(session, subscription)
    return "", True


async def _is_renewing(session: AsyncSession, subscription: SubscriptionInfo) -> bool:
    """Return whether the period is not paid yet, so that a switch has nothing to credit."""
    starts = subscription.period_starts
    if not subscription.is_active or starts is None:
        return False
    row = await queries.invoice_of_period(session, subscription.person_id, starts)
    return row is not None and row.state == OPEN


async def covered_text(by: Session, since: datetime) -> str:
    """Return which bookings a plan has spared their fee since a moment, after what it became.

    '. It covers 2 booked fill-ups: no fee for them'; '' if there are none.
    """
    count = len(await booking_changes.covered_since(by.person_id, since))
    if not count:
        return ""
    which = f"{count} booked fill-ups: no fee for them" if count > 1 else "a booked fill-up: no fee"
    return f". It covers {which}"


async def cancel_plan(by: Session) -> None:
    """Let the plan end with its period; until then it can be undone.

    Raises:
        NoPlan, PlanNotActive: If there is none to cancel.
        SettleFirst: If it is past due.
        PaymentPending: If a switch is still being paid.
    """
    async with transaction() as session:
        await _settle_first(session, by)
        change = await subscriptions.cancel_later(session, by.person_id, by.actor)
        await consequences.plans_changed(session, change)
        await cancel_coming_renewal(session, change.after)


async def end_unserved(session: AsyncSession, person_id: str, actor: Actor) -> bool:
    """Let a plan end with its period, as no area serves the customer any more, and tell them.

    Until then they can undo it. One that ends anyway, or is no longer active, is left alone: False.
    A switch that is being paid meanwhile does not undo it: the new period is the last one, too.
    """
    subscription = await subscriptions.lock_one(session, person_id)
    if not subscription.is_active or not subscription.following:
        return False
    change = await subscriptions.cancel_later(session, person_id, actor, why=consequences.UNSERVED)
    await consequences.plans_changed(session, change)
    await cancel_coming_renewal(session, subscription)
    return True


async def undo_plan_change(by: Session) -> None:
    """Undo a cancellation or a switch down that waits for the period's end.

    Raises:
        NothingToUndo: If neither waits.
        The same as `cancel_plan`.
    """
    async with transaction() as session:
        await _settle_first(session, by)
        change = await subscriptions.undo_change(session, by.person_id, by.actor)
        await consequences.plans_changed(session, change)
        await cancel_coming_renewal(session, change.after)


async def _settle_first(session: AsyncSession, by: Session) -> None:
    """Lock the subscription, and refuse while a payment is open."""
    subscription = await subscriptions.lock_one(session, by.person_id)
    await refuse_pending(session, by.person_id)
    if subscription.state == PAST_DUE:
        raise SettleFirst


async def refuse_pending(session: AsyncSession, person_id: str) -> None:
    """Refuse while a start or switch of a plan is being paid.

    Raises:
        PaymentPending
    """
    if paying := await queries.charge_under_way(session, person_id):
        raise under_way(paying[1].kind)
