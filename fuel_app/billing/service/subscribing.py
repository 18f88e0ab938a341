"""Plans of customers with their money: start, switch up and down, cancel, undo."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Session
from fuel_app.accounts.service import deletion
from fuel_app.billing.queries import plans as queries
from fuel_app.billing.rules.invoices import OPEN, sum_of
from fuel_app.billing.rules.payments import CHARGE, HOSTED, PaymentPending, under_way
from fuel_app.billing.rules.plans import (
    Offer,
    OtherAmount,
    PlanOverview,
    SettleFirst,
    Way,
    lines_of,
    offer_of,
    with_credit,
)
from fuel_app.billing.service import payers, plan_charges, plan_terms
from fuel_app.billing.service.plan_messages import withdraw_coming
from fuel_app.customers.rules.facts import CustomerFacts
from fuel_app.customers.service import facts as customers
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.throttle import PAYMENTS, throttle
from fuel_app.plans.rules.plans import BY_ID, PLANS, Plan
from fuel_app.plans.rules.subscriptions import PAST_DUE, NoPlan, SubscriptionInfo
from fuel_app.plans.service import periods, subscriptions


async def overview(by: Session) -> PlanOverview | None:
    """Return the customer's plan with its next charge; None where none was chosen."""
    async with reading() as session:
        subscription = await subscriptions.of(session, by.person_id)
        if subscription is None:
            return None
        paying = await queries.under_way(session, by.person_id)
        pending = paying is not None and paying[1].kind != HOSTED  # that is left to the customer
        starts, ends = subscription.period_starts, subscription.period_ends
        if subscription.state == PAST_DUE and starts:
            row = await queries.of_period(session, by.person_id, starts)
            until = await plan_terms.ends_on(session, row) if row else None
            return PlanOverview(subscription, ends_on=until, payment_pending=pending)
        if not subscription.is_active or not subscription.following or not ends:
            return PlanOverview(subscription, payment_pending=pending)
        facts = await customers.facts(session, by.person_id)
        terms = (await plan_terms.terms_of(session, {by.person_id: facts}))[by.person_id]
        lines = with_credit(lines_of(subscription.following, ends, terms), terms.credit)
        return PlanOverview(subscription, sum_of(lines), lines, payment_pending=pending)


async def offers(by: Session) -> tuple[Offer, ...]:
    """Return all plans as they are offered to the customer; none to the staff."""
    async with reading() as session:
        subscription = await subscriptions.of(session, by.person_id)
        if subscription is None:
            return ()
        facts = await customers.facts(session, by.person_id)
        return await _offers(session, subscription, facts, PLANS)


async def _offers(
    session: AsyncSession,
    subscription: SubscriptionInfo,
    facts: CustomerFacts,
    plans: tuple[Plan, ...],
) -> tuple[Offer, ...]:
    person_id = subscription.person_id
    terms = (await plan_terms.terms_of(session, {person_id: facts}))[person_id]
    replaced = await plan_terms.paid_period(session, subscription)
    today = day_of(clock.now())
    return tuple(offer_of(plan, subscription, terms, today, replaced) for plan in plans)


async def start(by: Session, plan_id: object, seen: object, key: str) -> None:
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
    await _change(by, plan_id, seen, key, ("start",))


async def switch(by: Session, plan_id: object, seen: object, key: str) -> None:
    """Switch to another plan: up now, for the amount on the button; down at the period's end.

    Raises:
        SettleFirst: If the plan is past due.
        The same as `start`.
    """
    await _change(by, plan_id, seen, key, ("up", "down"))


async def begin_confirmation(by: Session, plan_id: object, seen: object, back: str) -> str:
    """Begin to pay for a start or a switch up on the provider's page, where the bank asks for it.

    A former visit ends with it, so that nothing is paid twice. What is confirmed there starts the
    plan once, by whoever hears of it first: the browser that comes back, a webhook, a job.

    Args:
        seen: The words on the button that was pressed.
        back: The address of our page, as `hosted.open_page` says.

    Returns:
        The address of the page; empty if the plan has changed meanwhile.

    Raises:
        ProviderDown
        The same as `start`.
    """
    plan = _plan(plan_id)
    await throttle().spend(PAYMENTS, by.person_id)
    key = new_id()
    ways: tuple[Way, ...] = ("start", "up")
    while True:
        async with transaction() as session:
            payment_id, is_ours = await _begin(session, by, plan, seen, key, ways, HOSTED)
        if is_ours:
            return await plan_charges.open_page(payment_id, back) if payment_id else ""
        await plan_charges.perform(payment_id, is_ours=False)


def _plan(plan_id: object) -> Plan:
    plan = BY_ID.get(plan_id) if isinstance(plan_id, str) else None
    if plan is None:
        raise NoPlan
    return plan


