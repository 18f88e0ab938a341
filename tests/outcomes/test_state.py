"""Billing & Plans, and the buttons of the card 'Next', in the open company."""

from typing import Any

import pytest
import reflex as rx
from sqlalchemy import update

from fuel_app import routes
from fuel_app.billing.providers.stand_in.objects import NEEDS_CONFIRMATION, WORKS
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.rules.payments import NotAdded, NotPaid, OtherCheckout, ProviderDown
from fuel_app.billing.state.cards import come_back
from fuel_app.billing.tables import Payer, StoredInvoice, StoredPayment
from fuel_app.customers.state.customer import CustomerState
from fuel_app.dashboard.state import MonthState, StepsState
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.outcomes.service import plans
from fuel_app.outcomes.state import PlansState
from fuel_app.plans.tables import Subscription
from tests.helpers.bank import an_invoice
from tests.helpers.cards import add_at_page, visit_in
from tests.helpers.customers import at, cookie_of, month, said
from tests.helpers.open_area import open_area
from tests.helpers.people import rows
from tests.helpers.plan_money import set_credit
from tests.helpers.tabs import answer, go_to, redirected, run, tab_at

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
async def cookie(sqlite_database: Any) -> str:
    await open_area()
    return await cookie_of()


@pytest.fixture
async def state(cookie: str) -> PlansState:
    state = await (await at("/billing", cookie)).get_state(PlansState)
    await run(state.arrive())
    return state


async def add_card(state: PlansState, cookie: str, card: str = WORKS) -> None:
    address = redirected(await answer(state.add_card()))
    assert address
    go_to(state, f"/billing?card={await add_at_page(address, card)}", cookie=cookie)
    assert redirected(await answer(state.arrive())) == "/billing"
    go_to(state, "/billing", cookie=cookie)


def button_of(state: PlansState, plan_id: str) -> str:
    return next(offer.button for offer in state.offers if offer.plan_id == plan_id)


async def choose(state: PlansState, plan_id: str) -> Any:
    return await run(state.choose(plan_id, button_of(state, plan_id)))


@pytest.fixture
async def started(state: PlansState, cookie: str) -> PlansState:
    await add_card(state, cookie)
    await choose(state, "family")
    assert state.error == ""
    return state


async def test_nothing_is_there_before_a_card_and_a_start(state):
    assert (state.loaded, state.card.name, state.debts) == (True, "", [])
    assert (state.plan.name, state.plan.badge, state.plan.may_cancel) == (
        *("Family Plan", "Not started"),
        False,
    )
    assert button_of(state, "family").startswith("Start Family · $44.00 today")
    await choose(state, "family")
    assert (state.error, state.error_at) == ("Please add a card first.", "family")


async def test_card_then_plan_then_every_amount_is_said(started):
    assert started.card.name == "Visa ending in 4242"
    assert (started.plan.badge, started.plan.charge) == ("Active", "$44.00")
    assert started.plan.next_day != ""
    assert button_of(started, "big-family").startswith("Switch now · $")
    assert await said(started) == ["Card added", "Your plan has started"]


async def test_switch_up_shows_its_parts_and_completes(started):
    offer = next(each for each in started.offers if each.plan_id == "big-family")
    assert offer.parts[0].amount == "$79.00"
    told = await choose(started, "big-family")
    assert "current_plan" in repr(told)
    assert (started.plan.name, started.busy, started.error) == ("Big Family Plan", "", "")


async def test_switch_down_waits_and_is_undone(started):
    await choose(started, "solo")
    assert "becomes the Solo Plan" in started.plan.pending
    assert (await said(started))[-1] == started.plan.pending
    assert (started.plan.charge, started.plan.may_cancel) == ("$25.00", False)
    await run(started.undo())
    assert (started.plan.pending, started.plan.charge) == ("", "$44.00")
    await run(started.undo())
    assert started.error == ""


async def test_plan_is_cancelled_by_a_dialog_and_undone(started):
    await run(started.open_dialog("cancel"))
    await run(started.agree())
    assert (started.dialog, started.plan.charge) == ("", "")
    assert "Your plan ends on" in started.plan.pending
    assert (await said(started))[-1] == started.plan.pending
    customer = await started.get_state(CustomerState)
    assert " · Ends on " in customer.card.plan_summary
    await run(started.undo())
    assert started.plan.may_cancel
    assert customer.card.plan_summary == "4 fills per month"


async def test_double_click_switches_once(started):
    button = button_of(started, "big-family")
    await run(started.choose("big-family", button))
    await run(started.choose("big-family", button))
    assert (started.error, len(await rows(StoredPayment))) == ("", 2)


