"""Stripe's answers by a script, where a test needs outcomes that the stand-in has no card for."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlmodel import col

from fuel_app.accounts.rules import SYSTEM
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stripe import Intent, RefundInfo, Rejected, Unavailable
from fuel_app.billing.rules.invoices import FILL, Line
from fuel_app.billing.rules.payments import CHARGE
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.tables import (
    CreditNote,
    JournalEntry,
    Payer,
    Refund,
    StoredInvoice,
    StoredPayment,
)
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.money import Money, dollars
from fuel_app.outcomes.service import charges
from tests.helpers.people import a_person

CARD = "pm_works"


@dataclass
class Bank:
    """Payments by our ids, as Stripe would have them after a call."""

    intents: dict[str, Intent] = field(default_factory=dict)
    refunds: dict[str, RefundInfo] = field(default_factory=dict)
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    answers: list[Any] = field(default_factory=list)  # of the next calls: a code, an exception

    def find(self, intent_id: str) -> Intent:
        found = next((each for each in self.intents.values() if each.id == intent_id), None)
        if found is None:
            raise Rejected("resource_missing")
        return found

    def _put(self, payment_id: str, **values: Any) -> Intent:
        self.intents[payment_id] = replace(self.intents[payment_id], **values)
        return self.intents[payment_id]

    async def charge(
        self, payment_id: str, *, amount: Money, only_hold: bool = False, **_: Any
    ) -> Intent:
        status = "requires_capture" if only_hold else "succeeded"
        return await self._pay(payment_id, status, amount)

    async def _pay(self, payment_id: str, status: str, amount: Money) -> Intent:
        self.calls.append((status, payment_id, amount.cents))
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, Exception) and answer.args != ("lost",):
            raise answer
        if payment_id not in self.intents:
            received = amount if status == "succeeded" else Money(0)
            made = Intent(f"pi_{payment_id}", status, received, payment_id, now())
            if isinstance(answer, str):
                made = replace(made, status="failed", received=Money(0), code=answer)
            self.intents[payment_id] = made
        if isinstance(answer, Exception):
            raise Unavailable("lost")
        return self.intents[payment_id]

    async def capture(self, intent_id: str, *, amount: Money, key: str) -> Intent:
        self.calls.append(("capture", intent_id, amount.cents))
        if self.answers:
            raise self.answers.pop(0)
        found = self.find(intent_id)
        if found.status != "requires_capture":
            raise Rejected("payment_intent_unexpected_state")
        return self._put(found.payment_id, status="succeeded", received=amount)

    async def release(self, intent_id: str, *, key: str) -> Intent:
        found = self.find(intent_id)
        if found.status == "requires_capture":
            found = self._put(found.payment_id, status="canceled")
        return found

    async def read_intent(self, intent_id: str) -> Intent:
        return self.find(intent_id)

    async def find_intent(self, _customer_id: str, payment_id: str) -> Intent | None:
        return self.intents.get(payment_id)

    async def refund(self, refund_id: str, *, intent_id: str, amount: Money) -> RefundInfo:
        answer = self.answers.pop(0) if self.answers else "succeeded"
        if isinstance(answer, Exception):
            raise answer
        self.calls.append(("refund", intent_id, amount.cents))
        info = RefundInfo(f"re_{refund_id}", answer, refund_id)
        return self.refunds.setdefault(info.id, info)

    async def read_refund(self, provider_id: str) -> RefundInfo:
        if provider_id not in self.refunds:
            raise Rejected("resource_missing")
        return self.refunds[provider_id]


@pytest.fixture
def bank(monkeypatch: pytest.MonkeyPatch) -> Bank:
    """Let Stripe answer by a script."""
    made = Bank()
    for name in ("charge", "capture", "release", "read_intent", "find_intent", "refund"):
        monkeypatch.setattr(stripe, name, getattr(made, name))
    monkeypatch.setattr(stripe, "read_refund", made.read_refund)
    return made


async def a_payer(card: str = CARD, **person: Any) -> Payer:
    """Store a customer's payer with a card; an empty one for none."""
    someone = await a_person(**person)
    async with transaction() as session:
        row = await invoices.payer_of_person(session, someone.id)
        row.provider_id = f"cus_{someone.id[-12:]}"
        row.card_id, row.card_last4 = card, "4242" if card else ""
    return row


async def an_invoice(payer: Payer, *amounts: int, kind: str = FILL, **more: Any) -> StoredInvoice:
    """Store an open invoice with fee lines of so many cents."""
    lines = [Line("convenience_fee", "Fee", Money(cents)) for cents in amounts or (1500,)]
    async with transaction() as session:
        count = len(list(await session.scalars(select(StoredInvoice))))
        new = {"key": f"{kind}:{count}", "kind": kind, "payer": payer, "lines": lines}
        row = await invoices.draft_invoice(session, **(new | more))
        await invoices.open_invoice(session, row)
    return row


async def invoice(invoice_id: str) -> StoredInvoice:
    async with reading() as session:
        return await session.get_one(StoredInvoice, invoice_id)


async def stored_payments(**values: Any) -> list[StoredPayment]:
    async with reading() as session:
        theirs = select(StoredPayment).filter_by(**values).order_by(col(StoredPayment.id))
        return list(await session.scalars(theirs))


async def age(payment_id: str, **by: Any) -> None:
    """Let a payment be older."""
    async with transaction() as session:
        row = update(StoredPayment).where(col(StoredPayment.id) == payment_id)
        await session.execute(row.values(created_at=now() - timedelta(**by)))


async def balances() -> dict[str, int]:
    """Return the balance of each account of the journal, debits less credits, in cents."""
    found: dict[str, int] = {}
    async with reading() as session:
        for entry in await session.scalars(select(JournalEntry)):
            found[entry.debit] = found.get(entry.debit, 0) + entry.amount_cents
            found[entry.credit] = found.get(entry.credit, 0) - entry.amount_cents
    return {account: cents for account, cents in found.items() if cents}


async def begun(payer: Payer, kind: str = CHARGE, cents: int = 1500, **more: object) -> str:
    """Store a payment that nothing was asked for yet. Return its id."""
    async with transaction() as session:
        new = {"key": f"{kind}:{cents}", "kind": kind, "payer": payer, "amount": Money(cents)}
        return (await payments.begin_payment(session, **(new | more))).id  # type: ignore[arg-type]


async def a_paid_invoice(*amounts: int) -> str:
    row = await an_invoice(await a_payer(), *amounts)
    await charges.settle_invoice(row.id, "1")
    return row.id


async def noted(invoice_id: str, cents: int, way: str, key: str = "k") -> CreditNote:
    async with transaction() as session:
        row = await session.get_one(invoices.StoredInvoice, invoice_id)
        more = {"reason": "Spilled", "actor": SYSTEM, "key": key}
        return await payments.add_credit_note(session, row, Money(cents), way, **more)  # type: ignore[arg-type]


async def refunds() -> list[Refund]:
    async with reading() as session:
        return list(await session.scalars(select(Refund).order_by(col(Refund.id))))


async def perform_refunds() -> None:
    for each in await refunds():
        await payments.perform_refund(each.id)


FIFTEEN = dollars(15)
