"""Staff correct invoices: keys, disputes, the audit log, and what becomes of a plan."""

from uuid import uuid4

import pytest
from sqlalchemy import update

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.accounts.service import staff as staff_accounts
from fuel_app.billing.providers.stripe import RefundInfo
from fuel_app.billing.rules.corrections import (
    TO_CARD,
    TO_CREDIT,
    WAIVED,
    Account,
    Correction,
    Disputed,
    InvoiceCard,
    NothingLeft,
    Reason,
    RefundGone,
)
from fuel_app.billing.rules.invoices import InvoiceGone
from fuel_app.billing.rules.payments import PaymentDeclined, PaymentPending
from fuel_app.billing.service import payments, reports
from fuel_app.billing.tables import Payer, StoredPayment
from fuel_app.kit import clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.outbox import Message
from fuel_app.outcomes.jobs import compare
from fuel_app.outcomes.service import charges, renewals
from fuel_app.outcomes.service import corrections as outcomes_corrections
from tests.factories import UNKNOWN_ID
from tests.helpers import plan_money
from tests.helpers.bank import Bank, a_payer, an_invoice, bank, perform_refunds
from tests.helpers.open_area import open_area
from tests.helpers.people import a_person, history, rows
from tests.helpers.stored_bookings import a_booking

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("sqlite_database")


WHY = Reason(reason="Spilled")


async def staff(*roles: Role) -> Actor:
    held = roles or (Role.ADMIN,)
    found = await a_person(*held, email=f"{uuid4()}@example.com", first_name="Grace")
    return Actor(frozenset(held), found.id)


def amount(typed: str) -> Correction:
    return Correction.parse({"amount": typed, "reason": "Spilled"})


async def an_unpaid(cents: int = 10_000) -> tuple[Payer, str]:
    payer = await a_payer()
    return payer, (await an_invoice(payer, cents)).id


async def a_paid(cents: int = 10_000) -> tuple[Payer, str]:
    payer, invoice_id = await an_unpaid(cents)
    await charges.settle_invoice(invoice_id, "1")
    return payer, invoice_id


async def account(payer: Payer) -> Account:
    assert await compare(clock.now()) == 0
    return await reports.account_of(await staff(Role.DISPATCHER), payer.person_id)


async def bill(payer: Payer) -> InvoiceCard:
    [found] = (await account(payer)).invoices
    return found


async def dispute(status: str) -> None:
    async with transaction() as session:
        await session.execute(update(StoredPayment).values(dispute=status))


async def problem(actor: Actor, invoice_id: str, way: str, typed: str) -> str:
    with pytest.raises(InvalidForm) as refused:
        await outcomes_corrections.correct_invoice(actor, invoice_id, way, amount(typed), "k")
    assert set(refused.value.messages) == {"amount"}
    return refused.value.messages["amount"]


async def test_refund_pressed_twice_goes_back_once(bank: Bank):
    payer, invoice_id = await a_paid()
    by = await staff()
    for _ in range(2):
        await outcomes_corrections.correct_invoice(by, invoice_id, TO_CARD, amount("100"), "k")
    await perform_refunds()
    [told] = await rows(Message, kind="refunded")
    assert (told.person_id, told.payload["amount"]) == (payer.person_id, "$100.00")
    assert told.payload["where"].startswith("goes back to your card")
    found = await bill(payer)
    assert (found.status, found.left) == ("Refunded", {})
    assert [call[2] for call in bank.calls if call[0] == "refund"] == [10_000]
    [note] = found.notes
    reason, who, refund = note.note.split(". ")
    assert (reason, who[:15], refund) == ("Spilled", "Grace Lovelace,", "refund arrived")
    log = await staff_accounts.list_changes(by, payer.person_id)
    assert (log[0].what, log[0].after) == ("Invoice refunded", "GF-000001, $100.00, Spilled")


async def test_guest_is_told_at_the_address_of_their_booking(bank: Bank):
    payer, booking = await a_payer(), await a_booking(await open_area())
    row = await an_invoice(payer, 1500, booking_id=booking.id)
    by = await staff()
    await outcomes_corrections.correct_invoice(by, row.id, WAIVED, amount("15"), "k")
    [told] = await rows(Message, kind="refunded")
    assert (told.person_id, told.recipient) == (None, "gus@example.com")
    assert (told.payload["booking"], told.payload["where"]) == (
        booking.id,
        "was taken off your bill",
    )


