"""The test card of localhost, and the plan that starts with it."""

from collections.abc import Callable

import pytest
from sqlalchemy import update

from fuel_app.accounts.rules import Session
from fuel_app.accounts.tables import Person
from fuel_app.customers.rules.account import NotVerified
from fuel_app.customers.service import card
from fuel_app.customers.service.person import Own
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit.clock import months_later
from fuel_app.kit.db.session import transaction
from fuel_app.plans.rules.plans import BY_ID
from fuel_app.plans.rules.subscriptions import start_wording
from fuel_app.plans.tables import Subscription
from tests.helpers.people import a_person, history, rows
from tests.helpers.plans import today
from tests.helpers.signed_in import session_of

pytestmark = pytest.mark.usefixtures("database")

WORDS = start_wording(BY_ID["family"])


@pytest.fixture
async def by() -> Session:
    person = await a_person()
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person.id, zip_code="34236"))
        session.add(Subscription(person_id=person.id, plan_id="family"))
    return await session_of(person.id)


async def test_test_card_is_stored_once(by):
    await card.use_test_card(by)
    await card.use_test_card(by)
    assert [kind for kind, _ in await history(by.person_id)] == ["card_added"]
    read = await Own(by).read()
    assert (read.has_card, read.may_use_test_card, read.may_start_plan) == (True, True, True)


async def test_staff_who_are_no_customers_have_no_card():
    person = await a_person()
    with pytest.raises(card.PaymentsOpenSoon):
        await card.use_test_card(await session_of(person.id))


@pytest.mark.parametrize("site", ["https://fuel.example", "http://fuel.example"])
async def test_public_site_has_no_test_card_and_honours_none(
    by, site, configure: Callable[..., None]
):
    await card.use_test_card(by)
    configure(card, site_url=site)
    with pytest.raises(card.PaymentsOpenSoon):
        await card.use_test_card(by)
    with pytest.raises(card.NoCard):
        await card.start_plan(by, WORDS)
    read = await Own(by).read()
    assert (read.has_card, read.may_use_test_card) == (False, False)


async def test_plan_needs_a_verified_email_and_a_card(by):
    with pytest.raises(card.NoCard):
        await card.start_plan(by, WORDS)
    async with transaction() as session:
        await session.execute(update(Person).values(email_verified_at=None))
    with pytest.raises(NotVerified):
        await card.start_plan(by, WORDS)


async def test_started_plan_shows_its_fills_and_the_next_billing(by):
    await card.use_test_card(by)
    assert (await Own(by).read()).fills_remaining is None
    await card.start_plan(by, WORDS)
    await card.start_plan(by, WORDS)
    read = await Own(by).read()
    assert (read.fills_remaining, read.fills_granted, read.fills_used) == (4, 4, 0)
    assert (read.next_billing, read.may_start_plan) == (months_later(today(), 1), False)
    [stored] = await rows(Subscription)
    assert stored.wording == WORDS
