"""The tab 'Invoices' of one customer, and the dialog that corrects one."""

import pytest

from fuel_app.accounts.rules import Role
from fuel_app.billing.providers.stripe import RefundInfo
from fuel_app.billing.rules.corrections import CHARGE, TO_CARD, TO_CREDIT, WAIVED, WRITE_OFF
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.tables import CorrectionRequest, CreditNote, Payer, Refund
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import FAILED
from fuel_app.office.state.customers import CustomerDashboardState
from fuel_app.office.state.invoices import GIFT, CorrectionState, InvoicesTab
from fuel_app.outcomes.service import charges
from fuel_app.outcomes.service import corrections as outcomes_corrections
from tests.customers.test_service_directory import a_customer
from tests.helpers.admins import AdminTab
from tests.helpers.bank import CARD, Bank, an_invoice, bank
from tests.helpers.open_area import open_area
from tests.helpers.people import rows
from tests.helpers.tabs import go_to, problems

__all__ = ["bank"]

TEN = {"amount": "10", "reason": "Spilled"}


@pytest.fixture(autouse=True)
async def _open(sqlite_database):
    await open_area()


async def a_payer(email: str = "ada@example.com") -> Payer:
    customer_id = await a_customer(email=email)
    async with transaction() as session:
        row = await invoices.payer_of_person(session, customer_id)
        row.provider_id, row.card_id, row.card_last4 = "cus_1", CARD, "4242"
    return row


async def shown_tab(payer: Payer, *roles: Role) -> tuple[AdminTab, InvoicesTab]:
    address = f"/customer-dashboard?customer={payer.person_id}&tab=invoices"
    tab = await AdminTab.at(address, *(roles or (Role.ADMIN,)))
    await tab.fire(CustomerDashboardState.load)
    return tab, await tab.screen(InvoicesTab)


async def one(*roles: Role, paid: bool = True) -> tuple[AdminTab, InvoicesTab]:
    """Return the tab with one invoice of $100 chosen."""
    payer = await a_payer()
    row = await an_invoice(payer, 10_000)
    if paid:
        await charges.settle_invoice(row.id, "1")
    tab, shown = await shown_tab(payer, *roles)
    await tab.fire(InvoicesTab.choose, row.id)
    return tab, shown


async def done(tab: AdminTab, kind: str, form: object) -> CorrectionState:
    await tab.fire(CorrectionState.begin, kind)
    await tab.fire(CorrectionState.submit, form)
    return await tab.screen(CorrectionState)


async def test_tab_lists_invoices_with_what_is_due(bank: Bank):
    payer = await a_payer()
    first = await an_invoice(payer, 4000)
    await charges.settle_invoice(first.id, "1")
    second = await an_invoice(payer, 1500, 500)
    bank.answers = ["insufficient_funds"]
    await charges.settle_invoice(second.id, "1")
    tab, shown = await shown_tab(payer, Role.DISPATCHER)
    assert [
        (each.name, each.status, each.total, each.paid, each.due) for each in shown.account.invoices
    ] == [
        ("GF-000002", "Open", "$20.00", "$0.00", "$20.00"),
        ("GF-000001", "Paid", "$40.00", "$40.00", "$0.00"),
    ]
    assert (shown.account.credit, shown.account.credit_changes) == ("$0.00", ())
    assert (shown.loading, shown.failed) == (False, False)
    await tab.fire(InvoicesTab.choose, second.id)
    [payment] = shown.shown.payments
    assert (payment.text, payment.amount) == ("Charge, failed", "$20.00")
    assert payment.note.endswith("Insufficient funds")
    assert [line.amount for line in shown.shown.lines] == ["$15.00", "$5.00"]
    assert shown.shown.left == dict.fromkeys((WAIVED, CHARGE, WRITE_OFF), "$20.00")
    await tab.fire(InvoicesTab.choose, "")
    assert shown.shown.id == ""


