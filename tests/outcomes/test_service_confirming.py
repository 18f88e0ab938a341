"""Plans whose bank wants the payment confirmed on the provider's page."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from fuel_app.accounts.rules import SYSTEM
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in.objects import (
    DECLINED,
    NEEDS_CONFIRMATION,
    WORKS,
)
from fuel_app.billing.providers.stand_in.transport import DOWN, LOST, faults
from fuel_app.billing.rules.payments import (
    ConfirmationOpen,
    NotConfirmed,
    NotPaid,
    OtherCheckout,
    PaymentDeclined,
    PaymentPending,
    ProviderDown,
)
from fuel_app.billing.rules.plans import OtherAmount
from fuel_app.billing.service import cards
from fuel_app.billing.tables import Checkout, StoredPayment
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.outcomes.service import checkouts, plans
from fuel_app.plans.rules.plans import NoPlan
from tests.faults.money_cases import give_card
from tests.helpers.cards import add_at_page, keep_at_the_bank, refuse_at_page, visit_in
from tests.helpers.jobs import Clock, run_due
from tests.helpers.people import messages, rows
from tests.helpers.plan_money import (
    a_customer,
    by,
    credit_cents,
    november,
    offered,
    set_credit,
    start,
    stored_invoices,
    subscription,
)

__all__ = ["november"]
pytestmark = pytest.mark.usefixtures("database", "november")


BACK = "http://localhost:3000/billing"
REFUSED = "refused"


@pytest.fixture
async def ada(database: object, november: None) -> str:
    """Return a customer whose bank wants each payment confirmed."""
    person_id = await a_customer()
    await give_card(person_id, NEEDS_CONFIRMATION)
    return person_id


async def begun(person_id: str, plan: str = "solo") -> str:
    """Return the address of the page where the offer of a plan is confirmed."""
    offer = await offered(person_id, plan)
    return await plans.begin_plan_confirmation(by(person_id), plan, offer.button, BACK)


@contextmanager
def no_page(fault: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the provider be down, its answer be lost, or the page be refused."""
    if fault != REFUSED:
        faults().fail_next(fault)
        yield
        return

    async def refuse(*_given, **_named):
        raise stripe.Rejected("invalid_request")

    with monkeypatch.context() as patched:
        patched.setattr(stripe, "begin_hosted", refuse)
        yield


async def stored_states() -> list[tuple[str, str]]:
    made = sorted(await rows(StoredPayment), key=lambda each: each.id)
    return [(each.kind, each.state) for each in made]


async def drafts() -> list[str]:
    return [each.state for each in await stored_invoices()]


async def plan_of(person_id: str) -> tuple[str, str]:
    row = await subscription(person_id)
    return row.plan_id, row.state


async def test_charge_under_way_is_settled_before_the_page_opens(ada):
    faults().fail_next(DOWN)
    with pytest.raises(PaymentPending):
        await start(ada)
    assert await begun(ada)
    assert [state for _, state in await stored_states()] == ["failed", "new"]


async def test_plan_starts_once_what_the_bank_wanted_is_confirmed(ada):
    with pytest.raises(PaymentDeclined, match="Your bank wants you to confirm") as refused:
        await start(ada)
    assert refused.value.code == "authentication_required"
    page = await begun(ada)
    assert await plan_of(ada) == ("solo", "incomplete")
    visit = await add_at_page(page, NEEDS_CONFIRMATION)
    await checkouts.finish_checkout(ada, visit)
    await checkouts.finish_checkout(ada, visit)
    assert await plan_of(ada) == ("solo", "active")
    assert await stored_states() == [("charge", "failed"), ("hosted", "succeeded")]
    assert await drafts() == ["void", "paid"]
    await run_due()  # the webhooks of it
    assert await drafts() == ["void", "paid"]
    assert len([each for each in await messages("plan_changed") if each.channel == "mail"]) == 1