async def test_refund_in_parts_ends_at_what_was_paid(bank: Bank):
    payer, invoice_id = await a_paid()
    by = await staff()
    await outcomes_corrections.correct_invoice(by, invoice_id, TO_CARD, amount("60"), "a")
    assert "Enter $40.00 or less" in await problem(by, invoice_id, TO_CARD, "40.01")
    await outcomes_corrections.correct_invoice(by, invoice_id, TO_CREDIT, amount("40"), "b")
    with pytest.raises(NothingLeft):
        await outcomes_corrections.correct_invoice(by, invoice_id, TO_CARD, amount("0.01"), "c")
    found = await account(payer)
    assert (found.credit, found.credit_changes[0].amount, found.card) == (
        *("$40.00", "$40.00"),
        " ending in 4242",
    )


async def test_customer_who_never_paid_has_an_empty_account_and_can_get_credit():
    person = await a_person(email="new@example.com")
    by = await staff()
    assert await reports.account_of(by, person.id) == Account()
    room = await outcomes_corrections.room_for(await staff(Role.DISPATCHER), person.id)
    assert room
    assert room.hint == "Up to $50.00"
    await outcomes_corrections.give_credit(by, person.id, amount("5"), "k")
    assert (await reports.account_of(by, person.id)).credit == "$5.00"


async def test_waiving_more_than_is_due_is_refused_and_all_of_it_settles_it(bank: Bank):
    payer, invoice_id = await an_unpaid()
    by = await staff()
    assert "$100.00 or less" in await problem(by, invoice_id, WAIVED, "100.01")
    with pytest.raises(NothingLeft):
        await outcomes_corrections.correct_invoice(by, invoice_id, TO_CARD, amount("1"), "k")
    for key in ("a", "a", "b"):
        await outcomes_corrections.correct_invoice(by, invoice_id, WAIVED, amount("50"), key)
    found = await bill(payer)
    assert (found.status, found.left, bank.calls) == ("Waived", {}, [])
    with pytest.raises(NothingLeft):
        await outcomes_corrections.correct_invoice(by, invoice_id, WAIVED, amount("1"), "c")


@pytest.mark.parametrize(
    ("status", "refused"), [("needs_response", True), ("lost", True), ("won", False)]
)
async def test_refund_while_a_dispute_is_open_is_refused(bank: Bank, status: str, refused: bool):
    payer, invoice_id = await a_paid()
    await dispute(status)
    by = await staff()
    assert (TO_CARD in (await bill(payer)).left) is not refused
    try:
        await outcomes_corrections.correct_invoice(by, invoice_id, TO_CREDIT, amount("1"), "k")
    except Disputed:
        assert refused
    else:
        assert not refused


async def test_refund_that_fails_later_keeps_its_credit_note_and_is_tried_again_once(bank: Bank):
    payer, invoice_id = await a_paid()
    by = await staff()
    await outcomes_corrections.correct_invoice(by, invoice_id, TO_CARD, amount("10"), "k")
    await perform_refunds()
    [(provider_id, info)] = bank.refunds.items()
    bank.refunds[provider_id] = RefundInfo(provider_id, "failed", info.refund_id)
    await payments.sync_refund(provider_id)
    [note] = (await bill(payer)).notes
    assert (note.retry, note.note[-13:]) == (info.refund_id, "refund failed")
    await outcomes_corrections.retry_refund(by, info.refund_id)
    with pytest.raises(RefundGone):
        await outcomes_corrections.retry_refund(by, info.refund_id)
    await payments.sync_refund(provider_id)  # told once more of the first one
    await perform_refunds()
    [note] = (await bill(payer)).notes
    assert (note.retry, note.note[-29:]) == ("", "refund failed. refund arrived")
    assert len(bank.refunds) == 2


async def test_failed_refund_of_a_disputed_payment_is_not_tried_again(bank: Bank):
    payer, invoice_id = await a_paid()
    bank.answers = ["failed"]
    by = await staff()
    await outcomes_corrections.correct_invoice(by, invoice_id, TO_CARD, amount("10"), "k")
    await perform_refunds()
    await dispute("needs_response")
    [note] = (await bill(payer)).notes
    with pytest.raises(Disputed):
        await outcomes_corrections.retry_refund(by, note.retry)


