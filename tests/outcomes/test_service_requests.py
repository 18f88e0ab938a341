"""Amounts beyond what staff may give: asked of an admin, approved or declined once."""

from uuid import uuid4

import pytest

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.attention import service as attention
from fuel_app.billing.rules.corrections import (
    GIFT,
    TO_CARD,
    WAIVED,
    AboveLimit,
    AskedBefore,
    Correction,
    NothingLeft,
    RequestGone,
)
from fuel_app.billing.rules.invoices import InvoiceGone
from fuel_app.billing.service import invoices, reports
from fuel_app.billing.tables import CorrectionRequest, CreditEntry, CreditNote, Payer, StoredInvoice
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.outbox import Message
from fuel_app.outcomes.service import attention as money
from fuel_app.outcomes.service import corrections, requests
from tests.factories import UNKNOWN_ID
from tests.helpers.bank import a_payer, an_invoice
from tests.helpers.people import a_person, history, rows

pytestmark = pytest.mark.usefixtures("database")


async def staff(role: Role, name: str = "Grace") -> Actor:
    found = await a_person(role, email=f"{uuid4()}@example.com", first_name=name)
    return Actor(frozenset({role}), found.id)


def amount(typed: str, reason: str = "Spilled") -> Correction:
    return Correction.parse({"amount": typed, "reason": reason})


async def asked(way: str = WAIVED, typed: str = "80") -> tuple[Payer, CorrectionRequest, str]:
    """Ask for more than a dispatcher may give, on an unpaid invoice of $100."""
    payer = await a_payer()
    invoice = "" if way == GIFT else (await an_invoice(payer, 10_000)).id
    by = await staff(Role.DISPATCHER)
    await requests.ask(by, way, payer.person_id, invoice, amount(typed), str(uuid4()))
    [row] = await rows(CorrectionRequest)
    return payer, row, invoice


async def waiting() -> list[tuple[str, str]]:
    async with reading() as session:
        found = await money.requests(session, clock.now())
    assert found.total == len(found.lines)
    return [(each.text, each.detail.partition(", ")[0]) for each in found.lines]


async def test_what_is_asked_for_waits_for_an_admin_and_is_approved_once():
    payer, row, _ = await asked()
    person = payer.person_id or ""
    [(text, who)] = await waiting()
    assert text.endswith(": waive, $80.00")
    assert who.startswith("Grace")
    assert ("correction_asked", {"what": "Waive, $80.00, Spilled"}) in await history(person)
    admin = await staff(Role.ADMIN, "Ada")
    await requests.approve(admin, row.id)
    [note] = await rows(CreditNote)
    assert (note.amount_cents, note.actor, note.reason) == (8_000, str(admin), "Spilled")
    assert [each.kind for each in await rows(Message)].count("refunded") == 1
    with pytest.raises(RequestGone):
        await requests.approve(admin, row.id)
    with pytest.raises(RequestGone):
        await requests.decline(admin, row.id)
    assert len(await rows(CreditNote)) == 1
    assert await waiting() == []
    kinds = [kind for kind, _ in await history(person)]
    assert "invoice_waived" in kinds
    [said] = await requests.requests_of(admin, person)
    assert (said.text, said.amount) == ("Waive", "$80.00")
    assert said.note.startswith("Spilled. Asked by Grace")
    assert "Approved by Ada" in said.note


async def test_what_is_declined_gives_nothing():
    payer, row, _ = await asked()
    admin = await staff(Role.ADMIN)
    [said] = await requests.requests_of(admin, payer.person_id)
    assert said.note.endswith("Waits for an admin.")
    await requests.decline(admin, row.id)
    with pytest.raises(RequestGone):
        await requests.approve(admin, row.id)
    assert await rows(CreditNote) == []
    what = {"what": "Waive, $80.00, Spilled"}
    assert ("correction_declined", what) in await history(payer.person_id or "")


async def test_credit_is_asked_for_without_an_invoice():
    payer, row, _ = await asked(GIFT)
    assert (row.invoice_id, row.payer_id) == (None, payer.id)
    await requests.approve(await staff(Role.ADMIN), row.id)
    account = await reports.account_of(await staff(Role.DISPATCHER), payer.person_id)
    assert account.credit == "$80.00"
    [entry] = await rows(CreditEntry)
    assert entry.key == f"given:{row.key}"