async def test_declined_card_changes_nothing_and_a_new_one_is_taken(state, cookie):
    await add_card(state, cookie, "insufficient_funds")
    await choose(state, "family")
    assert state.error == "Your card has insufficient funds. Nothing was charged."
    assert (state.error_at, state.wants_card) == ("family", True)  # beside the button
    assert (state.plan.badge, state.card.problem) == (
        "Not started",
        "Your card has insufficient funds.",
    )
    await add_card(state, cookie)
    assert state.card.problem == ""
    await choose(state, "family")
    assert (state.error, state.plan.badge) == ("", "Active")


async def test_plan_is_started_on_the_providers_page_where_the_bank_wants_it(state, cookie):
    await add_card(state, cookie, NEEDS_CONFIRMATION)
    address = redirected(await choose_there(state, "family"))
    assert address
    assert (state.error, state.busy, state.plan.badge) == ("", "", "Not started")
    visit = await add_at_page(address, NEEDS_CONFIRMATION)
    go_to(state, f"/billing?payment={visit}", cookie=cookie)
    assert redirected(await answer(state.arrive())) == "/billing"
    assert (await said(state))[-1] == "Payment confirmed"
    assert (state.plan.badge, state.debts) == ("Active", [])


async def choose_there(state: PlansState, plan_id: str) -> Any:
    return await answer(state.choose(plan_id, button_of(state, plan_id)))


async def test_page_that_was_left_says_so_and_the_button_is_there_again(state, cookie):
    await add_card(state, cookie, NEEDS_CONFIRMATION)
    assert redirected(await choose_there(state, "family"))
    (payment,) = await rows(StoredPayment, kind="hosted")
    go_to(state, f"/billing?left={payment.id}", cookie=cookie)
    await run(state.arrive())
    assert (await said(state))[-1] == NotPaid.message
    assert state.plan.problem == ""
    assert button_of(state, "family").startswith("Start Family")


async def test_card_is_removed_by_a_dialog(state, cookie):
    await add_card(state, cookie)
    await run(state.open_dialog("remove"))
    await run(state.close_dialog(False))
    await run(state.agree())
    assert (state.dialog, state.card.name) == ("", "Visa ending in 4242")
    await run(state.open_dialog("remove"))
    await run(state.agree())
    assert (state.dialog, state.card.name) == ("", "")


async def test_card_that_is_needed_stays_and_the_dialog_says_why(started):
    await run(started.open_dialog("remove"))
    await run(started.agree())
    assert started.dialog == "remove"
    assert "plan is paid with this card" in started.error
    await run(started.close_dialog(False))
    assert started.error == ""


async def test_unpaid_invoice_is_paid_now(state, cookie):
    await add_card(state, cookie)
    (payer,) = await rows(Payer)
    await an_invoice(payer, 1500)
    await run(state.arrive())
    (debt,) = state.debts
    assert (debt.button, debt.needs_confirmation) == ("Pay $15.00 now", False)
    await run(state.pay(debt.id))
    await run(state.pay(debt.id))
    assert (state.debts, state.error) == ([], "")


async def test_unpaid_invoice_is_confirmed_on_the_providers_page(state, cookie):
    await add_card(state, cookie, NEEDS_CONFIRMATION)
    (payer,) = await rows(Payer)
    invoice = await an_invoice(payer, 1500)
    await run(state.arrive())
    first = redirected(await answer(state.pay(invoice.id)))
    assert first
    assert (state.error, state.busy) == ("", "")
    await run(state.arrive())  # left by the browser's own Back
    assert state.debts[0].needs_confirmation
    address = redirected(await answer(state.confirm_payment(invoice.id)))
    assert address
    assert address != first
    go_to(state, f"/billing?payment={await add_at_page(address)}", cookie=cookie)
    await run(state.arrive())
    assert state.debts == []
    assert (await said(state))[-1] == "Payment confirmed"


async def test_past_due_plan_says_until_when(started):
    async with transaction() as session:
        await session.execute(update(StoredInvoice).values(state="open", paid_cents=0))
        await session.execute(update(Subscription).values(state="past_due"))
    await run(started.arrive())
    assert started.plan.badge == "Payment open"
    assert started.plan.problem.startswith("We are charging your card for your plan. It ends on")
    (debt,) = started.debts
    _number, day = debt.name.split(" · ")
    assert debt.what == f"Family Plan from {day}"
    steps = await started.get_state(StepsState)
    await run((await started.get_state(MonthState)).arrive())
    await run(steps.arrive())
    assert steps.due == "$44.00"


