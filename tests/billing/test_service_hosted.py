"""Payments confirmed on the provider's page: once, ended, or left open there."""

from contextlib import asynccontextmanager

import pytest

from fuel_app.accounts.rules import Session
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in.objects import NEEDS_CONFIRMATION, SESSION, WORKS
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.rules.invoices import InvoiceGone
from fuel_app.billing.rules.payments import NotAdded, PaymentDeclined, PaymentPending, ProviderDown
from fuel_app.billing.service import payments
from fuel_app.billing.tables import CardSetup, Payer, StandInObject, StoredInvoice, StoredPayment
from fuel_app.outcomes.service import charges, checkouts
from tests.billing.test_service_cards import BACK, a_customer, added
from tests.helpers.bank import an_invoice
from tests.helpers.cards import add_at_page, keep_at_the_bank, visit_in
from tests.helpers.jobs import Clock, run_due
from tests.helpers.people import rows

pytestmark = pytest.mark.usefixtures("sqlite_database")


@pytest.fixture
async def by(sqlite_database: object) -> Session:
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


async def test_payment_that_needs_confirmation_is_paid_on_the_page(by):
    with pytest.raises(PaymentDeclined, match="confirm"):
        await charges.pay_now(by, await invoice_id())
    visit = await add_at_page(await begun(by), WORKS)
    await checkouts.finish_checkout(by.person_id, visit)
    await checkouts.finish_checkout(by.person_id, visit)
    assert await paid() == ("paid", 1500)
    assert await states() == ["failed", "succeeded"]
    with pytest.raises(InvoiceGone):
        await begun(by)


async def test_confirmed_payment_is_stored_though_the_browser_never_comes_back(by):
    await add_at_page(await begun(by))
    await run_due()
    assert await paid() == ("paid", 1500)


async def test_confirmed_payment_is_stored_an_hour_later_without_a_webhook(by):
    await add_at_page(await begun(by))
    await checkouts.expire_checkout((await rows(StoredPayment))[0].id)
    assert await paid() == ("paid", 1500)


async def test_abandoned_confirmation_ends_and_the_card_may_be_charged(by):
    visit = visit_in(await begun(by))
    with pytest.raises(NotAdded):
        await checkouts.finish_checkout(by.person_id, visit)
    clock = Clock()
    clock.passes(hours=2)
    await run_due(clock)
    assert (await states(), await paid()) == (["cancelled"], ("open", 0))


async def test_second_visit_ends_the_first_one(by):
    first = visit_in(await begun(by))
    await add_at_page(await begun(by))
    assert (await payments.stripe.read_session(first)).is_expired
    await run_due()
    assert (await states(), await paid()) == (["cancelled", "succeeded"], ("paid", 1500))


async def test_charge_ends_an_open_visit_first_and_charges_once(by):
    await begun(by)
    with pytest.raises(PaymentDeclined):
        await charges.pay_now(by, await invoice_id())
    assert await states() == ["cancelled", "failed"]


async def test_confirmed_payment_is_found_by_the_next_charge(by):
    await add_at_page(await begun(by))
    await charges.pay_now(by, await invoice_id())
    assert (await states(), await paid()) == (["succeeded"], ("paid", 1500))


async def test_payment_that_the_bank_is_still_at_is_waited_for(by, monkeypatch):
    await add_at_page(await begun(by))

    keep_at_the_bank(monkeypatch)
    with pytest.raises(PaymentPending):
        await charges.pay_now(by, await invoice_id())
    with pytest.raises(PaymentPending):
        await begun(by)
    assert await states() == ["new"]


async def test_visit_that_the_provider_did_not_begin_is_cancelled_at_once(by):
    faults().fail_next("down")
    with pytest.raises(ProviderDown):
        await begun(by)
    assert (await states(), await paid()) == (["cancelled"], ("open", 0))