async def test_the_same_is_asked_for_once():
    payer, row, invoice = await asked()
    other = await staff(Role.DISPATCHER)
    await requests.ask(other, WAIVED, payer.person_id, invoice, amount("80"), row.key)
    with pytest.raises(AskedBefore):
        await requests.ask(other, WAIVED, payer.person_id, invoice, amount("80"), str(uuid4()))
    await requests.ask(other, WAIVED, payer.person_id, invoice, amount("70"), str(uuid4()))
    await requests.ask(other, GIFT, payer.person_id, "", amount("80"), str(uuid4()))
    assert len(await rows(CorrectionRequest)) == 3


async def test_more_than_is_left_is_not_asked_for():
    payer, _, invoice = await asked()
    by = await staff(Role.DISPATCHER)
    with pytest.raises(InvalidForm, match="highlighted"):
        await requests.ask(by, WAIVED, payer.person_id, invoice, amount("101"), str(uuid4()))
    with pytest.raises(NothingLeft):
        await requests.ask(by, TO_CARD, payer.person_id, invoice, amount("1"), str(uuid4()))
    with pytest.raises(InvoiceGone):
        await requests.ask(by, WAIVED, payer.person_id, UNKNOWN_ID, amount("1"), str(uuid4()))


async def test_what_has_gone_meanwhile_leaves_the_request_waiting():
    _, row, invoice = await asked()
    admin = await staff(Role.ADMIN)
    await corrections.correct_invoice(admin, invoice, WAIVED, amount("100"), str(uuid4()))
    with pytest.raises(NothingLeft):
        await requests.approve(admin, row.id)
    assert len(await waiting()) == 1
    await requests.decline(admin, row.id)


async def test_a_request_above_what_is_left_is_refused_in_words_beside_its_button():
    _, row, invoice = await asked()
    admin = await staff(Role.ADMIN)
    await corrections.correct_invoice(admin, invoice, WAIVED, amount("50"), str(uuid4()))
    with pytest.raises(Refusal, match=r"\$50\.00") as refused:
        await attention.press(admin, "requests", row.id)
    assert not isinstance(refused.value, InvalidForm)
    assert len(await waiting()) == 1


async def test_an_amount_above_the_limit_is_what_an_admin_can_be_asked_for():
    _, _, invoice = await asked()
    by = await staff(Role.DISPATCHER)
    with pytest.raises(AboveLimit):
        await corrections.correct_invoice(by, invoice, WAIVED, amount("80"), str(uuid4()))


async def test_dispatchers_ask_and_admins_answer():
    payer, row, invoice = await asked()
    dispatcher = await staff(Role.DISPATCHER)
    for step in (requests.approve, requests.decline):
        with pytest.raises(NotAllowed):
            await step(dispatcher, row.id)
    customer = await staff(Role.CUSTOMER)
    with pytest.raises(NotAllowed):
        await requests.ask(customer, GIFT, payer.person_id, "", amount("1"), str(uuid4()))
    with pytest.raises(NotAllowed):
        await requests.ask(customer, WAIVED, payer.person_id, invoice, amount("1"), str(uuid4()))
    with pytest.raises(NotAllowed):
        await requests.requests_of(customer, payer.person_id)
    admin = await staff(Role.ADMIN)
    for unknown in (UNKNOWN_ID, "x", None):
        with pytest.raises(RequestGone):
            await requests.approve(admin, unknown)
    assert await requests.requests_of(admin, UNKNOWN_ID) == ()


async def test_the_list_of_what_waits_has_both_answers():
    _, row, _ = await asked()
    admin = await staff(Role.ADMIN)
    kind = money.REQUESTS.kind
    with pytest.raises(attention.NothingToPress):
        await attention.press(admin, money.REFUNDS.kind, row.id, declines=True)
    assert await attention.press(admin, kind, row.id, declines=True) == "Declined"
    with pytest.raises(RequestGone):
        await attention.press(admin, kind, row.id)


async def test_a_request_about_a_guest_is_erased_with_the_account_that_has_the_invoice_by_now():
    person = await a_payer()
    async with transaction() as session:
        guest = await invoices.payer_of_guest(session, "tab")
    invoice = await an_invoice(guest, 10_000)
    by = await staff(Role.DISPATCHER)
    await requests.ask(by, WAIVED, None, invoice.id, amount("80", "Ada was not there"), "key")
    async with transaction() as session:
        row = await session.get_one(StoredInvoice, invoice.id)
        row.payer_id = person.id
    async with transaction() as session:
        await reports.erase_person(session, person.person_id or "")
    [row] = await rows(CorrectionRequest)
    assert (row.payer_id, row.reason) == (guest.id, "")
