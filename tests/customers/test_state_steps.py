"""The buttons of the card 'Next'."""

import pytest
import reflex as rx
from sqlalchemy import update

from fuel_app.customers.service import card as service
from fuel_app.customers.state.customer import CustomerState
from fuel_app.customers.state.steps import StepsState
from fuel_app.kit.db.session import transaction
from fuel_app.plans.tables import Subscription
from tests.helpers.customers import at, card, cookie_of, said
from tests.helpers.open_area import open_area
from tests.helpers.tabs import run

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
async def tab() -> rx.State:
    await open_area()
    return await at("/dashboard", await cookie_of())


async def test_card_then_plan_by_their_buttons(tab):
    customer, steps = await tab.get_state(CustomerState), await tab.get_state(StepsState)
    assert (customer.following.title, customer.following.start) == ("Add a card", "")
    await run(steps.use_test_card())
    assert customer.following.title == "Add your vehicle"
    assert customer.following.start.startswith("Start Family · $44.00 today")
    told = await run(steps.start_plan())
    assert "next_step" in repr(told)
    assert (steps.error, steps.busy) == ("", "")
    assert await said(tab) == ["Test card added", "Your plan has started"]
    shown = await card(tab)
    assert (shown.fills_remaining, shown.fills_total, shown.fills_used) == ("4", 4, "0 of 4")
    assert customer.following.start == ""


async def test_plan_changed_meanwhile_is_refused_with_the_new_words(tab):
    customer, steps = await tab.get_state(CustomerState), await tab.get_state(StepsState)
    await run(steps.use_test_card())
    async with transaction() as session:
        await session.execute(update(Subscription).values(plan_id="solo"))
    await run(steps.start_plan())
    assert "changed meanwhile" in steps.error
    assert customer.following.start.startswith("Start Solo · $25.00 today")
    assert (await card(tab)).plan == "Solo Plan"
    await run(steps.start_plan())
    assert steps.error == ""


async def test_public_site_says_that_payments_open_soon(tab, configure):
    configure(service, site_url="https://fuel.example")
    steps = await tab.get_state(StepsState)
    await run(steps.use_test_card())
    assert steps.error == "Payments open soon. We will tell you by e-mail."