async def test_failing_database_is_said_with_a_way_to_try_again(state, monkeypatch):
    async def away(*_: Any) -> Any:
        raise OSError("away")

    monkeypatch.setattr(plans, "read_billing", away)
    await run(state.arrive())
    assert state.failed == FAILED


async def test_preview_stays_as_it_is():
    state = await (await at("/billing")).get_state(PlansState)
    await run(state.arrive())
    assert (state.loaded, state.plan.name) == (False, "")


@pytest.mark.parametrize("name", routes.VISITS)
async def test_each_visit_to_the_providers_page_says_what_has_come_of_it(name):
    tab, finished = tab_at(f"/billing?{name}=visit"), []

    async def finish(visit: str) -> None:
        finished.append(visit)

    assert redirected(await come_back(tab, finish)) == "/billing"
    assert finished == ["visit"]
    assert len(await said(tab)) == 1


@pytest.fixture
async def tab(cookie: str) -> rx.State:
    return await at("/dashboard", cookie)


async def back(tab: rx.State, cookie: str, visit: str) -> Any:
    """Come back from the provider's page."""
    go_to(tab, f"/dashboard?card={visit}", cookie=cookie)
    await run((await tab.get_state(MonthState)).arrive())
    return await answer((await tab.get_state(StepsState)).arrive())


async def with_card(tab: rx.State, cookie: str, kind: str = WORKS) -> StepsState:
    steps = await tab.get_state(StepsState)
    address = redirected(await answer(steps.add_card()))
    assert address
    assert redirected(await back(tab, cookie, await add_at_page(address, kind))) == "/dashboard"
    return steps


async def test_card_then_plan_by_their_buttons(tab, cookie):
    shown = await month(tab)
    assert shown.following.title == "Add a card"
    steps = await with_card(tab, cookie)
    assert shown.following.title == "Add your vehicle"
    assert steps.start.button.startswith("Start Family · $44.00 today")
    told = await run(steps.start_plan(steps.start.button))
    assert "next_step" in repr(told)
    assert (steps.error, steps.busy, steps.start.button) == ("", "", "")
    assert await said(tab) == ["Card added", "Your plan has started"]
    assert (shown.card.fills_remaining, shown.card.fills_total, shown.card.fills_used) == (
        "4",
        4,
        "0 of 4",
    )


async def test_refusal_stands_beside_the_button_with_the_way_to_another_card(tab, cookie):
    steps = await with_card(tab, cookie, "declined_later")
    await run(steps.start_plan(steps.start.button))
    assert (steps.error_at, steps.wants_card) == ("plan", True)
    assert steps.error == "Your card was declined. Nothing was charged."
    assert (await month(tab)).following.title == "Update your card"


async def test_other_amount_meanwhile_is_refused_with_the_new_words(tab, cookie):
    steps = await with_card(tab, cookie)
    (payer,) = await rows(Payer)
    await set_credit(payer.person_id or "", 400)
    old = steps.start.button
    await run(steps.start_plan(old))
    assert "changed meanwhile" in steps.error
    assert steps.start.button.startswith("Start Family · $40.00 today")
    await run(steps.start_plan(old))  # the second press of a double click
    assert "changed meanwhile" in steps.error
    await run(steps.start_plan(steps.start.button))
    assert steps.error == ""
    assert [each.state for each in await rows(StoredPayment)] == ["succeeded"]


async def test_abandoned_visit_changes_nothing_and_says_so(tab, cookie):
    steps = await tab.get_state(StepsState)
    address = redirected(await answer(steps.add_card()))
    assert address
    await back(tab, cookie, visit_in(address))
    assert await said(tab) == [str(NotAdded())]
    assert (await month(tab)).following.title == "Add a card"


@pytest.mark.parametrize("visit", ["cs_test_other", "../v1/customers", "\x00"])
async def test_forged_visit_is_refused(tab, cookie, visit):
    await back(tab, cookie, visit)
    assert await said(tab) == [str(OtherCheckout())]


async def test_provider_that_is_down_says_so_on_the_card(tab):
    faults().fail_next("down")
    steps = await tab.get_state(StepsState)
    assert await answer(steps.add_card()) is None
    assert (steps.error, steps.busy) == (str(ProviderDown()), "")


async def test_sign_up_without_a_session_of_its_own_is_left_alone(tab):
    (await tab.get_state(CustomerState)).is_own = False
    assert await answer((await tab.get_state(StepsState)).arrive()) is None