async def test_double_click_refunds_once(bank: Bank):
    tab, shown = await one()
    await tab.fire(CorrectionState.begin, TO_CARD)
    asked = await tab.screen(CorrectionState)
    assert (asked.kind, asked.left, asked.name) == (TO_CARD, "$100.00", "GF-000001")
    for _ in range(2):
        await tab.fire(CorrectionState.submit, TEN)
    assert (asked.kind, await tab.said()) == ("", ["Refund on its way"])
    [note] = shown.shown.notes
    assert (note.text, note.amount) == ("CN-000001, refunded to the card", "$10.00")
    assert shown.shown.left == {TO_CARD: "$90.00", TO_CREDIT: "$90.00"}


async def test_lost_answer_and_another_press_refund_once(bank: Bank, monkeypatch):
    tab, shown = await one()
    correct = outcomes_corrections.correct_invoice

    async def answer_lost(*given: object) -> None:
        await correct(*given)  # type: ignore[arg-type]
        raise ConnectionError

    monkeypatch.setattr(outcomes_corrections, "correct_invoice", answer_lost)
    asked = await done(tab, TO_CREDIT, TEN)
    assert (asked.error, asked.kind, asked.busy) == (FAILED, TO_CREDIT, False)
    monkeypatch.setattr(outcomes_corrections, "correct_invoice", correct)
    await tab.fire(CorrectionState.submit, TEN)
    assert (asked.error, asked.kind, shown.account.credit) == ("", "", "$10.00")
    assert len(await rows(CreditNote)) == 1


async def test_amount_above_what_may_be_given_is_said_under_its_field(bank: Bank):
    tab, _ = await one(Role.DISPATCHER)
    asked = await done(tab, TO_CARD, TEN | {"amount": "50.01"})
    said = {"amount": "At most $50.00 in 24 hours for this customer. An admin can give more."}
    assert problems(asked.errors) == said
    await tab.fire(CorrectionState.edit, TEN | {"amount": "50.01"})  # another field had the focus
    assert problems(asked.errors) == said
    await tab.fire(CorrectionState.edit, TEN)
    assert not problems(asked.errors)
    await tab.fire(CorrectionState.submit, {"amount": "", "reason": ""})
    assert set(problems(asked.errors)) == {"amount", "reason"}
    await tab.fire(CorrectionState.close, False)
    assert (asked.kind, await rows(CreditNote)) == ("", [])


async def test_an_admin_is_asked_for_what_is_above_the_limit_once(bank: Bank):
    tab, shown = await one(Role.DISPATCHER)
    await tab.fire(CorrectionState.ask_admin)
    asked = await done(tab, TO_CARD, TEN | {"amount": "80"})
    assert asked.ask == "Ask an admin for $80.00"
    await tab.fire(CorrectionState.edit, TEN | {"amount": "80"})
    assert asked.ask != ""
    await tab.fire(CorrectionState.edit, TEN | {"amount": "90"})
    assert asked.ask == ""
    await tab.fire(CorrectionState.ask_admin)
    assert await rows(CorrectionRequest) == []
    await tab.fire(CorrectionState.submit, TEN | {"amount": "80"})
    for _ in range(2):  # a double click
        await tab.fire(CorrectionState.ask_admin)
    [row] = await rows(CorrectionRequest)
    assert (row.way, row.amount_cents, row.reason) == (TO_CARD, 8_000, "Spilled")
    assert (asked.opened, await tab.said()) == (False, ["An admin is asked"])
    assert [each.amount for each in shown.requests] == ["$80.00"]
    await done(tab, TO_CARD, TEN | {"amount": "80"})
    await tab.fire(CorrectionState.ask_admin)
    assert asked.error == "An admin has been asked for just this already."
    await done(tab, GIFT, TEN | {"amount": "80"})
    await tab.fire(CorrectionState.ask_admin)
    assert len(await rows(CorrectionRequest)) == 2