async def test_visit_whose_process_died_before_it_had_an_address_is_cancelled(by, monkeypatch):
    async def dies(*_given, **_named):
        raise RuntimeError

    monkeypatch.setattr(stripe, "begin_hosted", dies)
    with pytest.raises(RuntimeError):
        await begun(by)
    assert await states() == ["new"]
    (setup,) = [each for each in await rows(CardSetup) if each.session_id is None]
    await checkouts.expire_checkout(setup.id)
    assert await states() == ["cancelled"]


async def test_invoice_paid_on_a_page_whose_answer_was_lost_and_on_the_next_is_paid_once(by):
    faults().fail_next("lost")
    with pytest.raises(ProviderDown):
        await begun(by)
    (lost,) = [
        each for each in await rows(StandInObject, kind=SESSION) if each.body["mode"] == "payment"
    ]
    await add_at_page(await begun(by))
    await add_at_page(lost.id)
    await run_due()
    assert await paid() == ("paid", 1500)
    made = await rows(StoredPayment)
    assert sorted(each.captured_cents - each.refunded_cents for each in made) == [0, 1500]


async def test_provider_that_is_down_as_a_former_visit_ends_leaves_it_open(by):
    first = visit_in(await begun(by))
    faults().fail_next("down")
    with pytest.raises(ProviderDown):
        await begun(by)
    assert await states() == ["new"]
    assert not (await payments.stripe.read_session(first)).is_expired


async def test_another_customers_invoice_is_refused(by):
    other = await a_customer("eve@example.com")
    for asked in (await invoice_id(), "x", None, 7, {"id": 1}):
        with pytest.raises(InvoiceGone):
            await charges.begin_hosted_payment(other, asked, BACK)
    assert await states() == []
    await begun(by)
    with pytest.raises(InvoiceGone):
        await charges.begin_hosted_payment(other, await invoice_id(), BACK)
    assert await states() == ["new"]  # the visit under way goes on


async def test_two_tabs_that_confirm_at_once_leave_one_page_to_pay_on(by, monkeypatch):
    made, others = stripe.begin_hosted, []

    async def begin_hosted(*given, **named):
        if not others:  # the other tab presses before this one has its address
            others.append("")
            others[0] = await begun(by)
        return await made(*given, **named)

    monkeypatch.setattr(stripe, "begin_hosted", begin_hosted)
    with pytest.raises(PaymentPending):
        await begun(by)
    await add_at_page(others[0])
    await run_due()
    assert (await states(), await paid()) == (["cancelled", "succeeded"], ("paid", 1500))
    ids = [each.session_id for each in await rows(CardSetup) if each.done_at is None]
    visits_of = [await stripe.read_session(each or "") for each in ids]
    assert sorted(each.is_expired for each in visits_of) == [False, True]


async def test_page_that_could_not_be_ended_as_another_tab_had_begun_ends_later(by, monkeypatch):
    made = stripe.begin_hosted

    async def begin_hosted(payment_id, **named):
        visit = await made(payment_id, **named)
        await charges.end_checkout(payment_id)  # as another tab does
        faults().fail_next("down", on="expire")
        return visit

    monkeypatch.setattr(stripe, "begin_hosted", begin_hosted)
    with pytest.raises(ProviderDown):
        await begun(by)
    assert await states() == ["cancelled"]
    clock = Clock()
    clock.passes(hours=2)
    await run_due(clock)
    (last,) = [each.session_id for each in await rows(CardSetup) if each.done_at is None]
    assert (await stripe.read_session(last or "")).is_expired


async def test_visit_whose_address_is_just_made_is_not_ended(by, monkeypatch):
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
    await add_at_page(await begun(by))
    await run_due()
    assert (await states(), await paid()) == (["succeeded"], ("paid", 1500))


async def test_visit_that_has_ended_may_be_ended_once_more(by):
    await begun(by)
    (payment,) = await rows(StoredPayment)
    assert await charges.end_checkout(payment.id)
    assert await charges.end_checkout(payment.id)
    assert await states() == ["cancelled"]
