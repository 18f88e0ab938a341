"""What dispatchers may give: a customer and each of them, within 24 hours, on both databases."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import select

from fuel_app.accounts.rules import SYSTEM, Actor, Role
from fuel_app.billing.rules.corrections import TO_CARD, TO_CREDIT, WAIVED, Correction, LimitReached
from fuel_app.billing.rules.invoices import Whose
from fuel_app.billing.service import corrections, payments
from fuel_app.billing.tables import CreditEntry, CreditNote, Payer, WaivedFee
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.money import Money, dollars
from fuel_app.outcomes.service import charges
from fuel_app.outcomes.service import corrections as outcomes_corrections
from tests.helpers.bank import a_payer, an_invoice, bank
from tests.helpers.people import a_person

__all__ = ["bank"]
pytestmark = pytest.mark.usefixtures("database", "bank")


async def staff(role: Role = Role.DISPATCHER) -> Actor:
    person = await a_person(role, email=f"{uuid4()}@example.com")
    return Actor(frozenset({role}), person.id)


async def a_customer() -> Payer:
    return await a_payer(email=f"{uuid4()}@example.com")


def form(amount: str) -> Correction:
    return Correction.parse({"amount": amount, "reason": "Spilled"})


async def paid(payer: Payer, cents: int = 10_000) -> str:
    invoice = await an_invoice(payer, cents)
    await charges.settle_invoice(invoice.id, "1")
    return invoice.id


async def credit(by: Actor, payer: Payer, amount: str, key: str = "") -> None:
    await outcomes_corrections.give_credit(by, payer.person_id, form(amount), key or str(uuid4()))


async def correct(by: Actor, invoice_id: str, way: str, amount: str) -> None:
    await outcomes_corrections.correct_invoice(by, invoice_id, way, form(amount), str(uuid4()))


async def waive_fee(by: Actor, payer: Payer, cents: int, booking_id: str = "") -> None:
    async with transaction() as session:
        whose = Whose(booking_id or str(uuid4()), payer.person_id, payer.id, "Ada")
        await corrections.waive_late_fee(session, by, whose, Money(cents))


async def problem(by: Actor, payer: Payer, amount: str = "0.01") -> str:
    with pytest.raises(InvalidForm) as refused:
        await credit(by, payer, amount)
    return refused.value.messages["amount"]


async def total() -> int:
    """Return the cents that were given in all."""
    async with reading() as session:
        entries = await session.scalars(select(CreditEntry))
        given = [each.amount_cents for each in entries if each.key.startswith("given:")]
        for table in (CreditNote, WaivedFee):
            given += [each.amount_cents for each in await session.scalars(select(table))]
        return sum(given)


async def test_refunds_waivers_and_credit_count_together_over_all_dispatchers():
    payer = await a_customer()
    first, unpaid = await paid(payer), (await an_invoice(payer, 10_000)).id
    await correct(await staff(), first, TO_CARD, "10")
    await correct(await staff(), first, TO_CREDIT, "7")
    await correct(await staff(), unpaid, WAIVED, "2")
    await waive_fee(await staff(), payer, 1500)
    by = await staff()
    said = await problem(by, payer, "16.01")
    assert said.startswith("$16.00 of $50.00 are left for this customer until ")
    assert said.endswith("M. An admin can give more.")
    await credit(by, payer, "16")
    assert (await problem(by, payer)).startswith("Your $50.00 for this customer are used up")
    with pytest.raises(InvalidForm):
        await correct(by, unpaid, WAIVED, "0.01")
    with pytest.raises(LimitReached, match=r"Your \$50\.00 for this customer are used up"):
        await waive_fee(by, payer, 1)
    assert await total() == 5000


async def test_what_an_admin_or_the_system_gives_uses_up_nothing():
    payer, by = await a_customer(), await staff()
    await credit(await staff(Role.ADMIN), payer, "500")
    invoice = await an_invoice(payer, 10_000)
    async with transaction() as session:
        about = {"reason": "Little", "actor": SYSTEM, "key": "k"}
        await payments.add_credit_note(session, invoice, dollars(60), WAIVED, **about)
    found = await outcomes_corrections.room_for(by, payer.person_id)
    assert found
    assert (found.hint, found.until) == ("Up to $50.00", None)
    assert await problem(by, payer, "50.01") == (
        "At most $50.00 in 24 hours for this customer. An admin can give more."
    )
    assert await outcomes_corrections.room_for(await staff(Role.ADMIN), payer.person_id) is None


async def test_late_fee_of_a_booking_is_waived_and_counted_once():
    payer, booking_id = await a_customer(), str(uuid4())
    for _ in range(2):  # as the booking is moved late, and late again
        await waive_fee(await staff(), payer, 1500, booking_id)
    assert await total() == 1500


async def test_what_was_given_24_hours_ago_counts_no_more(monkeypatch):
    payer, by = await a_customer(), await staff()
    await credit(by, payer, "50")
    found = await outcomes_corrections.room_for(by, payer.person_id)
    assert found
    until = found.until
    assert until
    monkeypatch.setattr(clock, "now", lambda: until - timedelta(minutes=1))
    assert " for this customer are used up until " in await problem(by, payer)
    monkeypatch.setattr(clock, "now", lambda: until)
    await credit(by, payer, "50")


async def test_retried_press_counts_once():
    payer, by = await a_customer(), await staff()
    for _ in range(3):
        await credit(by, payer, "50", "k")
    assert await total() == 5000


async def test_dispatcher_has_a_limit_over_all_customers():
    by = await staff()
    for _ in range(5):
        await credit(by, await a_customer(), "50")
    last = await a_customer()
    await credit(by, last, "10")
    await credit(by, await a_customer(), "35")
    said = await problem(by, await a_customer(), "5.01")
    assert said.startswith("$5.00 of $300.00 are left to give to all customers until ")
    await credit(await staff(), last, "40")


async def at_once(presses: list[tuple[Actor, Payer]], amount: str) -> int:
    async def press(by: Actor, payer: Payer) -> bool:
        try:
            await credit(by, payer, amount)
        except InvalidForm:
            return False
        return True

    return sum(await asyncio.gather(*(press(by, payer) for by, payer in presses)))


async def test_ten_dispatchers_at_once_give_a_customer_no_more_than_the_limit():
    payer = await a_customer()
    invoices = [await paid(payer) for _ in range(5)]
    people = [await staff() for _ in range(10)]

    async def press(number: int, by: Actor) -> bool:
        try:
            if number % 2:
                await credit(by, payer, "20")
            else:
                await correct(
                    by, invoices[number // 2], (TO_CARD, TO_CREDIT)[number % 4 // 2], "20"
                )
        except InvalidForm:
            return False
        return True

    assert sum(await asyncio.gather(*map(press, range(10), people))) == 2
    assert await total() == 4000


async def test_one_dispatcher_at_once_gives_ten_customers_no_more_than_the_limit():
    by = await staff()
    presses = [(by, await a_customer()) for _ in range(10)]
    assert await at_once(presses, "40") == 7
    assert await total() == 28_000