async def test_switch_up_is_confirmed_with_the_credit_of_the_former_period(ada, monkeypatch):
    await checkouts.finish_checkout(ada, await add_at_page(await begun(ada), NEEDS_CONFIRMATION))
    offer = await offered(ada, "family")
    with pytest.raises(PaymentDeclined):
        await plans.switch_plan(by(ada), "family", offer.button, "key")
    visit = await add_at_page(await begun(ada, "family"), NEEDS_CONFIRMATION)
    await checkouts.finish_checkout(ada, visit)
    assert await plan_of(ada) == ("family", "active")
    assert [each.total_cents for each in await stored_invoices()] == [2500, 1900, 1900]
    assert await drafts() == ["paid", "void", "paid"]


async def test_declined_on_the_page_the_customer_may_try_another_card_there(ada):
    page = await begun(ada)
    await refuse_at_page(page, DECLINED)
    await run_due(lambda: clock.now() + timedelta(minutes=1))  # the webhook of the decline
    assert await stored_states() == [("hosted", "new")]
    await checkouts.finish_checkout(ada, await add_at_page(page, WORKS))
    assert await plan_of(ada) == ("solo", "active")


async def test_page_that_is_left_ends_and_the_button_may_be_pressed_again(ada):
    page = await begun(ada)
    (setup,) = await rows(Checkout)
    with pytest.raises(NotPaid):
        await checkouts.finish_checkout(ada, visit_in(page))
    with pytest.raises(NotPaid):
        await checkouts.finish_checkout(ada, setup.id)
    assert (await stored_states(), await drafts()) == ([("hosted", "cancelled")], ["void"])
    assert (await stripe.read_session(visit_in(page))).is_expired
    with pytest.raises(NotPaid):
        await checkouts.finish_checkout(ada, setup.id)
    await checkouts.finish_checkout(ada, await add_at_page(await begun(ada), NEEDS_CONFIRMATION))
    assert await plan_of(ada) == ("solo", "active")


async def test_page_that_is_left_after_it_was_confirmed_starts_the_plan(ada):
    await add_at_page(await begun(ada), NEEDS_CONFIRMATION)
    (setup,) = await rows(Checkout)
    await checkouts.finish_checkout(ada, setup.id)
    assert await plan_of(ada) == ("solo", "active")


async def test_leaving_a_checkout_while_stripe_is_down_or_the_bank_is_pending_is_refused(
    ada, monkeypatch
):
    await add_at_page(await begun(ada), NEEDS_CONFIRMATION)
    (setup,) = await rows(Checkout)
    faults().fail_next("down")
    with pytest.raises(NotConfirmed):
        await checkouts.finish_checkout(ada, setup.id)

    with monkeypatch.context() as patched:
        keep_at_the_bank(patched)
        with pytest.raises(NotConfirmed):
            await checkouts.finish_checkout(ada, setup.id)
    assert await stored_states() == [("hosted", "new")]


async def test_anothers_visit_is_neither_ended_nor_finished(ada):
    page = await begun(ada)
    eve = by(await a_customer(2))
    (setup,) = await rows(Checkout)
    for asked in (setup.id, visit_in(page), "019ab000-0000-7000-8000-000000000000"):
        with pytest.raises(OtherCheckout):
            await checkouts.finish_checkout(eve.person_id, asked)
    own = await cards.begin_checkout(ada, BACK)
    (card,) = [each for each in await rows(Checkout) if each.session_id == visit_in(own)]
    with pytest.raises(OtherCheckout):  # a card's visit has no payment to end
        await checkouts.finish_checkout(ada, card.id)
    assert await stored_states() == [("hosted", "new")]


async def test_forgotten_page_ends_within_an_hour_and_gives_its_credit_back(ada):
    await set_credit(ada, 500)
    page = await begun(ada)
    assert await credit_cents() == 0
    later = Clock()
    later.passes(hours=2)
    await run_due(later)
    assert (await credit_cents(), await drafts()) == (500, ["void"])
    assert (await stripe.read_session(visit_in(page))).is_expired


async def test_charge_by_a_new_card_ends_an_open_page_and_starts_the_plan(ada):
    first = await begun(ada)
    await give_card(ada, WORKS)
    await start(ada)
    assert (await stripe.read_session(visit_in(first))).is_expired
    assert await stored_states() == [("hosted", "cancelled"), ("charge", "succeeded")]
    assert await plan_of(ada) == ("solo", "active")


