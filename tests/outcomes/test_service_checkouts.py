"""Checkouts on the provider's page: cards added, replaced, removed; payments confirmed."""

from contextlib import asynccontextmanager
from datetime import date

import pytest
from sqlalchemy import delete, update

from fuel_app.accounts.rules import AccountGone, Session
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in.objects import DECLINED, NEEDS_CONFIRMATION, SESSION, WORKS
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.providers.stripe import Unavailable
from fuel_app.billing.rules.invoices import OPEN, PAID, Debt, InvoiceGone
from fuel_app.billing.rules.payments import (
    CardNeeded,
    CardOnFile,
    NotAdded,
    NotConfirmed,
    OtherCheckout,
    PaymentDeclined,
    PaymentPending,
    ProviderDown,
)
from fuel_app.billing.service import cards, payments
from fuel_app.billing.tables import Checkout, Payer, StandInObject, StoredInvoice, StoredPayment
from fuel_app.bookings.service import authorizations
from fuel_app.customers.tables import StoredCustomer
from fuel_app.kit.clock import months_later
from fuel_app.kit.db.session import transaction
from fuel_app.outcomes.service import charges, checkouts
from fuel_app.plans.tables import Subscription
from tests.helpers.bank import an_invoice, invoice, stored_payments
from tests.helpers.cards import add_at_page, keep_at_the_bank, refuse_at_page, visit_in
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


async def test_browser_that_never_comes_back_is_heard_of_by_the_webhook(by):
    await add_at_page(await cards.begin_checkout(by.person_id, BACK))
    await run_due()
    assert await has_card() == [True]


async def test_visit_is_looked_at_an_hour_later_where_no_webhook_came(by, monkeypatch):
    visit = await add_at_page(await cards.begin_checkout(by.person_id, BACK))
    (setup,) = await rows(Checkout)
    await checkouts.expire_checkout(setup.id)
    await checkouts.expire_checkout(setup.id)
    assert (setup.session_id, await has_card()) == (visit, [True])


async def test_visit_that_is_none_of_ours_is_not_matched(by):
    visit = await add_at_page(await cards.begin_checkout(by.person_id, BACK))
    async with transaction() as session:
        await session.execute(delete(Checkout))
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


async def test_without_a_tabs_key_nobody_has_a_card():
    await cards.callers_payer("")
    assert (await cards.guests_payer(""), await cards.on_guests_file("")) == (
        "",
        cards.CardOnFile(),
    )


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


@pytest.mark.parametrize("state", ["active", "past_due"])
async def test_card_stays_while_a_plan_a_debt_or_a_check_needs_it(by, monkeypatch, state):
    await added(by)
    today = date(2026, 11, 23)
    plan = Subscription(person_id=by.person_id, plan_id="solo", state=state)
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


async def an_unpaid_invoice(by: Session) -> str:
    """Return the id of an invoice whose charge was declined."""
    await added(by, "insufficient_funds")
    (payer,) = await rows(Payer)
    owed = await an_invoice(payer, 1500)
    await charges.settle_invoice(owed.id, "1")
    return owed.id


async def test_what_is_unpaid_is_charged_once_to_a_new_card_while_the_customer_waits(by):
    owed = await an_unpaid_invoice(by)
    visit = await added(by)
    assert (await invoice(owed)).state == PAID
    await checkouts.finish_checkout(by.person_id, visit)
    await run_due()
    assert [row.state for row in await stored_payments()] == ["failed", "succeeded"]


async def test_new_card_counts_while_the_provider_is_down_and_its_jobs_charge_it_later(by):
    owed = await an_unpaid_invoice(by)
    faults().fail_next("503", on="payment_intents")
    await added(by)
    assert (await invoice(owed)).state == OPEN
    await run_due()
    assert (await invoice(owed)).state == PAID