async def test_dialog_names_what_is_left_before_an_amount_is_typed(bank: Bank):
    tab, _ = await one(Role.DISPATCHER)
    asked = await tab.screen(CorrectionState)
    await tab.fire(CorrectionState.begin, TO_CARD)
    assert (asked.left, asked.most) == ("$100.00", "Up to $50.00")
    await tab.fire(CorrectionState.submit, TEN | {"amount": "34"})
    for kind in (TO_CARD, TO_CREDIT, GIFT):
        await tab.fire(CorrectionState.begin, kind)
        assert asked.most == "Up to $16.00"
    await tab.fire(CorrectionState.submit, TEN | {"amount": "16"})
    await tab.fire(CorrectionState.begin, TO_CARD)
    assert asked.most.startswith("Your $50.00 for this customer are used up until ")


async def test_admin_gives_credit_without_an_invoice_and_up_to_what_is_left_of_one(bank: Bank):
    tab, shown = await one()
    asked = await tab.screen(CorrectionState)
    await tab.fire(CorrectionState.begin, GIFT)
    assert asked.most == "For later invoices"
    await tab.fire(CorrectionState.submit, TEN)
    assert (shown.account.credit, shown.account.credit_changes[0].text) == ("$10.00", "Spilled")
    await tab.fire(CorrectionState.begin, TO_CARD)
    assert asked.most == "Up to $100.00"


async def test_waiving_charging_and_writing_off_an_open_invoice(bank: Bank):
    tab, shown = await one(paid=False)
    await done(tab, WAIVED, TEN)
    assert (shown.shown.due, shown.shown.left[CHARGE]) == ("$90.00", "$90.00")
    bank.answers = ["expired_card"]
    asked = await done(tab, CHARGE, {"reason": "Asked to"})
    assert asked.error == "Your card has expired. Nothing was charged."
    assert len(shown.shown.payments) == 1
    await done(tab, WRITE_OFF, {"reason": "Moved away"})
    assert (shown.shown.status, shown.shown.left) == ("Not paid", {WAIVED: "$90.00"})


async def test_failed_refund_is_shown_and_tried_again(bank: Bank):
    tab, shown = await one()
    await done(tab, TO_CARD, TEN)
    [refund] = await rows(Refund)
    await payments.perform_refund(refund.id)
    [provider_id] = bank.refunds
    bank.refunds[provider_id] = RefundInfo(provider_id, "failed", refund.id)
    await payments.sync_refund(provider_id)
    await shown._load()
    [note] = shown.shown.notes
    assert (note.retry, note.note.rpartition(". ")[2]) == (refund.id, "refund failed")
    for _ in range(2):
        await tab.fire(CorrectionState.retry, refund.id)
    assert shown.shown.notes[0].retry == ""
    assert await tab.said() == ["Refund on its way", "This refund has not failed (any more)."]


async def test_what_the_invoice_does_not_allow_opens_no_dialog(bank: Bank):
    tab, _ = await one()
    for kind in (CHARGE, WAIVED, "", "made-up"):
        await tab.fire(CorrectionState.begin, kind)
        await tab.fire(CorrectionState.submit, TEN)
        assert (await tab.screen(CorrectionState)).kind == ""


async def test_money_moves_for_no_customer_but_the_one_that_is_shown(bank: Bank):
    tab, shown = await one()
    other = await a_customer("Zoe Adams")
    await tab.fire(CorrectionState.begin, TO_CARD)
    dialog = await tab.screen(CorrectionState)
    assert dialog.kind == TO_CARD
    cookie = tab.tab.router.headers.raw_headers["cookie"]
    go_to(tab.tab, f"/customer-dashboard?customer={other}", cookie=cookie)
    await tab.fire(CustomerDashboardState.load)
    assert (dialog.kind, shown.shown.id, shown.account.invoices) == ("", "", ())
    await tab.fire(CorrectionState.submit, TEN)
    for kind in (TO_CARD, GIFT):  # pressed as the page of before was still there
        await tab.fire(CorrectionState.begin, kind)
        assert dialog.kind == ""
    assert await rows(Refund) == []
