"""Cards on the provider's page: added, replaced, read anew, removed."""

from datetime import date

import pytest
from sqlalchemy import delete, update

from fuel_app.accounts.rules import AccountGone, Session
from fuel_app.billing.providers.stand_in.objects import DECLINED, WORKS
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.providers.stripe import Unavailable
from fuel_app.billing.rules.invoices import Debt
from fuel_app.billing.rules.payments import (
    CardNeeded,
    CardOnFile,
    NotAdded,
    NotConfirmed,
    OtherCheckout,
    ProviderDown,
)
from fuel_app.billing.service import cards
from fuel_app.billing.tables import CardSetup, Payer
from fuel_app.bookings.service import authorizations
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit.clock import months_later
from fuel_app.kit.db.session import transaction
from fuel_app.outcomes.service import checkouts
from fuel_app.plans.tables import Subscription
from tests.helpers.bank import an_invoice
from tests.helpers.cards import add_at_page, refuse_at_page, visit_in
from tests.helpers.jobs import Clock, run_due
from tests.helpers.people import a_person, history, rows
from tests.helpers.signed_in import session_of

pytestmark = pytest.mark.usefixtures("sqlite_database")

BACK = "http://localhost:3000/billing"


@pytest.fixture
async def by(sqlite_database: object) -> Session:
    return await a_customer("ada@example.com")


async def a_customer(email: str) -> Session:
    person = await a_person(email=email, password=None)
    async with transaction() as session:
        session.add(StoredCustomer(person_id=person.id, zip_code="34236"))
    return await session_of(person.id)


async def added(by: Session, card: str = WORKS) -> str:
    """Add a card and come back. Return the visit."""
    visit = await add_at_page(await cards.begin_checkout(by.person_id, BACK), card)
    await checkouts.finish_checkout(by.person_id, visit)
    return visit


async def has_card() -> list[bool]:
    return [row.has_card for row in await rows(StoredCustomer)]


async def test_added_card_is_stored_once_however_often_it_is_finished(by):
    visit = await added(by)
    await checkouts.finish_checkout(by.person_id, visit)
    assert await checkouts.complete_checkout(visit)
    shown = await cards.on_file(by.person_id)
    assert (shown.name, shown.last4) == ("Visa ending in 4242", "4242")
    assert await has_card() == [True]
    assert [kind for kind, _ in await history(by.person_id)] == ["card_added"]
    (payer,) = await rows(Payer)
    assert payer.card_fingerprint


async def test_provider_knows_a_customer_once(by):
    await added(by)
    (before,) = await rows(Payer)
    await added(by)
    (after,) = await rows(Payer)
    assert before.provider_id == after.provider_id != ""
    assert before.card_id != after.card_id


async def test_browser_that_never_comes_back_is_heard_of_by_the_webhook(by):
    await add_at_page(await cards.begin_checkout(by.person_id, BACK))
    await run_due()
    assert await has_card() == [True]


async def test_visit_is_looked_at_an_hour_later_where_no_webhook_came(by, monkeypatch):
    visit = await add_at_page(await cards.begin_checkout(by.person_id, BACK))
    (setup,) = await rows(CardSetup)
    await checkouts.expire_checkout(setup.id)
    await checkouts.expire_checkout(setup.id)
    assert (setup.session_id, await has_card()) == (visit, [True])


async def test_visit_that_is_none_of_ours_is_not_matched(by):
    visit = await add_at_page(await cards.begin_checkout(by.person_id, BACK))
    async with transaction() as session:
        await session.execute(delete(CardSetup))
    assert not await checkouts.complete_checkout(visit)


async def test_abandoned_visit_stays_without_a_card(by):
    visit = visit_in(await cards.begin_checkout(by.person_id, BACK))
    with pytest.raises(NotAdded):
        await checkouts.finish_checkout(by.person_id, visit)
    clock = Clock()
    clock.passes(hours=2)
    await run_due(clock)
    assert await has_card() == [False]


async def test_card_declined_at_setup_is_not_added(by):
    address = await cards.begin_checkout(by.person_id, BACK)
    await refuse_at_page(address, DECLINED)
    with pytest.raises(NotAdded):
        await checkouts.finish_checkout(by.person_id, visit_in(address))
    assert await cards.on_file(by.person_id) == CardOnFile()


async def test_visit_of_another_person_is_refused(by):
    visit = await add_at_page(await cards.begin_checkout(by.person_id, BACK))
    other = await a_customer("eve@example.com")
    for each in (visit, "cs_unknown", "no id"):
        with pytest.raises(OtherCheckout):
            await checkouts.finish_checkout(other.person_id, each)
    with pytest.raises(OtherCheckout):
        await checkouts.finish_guest_checkout("a-tab", visit)
    assert not any(await has_card())


async def test_staff_who_are_no_customers_add_none():
    person = await a_person()
    with pytest.raises(AccountGone):
        await cards.begin_checkout(person.id, BACK)


async def test_provider_down_at_the_beginning_or_at_the_end_is_said(by):
    faults().fail_next("down")
    with pytest.raises(ProviderDown):
        await cards.begin_checkout(by.person_id, BACK)
    visit = await add_at_page(await cards.begin_checkout(by.person_id, BACK))
    faults().fail_next("down")
    with pytest.raises(NotConfirmed):
        await checkouts.finish_checkout(by.person_id, visit)
    faults().fail_next("down")
    with pytest.raises(Unavailable):
        await checkouts.complete_checkout(visit)
    await checkouts.finish_checkout(by.person_id, visit)
    assert await has_card() == [True]