async def test_charging_now_says_how_it_ended(bank: Bank):
    payer, invoice_id = await an_unpaid()
    by = await staff(Role.DISPATCHER)
    bank.answers = ["insufficient_funds", ConnectionError("lost")]
    with pytest.raises(PaymentDeclined):
        await outcomes_corrections.charge_invoice(by, invoice_id, WHY)
    with pytest.raises(PaymentPending):
        await outcomes_corrections.charge_invoice(by, invoice_id, WHY)
    await outcomes_corrections.charge_invoice(by, invoice_id, WHY)  # goes on with the one under way
    found = await bill(payer)
    assert (found.status, [each.text for each in found.payments]) == (
        "Paid",
        ["Charge, failed", "Charge, captured"],
    )
    with pytest.raises(NothingLeft):
        await outcomes_corrections.charge_invoice(by, invoice_id, WHY)


async def test_only_an_admin_marks_an_invoice_as_uncollectible(bank: Bank):
    payer, invoice_id = await an_unpaid()
    with pytest.raises(NotAllowed):
        await outcomes_corrections.write_off_open(await staff(Role.DISPATCHER), invoice_id, WHY)
    assert (await bill(payer)).status == "Open"
    by = await staff()
    await outcomes_corrections.write_off_open(by, invoice_id, WHY)
    what = f"GF-000001, {WHY.reason}"
    assert await history(payer.person_id or "") == [("invoice_written_off", {"what": what})]
    with pytest.raises(NothingLeft):
        await outcomes_corrections.write_off_open(by, invoice_id, WHY)
    assert (await bill(payer)).status == "Not paid"
    await outcomes_corrections.correct_invoice(by, invoice_id, WAIVED, amount("100"), "k")
    assert (await bill(payer)).status == "Waived"


@pytest.mark.parametrize("role", [Role.CUSTOMER, Role.TECHNICIAN])
async def test_who_is_no_dispatcher_corrects_nothing(role: Role):
    by = Actor(frozenset({role}), str(uuid4()))
    for refused in (
        reports.account_of(by, "x"),
        outcomes_corrections.correct_invoice(by, "x", TO_CARD, amount("1"), "k"),
        outcomes_corrections.give_credit(by, "x", amount("1"), "k"),
        outcomes_corrections.room_for(by, "x"),
        outcomes_corrections.charge_invoice(by, "x", WHY),
        outcomes_corrections.write_off_open(by, "x", WHY),
        outcomes_corrections.retry_refund(by, "x"),
    ):
        with pytest.raises(NotAllowed):
            await refused


@pytest.mark.parametrize("value", [None, ["x"], UNKNOWN_ID])
async def test_any_id_is_survived(value):
    by = await staff()
    with pytest.raises(InvoiceGone):
        await outcomes_corrections.correct_invoice(by, value, TO_CARD, amount("1"), "k")
    with pytest.raises(RefundGone):
        await outcomes_corrections.retry_refund(by, value)
    assert await reports.account_of(by, value) == Account()


@pytest.mark.parametrize("typed", ["", "0", "-5", "1.234", "1e3", "12,5", "ten", None, 5, "$"])
def test_amount_that_is_none_is_said(typed: object):
    with pytest.raises(InvalidForm) as refused:
        Correction.parse({"amount": typed, "reason": "x"})
    assert refused.value.messages == {"amount": "Enter an amount, such as 12.50"}


async def test_renewal_marked_as_uncollectible_ends_the_plan(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    person_id = await plan_money.a_customer()
    await plan_money.start(person_id)
    plan_money.on(monkeypatch, clock.months_later(plan_money.today(), 1))
    bank.answers = ["insufficient_funds"]
    await renewals.renew([person_id])
    await outcomes_corrections.write_off_open(
        await staff(), (await plan_money.stored_invoices())[-1].id, WHY
    )
    assert (await plan_money.subscription(person_id)).state == "cancelled"
    await plan_money.start(person_id, key="again")
    assert (await plan_money.subscription(person_id)).state == "active"


async def test_waived_renewal_of_a_former_plan_leaves_an_unpaid_one_past_due(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
):
    person_id = await plan_money.a_customer()
    await plan_money.start(person_id)
    for _ in range(2):
        plan_money.on(monkeypatch, clock.months_later(plan_money.today(), 1))
        bank.answers = ["insufficient_funds"]
        await renewals.renew([person_id])
        if (unpaid := (await plan_money.stored_invoices())[-1]).number == 2:
            await outcomes_corrections.write_off_open(await staff(), unpaid.id, WHY)
            await plan_money.start(person_id, key="again")
    former = (await plan_money.stored_invoices())[1]
    await outcomes_corrections.correct_invoice(await staff(), former.id, WAIVED, amount("25"), "k")
    assert (await plan_money.subscription(person_id)).state == "past_due"