async def test_bank_that_is_still_at_it_is_waited_for(ada, monkeypatch):
    await add_at_page(await begun(ada), NEEDS_CONFIRMATION)

    keep_at_the_bank(monkeypatch)
    for press in (start, begun):
        with pytest.raises(PaymentPending):
            await press(ada)
    assert await stored_states() == [("hosted", "new")]


async def test_what_waits_for_a_confirmation_is_said_where_it_is_in_the_way(ada):
    await checkouts.finish_checkout(ada, await add_at_page(await begun(ada), NEEDS_CONFIRMATION))
    await begun(ada, "family")
    assert not (await plans.read_plans(by(ada))).overview.payment_pending  # type: ignore[union-attr]
    for change_ in (plans.cancel_plan, plans.undo_plan_change):
        with pytest.raises(ConfirmationOpen, match="page of our payment provider"):
            await change_(by(ada))
    async with reading() as session:
        with pytest.raises(ConfirmationOpen):
            await plans.refuse_pending(session, ada)


async def test_card_stays_while_a_start_waits_for_its_confirmation(ada):
    await begun(ada)
    with pytest.raises(ConfirmationOpen):
        await checkouts.remove_card(by(ada))


@pytest.mark.parametrize("fault", [DOWN, LOST, REFUSED])
async def test_provider_that_is_down_leaves_nothing_in_the_way(ada, fault, monkeypatch):
    await set_credit(ada, 500)
    with no_page(fault, monkeypatch), pytest.raises(ProviderDown):
        await begun(ada)
    assert (await stored_states(), await drafts()) == ([("hosted", "cancelled")], ["void"])
    assert await credit_cents() == 500
    async with reading() as session:
        await plans.refuse_pending(session, ada)
    await checkouts.finish_checkout(ada, await add_at_page(await begun(ada), NEEDS_CONFIRMATION))
    assert await stored_states() == [("hosted", "cancelled"), ("hosted", "succeeded")]
    with no_page(fault, monkeypatch), pytest.raises(ProviderDown):
        await begun(ada, "family")
    await plans.cancel_plan(by(ada))
    assert (await subscription(ada)).cancel_at_period_end


async def test_another_amount_or_plan_is_refused_before_the_page(ada):
    with pytest.raises(OtherAmount):
        await plans.begin_plan_confirmation(by(ada), "solo", "Start for $1", BACK)
    with pytest.raises(NoPlan):
        await plans.begin_plan_confirmation(by(ada), ["solo"], "", BACK)
    assert await drafts() == []


async def test_credit_that_pays_all_starts_the_plan_without_a_page(ada):
    await set_credit(ada, 2500)
    assert (await begun(ada), await plan_of(ada)) == ("", ("solo", "active"))


async def _unserved(person_id: str) -> None:
    async with transaction() as session:
        await plans.end_unserved(session, person_id, SYSTEM)


async def test_plan_that_no_area_serves_any_more_ends_though_a_switch_is_paid_then(ada):
    await checkouts.finish_checkout(ada, await add_at_page(await begun(ada), NEEDS_CONFIRMATION))
    page = await begun(ada, "family")
    await _unserved(ada)
    await checkouts.finish_checkout(ada, await add_at_page(page, NEEDS_CONFIRMATION))
    assert await plan_of(ada) == ("family", "active")
    row = await subscription(ada)
    assert row.cancel_at_period_end
    told = {each.payload["what"] for each in await messages("plan_changed")}
    assert "Family Plan cancelled, since we can no longer come to your address" in told


async def test_customer_who_switches_after_that_keeps_the_plan(ada):
    await checkouts.finish_checkout(ada, await add_at_page(await begun(ada), NEEDS_CONFIRMATION))
    await _unserved(ada)
    page = await begun(ada, "family")
    await checkouts.finish_checkout(ada, await add_at_page(page, NEEDS_CONFIRMATION))
    assert not (await subscription(ada)).cancel_at_period_end
