"""Random walks over an invoice: whatever happens, the books agree and no refund is above paid."""

from contextlib import suppress
from uuid import uuid4

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Role
from fuel_app.billing.rules.corrections import TO_CARD, TO_CREDIT, WAIVED, Correction, Reason
from fuel_app.billing.rules.invoices import Line
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.tables import Refund
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money
from fuel_app.outcomes.service import corrections as outcomes_corrections
from tests.faults.money_cases import give_card
from tests.helpers import stripe as bank
from tests.helpers.books import books
from tests.helpers.plan_money import a_customer

ADMIN = Actor(frozenset({Role.ADMIN}), session_id="s" * 36)
TOTAL = 5000
EXAMPLES = max(5, settings.default.max_examples // 4)  # type: ignore[union-attr]
STEPS = st.one_of(
    st.tuples(st.sampled_from([TO_CARD, TO_CREDIT, WAIVED, "credit"]), st.integers(1, TOTAL + 100)),
    st.tuples(st.sampled_from(["charge", "write_off", "refund", "fail", "retry"]), st.just(0)),
)


async def an_open_invoice(number: int) -> tuple[str, str]:
    """Return a customer with a card, and their invoice."""
    person_id = await a_customer(number)
    await give_card(person_id)
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, person_id)
        fee = Line("late_fee", "Late fee", Money(TOTAL))
        new = {"key": f"late_fee:{number}", "kind": "late_fee", "payer": payer, "lines": [fee]}
        row = await invoices.draft_invoice(session, **new)
        await invoices.open_invoice(session, row)
    return person_id, row.id


async def refunds(state: str) -> list[Refund]:
    async with reading() as session:
        theirs = select(Refund).where(col(Refund.state) == state).order_by(col(Refund.id))
        return list(await session.scalars(theirs))


async def take(step: str, cents: int, person_id: str, invoice_id: str) -> None:
    key, reason = str(uuid4()), Reason.parse({"reason": "Asked"})
    amount = Correction.parse({"amount": f"{cents // 100}.{cents % 100:02}", "reason": "Asked"})
    match step:
        case "credit":
            await outcomes_corrections.give_credit(ADMIN, person_id, amount, key)
        case "charge":
            await outcomes_corrections.charge_invoice(ADMIN, invoice_id, reason)
        case "write_off":
            await outcomes_corrections.write_off_open(ADMIN, invoice_id, reason)
        case "refund":
            for each in await refunds("new"):
                await payments.perform_refund(each.id)
        case "fail":
            for each in await refunds("succeeded"):
                await bank.fail_refund(each.provider_id or "")
                await payments.sync_refund(each.provider_id or "")
        case "retry":
            for each in await refunds("failed"):
                await outcomes_corrections.retry_refund(ADMIN, each.id)
        case way:
            await outcomes_corrections.correct_invoice(ADMIN, invoice_id, way, amount, key)


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=3, max_size=12))
async def test_books_agree_after_any_corrections(sqlite_database, steps):
    number = len((await books()).payers)
    who = await an_open_invoice(number)
    for step, cents in [("charge", 0), *steps] if number % 2 else steps:
        with suppress(Refusal):
            await take(step, cents, *who)
    found = await books()
    assert found.problems() == []
    [invoice] = [each for each in found.invoices if each.id == who[1]]
    paid = sum(each.captured_cents for each in found.payments if each.invoice_id == invoice.id)
    assert invoice.refunded_cents <= invoice.paid_cents == paid <= TOTAL
