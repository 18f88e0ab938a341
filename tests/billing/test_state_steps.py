"""The buttons of the card 'Next': a card on the provider's page, then the plan."""

from typing import Any

import pytest
import reflex as rx

from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.rules.payments import NotAdded, OtherCheckout, ProviderDown
from fuel_app.billing.tables import Payer, StoredPayment
from fuel_app.customers.state.customer import CustomerState
from fuel_app.dashboard.state import MonthState, StepsState
from tests.helpers.cards import add_at_page, visit_in
from tests.helpers.customers import at, cookie_of, month, said
from tests.helpers.open_area import open_area
from tests.helpers.people import rows
from tests.helpers.plan_money import set_credit
from tests.helpers.tabs import answer, go_to, redirected, run

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
async def cookie(sqlite_database: Any) -> str:
    await open_area()
    return await cookie_of()


@pytest.fixture
async def tab(cookie: str) -> rx.State:
    return await at("/dashboard", cookie)


async def back(tab: rx.State, cookie: str, visit: str) -> Any:
    """Come back from the provider's page."""
    go_to(tab, f"/dashboard?card={visit}", cookie=cookie)
    await run((await tab.get_state(MonthState)).arrive())
    return await answer((await tab.get_state(StepsState)).arrive())


async def with_card(tab: rx.State, cookie: str) -> StepsState:
    steps = await tab.get_state(StepsState)
    address = redirected(await answer(steps.add_card()))
    assert address
    assert redirected(await back(tab, cookie, await add_at_page(address))) == "/dashboard"
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


async def with_a_card_of(tab: rx.State, cookie: str, kind: str) -> StepsState:
    steps = await tab.get_state(StepsState)
    address = redirected(await answer(steps.add_card()))
    assert address
    await back(tab, cookie, await add_at_page(address, kind))
    return steps


async def test_refusal_stands_beside_the_button_with_the_way_to_another_card(tab, cookie):
    steps = await with_a_card_of(tab, cookie, "declined_later")
    await run(steps.start_plan(steps.start.button))
    assert (steps.error_at, steps.wants_card) == ("plan", True)
    assert steps.error == "Your card was declined. Nothing was charged."
    assert (await month(tab)).following.title == "Update your card"


async def test_plan_is_confirmed_on_the_providers_page_where_the_bank_wants_it(tab, cookie):
    steps = await with_a_card_of(tab, cookie, "needs_confirmation")
    address = redirected(await answer(steps.start_plan(steps.start.button)))
    assert address
    assert (steps.error, steps.busy) == ("", "")
    visit = await add_at_page(address, "needs_confirmation")
    go_to(tab, f"/dashboard?payment={visit}", cookie=cookie)
    await run((await tab.get_state(MonthState)).arrive())
    await run(steps.arrive())
    assert (await said(tab))[-1] == "Payment confirmed"
    assert (await month(tab)).card.fills_remaining == "4"


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


@pytest.mark.parametrize("visit", ["cs_test_other", "../v1/customers", "\x00", "%"])
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