async def _change(
    by: Session, plan_id: object, seen: object, key: str, ways: tuple[Way, ...]
) -> None:
    plan = _plan(plan_id)
    await throttle().spend(PAYMENTS, by.person_id)
    is_ours = False
    while not is_ours:
        async with transaction() as session:
            payment_id, is_ours = await _begin(session, by, plan, seen, key, ways, CHARGE)
        if payment_id:
            await plan_charges.perform(payment_id, is_ours=is_ours)


async def _begin(
    session: AsyncSession,
    by: Session,
    plan: Plan,
    seen: object,
    key: str,
    ways: tuple[Way, ...],
    kind: str,
) -> tuple[str, bool]:
    """Return the payment to perform, if any, and whether it is for this plan and of this kind.

    One that is under way from another tab is waited for: the offers are others then. A visit to
    the provider's page is ended.
    """
    subscription = await subscriptions.locked(session, by.person_id)
    key = f"plan:{by.person_id}:{key}"
    if known := await queries.by_key(session, key):
        return known[1].id if known[1] else "", True
    if known_one := await queries.under_way(session, by.person_id):
        invoice, payment = known_one
        is_same = payment.kind == kind == CHARGE and invoice.details["plan"] == plan.id
        return payment.id, is_same
    if subscription.state == PAST_DUE:
        raise SettleFirst
    if await _is_renewing(session, subscription):
        raise PaymentPending
    await periods.lock(session, [by.person_id])
    payer = await payers.of_person(session, by.person_id, lock=True)
    facts = await customers.facts(session, by.person_id)
    (offer,) = await _offers(session, subscription, facts, (plan,))
    if seen != offer.button or offer.way not in ways or offer.problem:
        last = await queries.of_period(session, by.person_id, day_of(clock.now()))
        if last and (last.details["plan"], last.details.get("wording")) == (plan.id, seen):
            return "", True  # pressed in another tab a moment ago
        raise OtherAmount(offer)
    if offer.way != "down":
        ending = subscription.following is None
        begun = await plan_charges.begin(session, key, payer, facts, offer, kind, ending=ending)
        return begun, True
    await periods.switch_later(session, by.person_id, plan.id, by.actor)
    await withdraw_coming(session, subscription)
    return "", True


async def _is_renewing(session: AsyncSession, subscription: SubscriptionInfo) -> bool:
    """Return whether the period is not paid yet, so that a switch has nothing to credit."""
    starts = subscription.period_starts
    if not subscription.is_active or starts is None:
        return False
    row = await queries.of_period(session, subscription.person_id, starts)
    return row is not None and row.state == OPEN


async def cancel(by: Session) -> None:
    """Let the plan end with its period; until then it can be undone.

    Raises:
        NoPlan, PlanNotActive: If there is none to cancel.
        SettleFirst: If it is past due.
        PaymentPending: If a switch is still being paid.
    """
    async with transaction() as session:
        await _settle_first(session, by)
        await withdraw_coming(session, await periods.cancel_later(session, by.person_id, by.actor))


async def end_unserved(session: AsyncSession, person_id: str, actor: Actor) -> bool:
    """Let a plan end with its period, as no area serves the customer any more, and tell them.

    Until then they can undo it. One that ends anyway, or is no longer active, is left alone: False.
    A switch that is being paid meanwhile does not undo it: the new period is the last one, too.
    """
    subscription = await subscriptions.locked(session, person_id)
    if not subscription.is_active or not subscription.following:
        return False
    await periods.cancel_later(session, person_id, actor, why=plan_charges.UNSERVED)
    await withdraw_coming(session, subscription)
    return True


async def undo(by: Session) -> None:
    """Undo a cancellation or a switch down that waits for the period's end.

    Raises:
        NothingToUndo: If neither waits.
        The same as `cancel`.
    """
    async with transaction() as session:
        await _settle_first(session, by)
        await withdraw_coming(session, await periods.undo(session, by.person_id, by.actor))


async def _settle_first(session: AsyncSession, by: Session) -> None:
    """Lock the subscription, and refuse while a payment is open."""
    subscription = await subscriptions.locked(session, by.person_id)
    if paying := await queries.under_way(session, by.person_id):
        raise under_way(paying[1].kind)
    if subscription.state == PAST_DUE:
        raise SettleFirst


@deletion.at_closing
async def refuse_pending(session: AsyncSession, person_id: str, _actor: Actor) -> None:
    """Keep an account open while a start or switch is being paid; `personal` refuses debts.

    Raises:
        PaymentPending
    """
    if paying := await queries.under_way(session, person_id):
        raise under_way(paying[1].kind)