async def test_guest_adds_a_card_for_the_tab_alone():
    details = {"name": "Gus Guest", "email": "gus@example.com", "address": "198.51.100.7"}
    address = await cards.begin_guest_checkout("tab", **details, back=BACK)
    assert await cards.guests_payer("tab") == ""
    await checkouts.finish_guest_checkout("tab", await add_at_page(address))
    (payer,) = await rows(Payer)
    assert (await cards.on_guests_file("tab")).last4 == "4242"
    assert (await cards.guests_payer("tab"), payer.person_id) == (payer.id, None)
    assert await cards.guests_payer("other") == ""


async def test_new_card_replaces_the_old_one_and_tries_again_what_it_held_up(by, monkeypatch):
    told = []

    async def hear(_session, payer):
        told.append(payer.card_id)

    monkeypatch.setattr(authorizations, "authorize_new_card", hear)
    await added(by)
    (before,) = await rows(Payer)
    async with transaction() as session:
        await session.execute(update(Payer).values(card_problem="card_declined"))
    await added(by)
    (after,) = await rows(Payer)
    assert (after.card_problem, told) == ("", [before.card_id, after.card_id])
    await run_due()
    assert await _customer_of(before.card_id) == ""
    assert await _customer_of(after.card_id) == after.provider_id


async def _customer_of(card_id: str) -> str:
    return (await cards.stripe.read_card(card_id)).customer_id


async def test_card_that_the_bank_has_replaced_is_read_anew(by):
    await added(by)
    (payer,) = await rows(Payer)
    async with transaction() as session:
        await session.execute(update(Payer).values(card_last4="0000"))
    assert await cards.reread_card(payer.card_id)
    assert (await cards.on_file(by.person_id)).last4 == "4242"
    assert await cards.reread_card("pm_unknown")


async def test_card_removed_at_the_provider_is_forgotten_and_said(by):
    await added(by)
    (payer,) = await rows(Payer)
    await cards.stripe.detach_card(payer.card_id)
    await cards.reread_card(payer.card_id)
    shown = await cards.on_file(by.person_id)
    assert (shown.name, shown.problem, await has_card()) == ("", "card_removed", [False])
    await cards.reread_card(payer.card_id)
    assert [kind for kind, _ in await history(by.person_id)] == ["card_added", "card_removed"]


async def test_card_replaced_while_it_is_read_anew_stays(by, monkeypatch):
    await added(by)
    (old,) = await rows(Payer)
    read = cards.stripe.read_card

    async def meanwhile(card_id):
        async with transaction() as session:
            await session.execute(update(Payer).values(card_id="pm_new"))
        return await read(card_id)

    monkeypatch.setattr(cards.stripe, "read_card", meanwhile)
    await cards.reread_card(old.card_id)
    assert [row.card_id for row in await rows(Payer)] == ["pm_new"]


async def test_removed_card_is_gone_here_and_at_the_provider(by):
    await added(by)
    (payer,) = await rows(Payer)
    await checkouts.remove_card(by)
    await checkouts.remove_card(by)
    assert (await cards.on_file(by.person_id), await has_card()) == (CardOnFile(), [False])
    await run_due()
    assert await _customer_of(payer.card_id) == ""


async def test_card_removed_before_the_visit_was_stored_is_not_kept(by):
    visit = await add_at_page(await cards.begin_checkout(by.person_id, BACK))
    (payer,) = await rows(Payer)
    card_id = (await cards.stripe.read_session(visit)).card_id
    await cards.stripe.detach_card(card_id)
    await checkouts.finish_checkout(by.person_id, visit)
    assert (payer.provider_id != "", await has_card()) == (True, [False])


async def test_card_stays_while_a_plan_a_debt_or_a_check_needs_it(by, monkeypatch):
    await added(by)
    today = date(2026, 11, 23)
    plan = Subscription(person_id=by.person_id, plan_id="solo", state="active")
    plan.started_at, plan.anchor = (await rows(Payer))[0].created_at, today
    plan.period_starts, plan.period_ends = today, months_later(today, 1)
    async with transaction() as session:
        session.add(plan)
    with pytest.raises(CardNeeded):
        await checkouts.remove_card(by)
    async with transaction() as session:
        await session.execute(update(Subscription).values(state="cancelled"))
    (payer,) = await rows(Payer)
    await an_invoice(payer, 1500)
    with pytest.raises(Debt):
        await checkouts.remove_card(by)
    assert await has_card() == [True]


async def test_removal_is_refused_while_a_package_above_needs_the_card(by, monkeypatch):
    await added(by)

    async def refuse(_session, person_id):
        raise CardNeeded(person_id)

    monkeypatch.setattr(authorizations, "check_card_removable", refuse)
    with pytest.raises(CardNeeded):
        await checkouts.remove_card(by)


@pytest.mark.parametrize(
    ("month", "year", "note"),
    [(10, 2026, "Expired"), (11, 2026, "Expires soon"), (12, 2026, ""), (12, 2020, "Expired")],
)
def test_expiring_card_says_so(month, year, note):
    card = CardOnFile("visa", "4242", month, year)
    assert card.expires(date(2026, 11, 23)) == note
    assert card.expiry == f"{month}/{year % 100}"
    assert CardOnFile().expires(date(2026, 11, 23)) == CardOnFile().expiry == ""