@pytest.fixture
async def debtor(sqlite_database: object) -> Session:
    by = await a_customer("ada@example.com")
    await added(by, NEEDS_CONFIRMATION)
    (payer,) = await rows(Payer)
    await an_invoice(payer, 1500)
    return by


async def invoice_id() -> str:
    (row,) = await rows(StoredInvoice)
    return row.id


async def states() -> list[str]:
    made = sorted(await rows(StoredPayment), key=lambda each: each.id)
    return [each.state for each in made]


async def paid() -> tuple[str, int]:
    (row,) = await rows(StoredInvoice)
    return row.state, row.paid_cents


async def begun(by: Session) -> str:
    return await charges.begin_hosted_payment(by, await invoice_id(), BACK)


async def test_payment_that_needs_confirmation_is_paid_on_the_page(debtor):
    with pytest.raises(PaymentDeclined, match="confirm"):
        await charges.pay_now(debtor, await invoice_id())
    visit = await add_at_page(await begun(debtor), WORKS)
    await checkouts.finish_checkout(debtor.person_id, visit)
    await checkouts.finish_checkout(debtor.person_id, visit)
    assert await paid() == ("paid", 1500)
    assert await states() == ["failed", "succeeded"]
    (used,) = await rows(StoredPayment, state="succeeded")
    assert (used.card_brand, used.card_last4) == ("visa", "4242")
    with pytest.raises(InvoiceGone):
        await begun(debtor)


async def test_confirmed_payment_is_stored_though_the_browser_never_comes_back(debtor):
    await add_at_page(await begun(debtor))
    await run_due()
    assert await paid() == ("paid", 1500)


async def test_abandoned_confirmation_ends_and_the_card_may_be_charged(debtor):
    visit = visit_in(await begun(debtor))
    with pytest.raises(NotAdded):
        await checkouts.finish_checkout(debtor.person_id, visit)
    clock = Clock()
    clock.passes(hours=2)
    await run_due(clock)
    assert (await states(), await paid()) == (["cancelled"], ("open", 0))


async def test_second_visit_ends_the_first_one(debtor):
    first = visit_in(await begun(debtor))
    await add_at_page(await begun(debtor))
    assert (await payments.stripe.read_session(first)).is_expired
    await run_due()
    assert (await states(), await paid()) == (["cancelled", "succeeded"], ("paid", 1500))


async def test_charge_ends_an_open_visit_first_and_charges_once(debtor):
    await begun(debtor)
    with pytest.raises(PaymentDeclined):
        await charges.pay_now(debtor, await invoice_id())
    assert await states() == ["cancelled", "failed"]


async def test_confirmed_payment_is_found_by_the_next_charge(debtor):
    await add_at_page(await begun(debtor))
    await charges.pay_now(debtor, await invoice_id())
    assert (await states(), await paid()) == (["succeeded"], ("paid", 1500))


async def test_payment_that_the_bank_is_still_at_is_waited_for(debtor, monkeypatch):
    await add_at_page(await begun(debtor))

    keep_at_the_bank(monkeypatch)
    with pytest.raises(PaymentPending):
        await charges.pay_now(debtor, await invoice_id())
    with pytest.raises(PaymentPending):
        await begun(debtor)
    assert await states() == ["new"]


async def test_visit_whose_process_died_before_it_had_an_address_is_cancelled(debtor, monkeypatch):
    async def dies(*_given, **_named):
        raise RuntimeError

    monkeypatch.setattr(stripe, "begin_hosted", dies)
    with pytest.raises(RuntimeError):
        await begun(debtor)
    assert await states() == ["new"]
    (setup,) = [each for each in await rows(Checkout) if each.session_id is None]
    await checkouts.expire_checkout(setup.id)
    assert await states() == ["cancelled"]


async def test_invoice_paid_on_a_page_whose_answer_was_lost_and_on_the_next_is_paid_once(debtor):
    faults().fail_next("lost")
    with pytest.raises(ProviderDown):
        await begun(debtor)
    (lost,) = [
        each for each in await rows(StandInObject, kind=SESSION) if each.body["mode"] == "payment"
    ]
    await add_at_page(await begun(debtor))
    await add_at_page(lost.id)
    await run_due()
    assert await paid() == ("paid", 1500)
    made = await rows(StoredPayment)
    assert sorted(each.captured_cents - each.refunded_cents for each in made) == [0, 1500]


async def test_provider_that_is_down_as_a_former_visit_ends_leaves_it_open(debtor):
    first = visit_in(await begun(debtor))
    faults().fail_next("down")
    with pytest.raises(ProviderDown):
        await begun(debtor)
    assert await states() == ["new"]
    assert not (await payments.stripe.read_session(first)).is_expired


async def test_another_customers_invoice_is_refused(debtor):
    other = await a_customer("eve@example.com")
    for asked in (await invoice_id(), "x", None, 7, {"id": 1}):
        with pytest.raises(InvoiceGone):
            await charges.begin_hosted_payment(other, asked, BACK)
    assert await states() == []
    await begun(debtor)
    with pytest.raises(InvoiceGone):
        await charges.begin_hosted_payment(other, await invoice_id(), BACK)
    assert await states() == ["new"]  # the visit under way goes on


async def test_two_tabs_that_confirm_at_once_leave_one_page_to_pay_on(debtor, monkeypatch):
    made, others = stripe.begin_hosted, []

    async def begin_hosted(*given, **named):
        if not others:  # the other tab presses before this one has its address
            others.append("")
            others[0] = await begun(debtor)
        return await made(*given, **named)

    monkeypatch.setattr(stripe, "begin_hosted", begin_hosted)
    with pytest.raises(PaymentPending):
        await begun(debtor)
    await add_at_page(others[0])
    await run_due()
    assert (await states(), await paid()) == (["cancelled", "succeeded"], ("paid", 1500))
    ids = [each.session_id for each in await rows(Checkout) if each.done_at is None]
    visits_of = [await stripe.read_session(each or "") for each in ids]
    assert sorted(each.is_expired for each in visits_of) == [False, True]


async def test_page_that_could_not_be_ended_as_another_tab_had_begun_ends_later(
    debtor, monkeypatch
):
    made = stripe.begin_hosted

    async def begin_hosted(payment_id, **named):
        visit = await made(payment_id, **named)
        await charges.end_checkout(payment_id)  # as another tab does
        faults().fail_next("down", on="expire")
        return visit

    monkeypatch.setattr(stripe, "begin_hosted", begin_hosted)
    with pytest.raises(ProviderDown):
        await begun(debtor)
    assert await states() == ["cancelled"]
    clock = Clock()
    clock.passes(hours=2)
    await run_due(clock)
    (last,) = [each.session_id for each in await rows(Checkout) if each.done_at is None]
    assert (await stripe.read_session(last or "")).is_expired


async def test_visit_whose_address_is_just_made_is_not_ended(debtor, monkeypatch):
    made, real = stripe.begin_hosted, charges.transaction

    async def begin_hosted(*given, **named):
        visit = await made(*given, **named)

        @asynccontextmanager
        async def after_it_looked():
            patched.undo()
            await payments.checkout_begun(given[0], visit.id)
            async with real() as session:
                yield session

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(charges, "transaction", after_it_looked)
            assert not await charges.end_checkout(given[0])
        return visit

    monkeypatch.setattr(stripe, "begin_hosted", begin_hosted)
    await add_at_page(await begun(debtor))
    await run_due()
    assert (await states(), await paid()) == (["succeeded"], ("paid", 1500))


async def test_visit_that_has_ended_may_be_ended_once_more(debtor):
    await begun(debtor)
    (payment,) = await rows(StoredPayment)
    assert await charges.end_checkout(payment.id)
    assert await charges.end_checkout(payment.id)
    assert await states() == ["cancelled"]
