"""The books: what has to agree in the tables of money whatever happened before."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from fuel_app.billing import tables
from fuel_app.billing.rules import invoices as rules
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit.db.session import reading
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.outbox import Message
from fuel_app.plans.tables import LedgerEntry, Subscription

TABLES: dict[str, Any] = {
    "payers": tables.Payer,
    "credits": tables.CreditEntry,
    "counters": tables.Counter,
    "invoices": tables.StoredInvoice,
    "lines": tables.InvoiceLine,
    "payments": tables.StoredPayment,
    "notes": tables.CreditNote,
    "refunds": tables.Refund,
    "journal": tables.JournalEntry,
    "objects": tables.StandInObject,
    "entries": LedgerEntry,
    "messages": Message,
    "jobs": StoredJob,
    "bookings": StoredBooking,
    "subscriptions": Subscription,
}


@dataclass
class Books:
    """All rows of the tables of money."""

    payers: list[tables.Payer]
    credits: list[tables.CreditEntry]
    counters: list[tables.Counter]
    invoices: list[tables.StoredInvoice]
    lines: list[tables.InvoiceLine]
    payments: list[tables.StoredPayment]
    notes: list[tables.CreditNote]
    refunds: list[tables.Refund]
    journal: list[tables.JournalEntry]
    objects: list[tables.StandInObject]
    entries: list[LedgerEntry]
    messages: list[Message]
    jobs: list[StoredJob]
    bookings: list[StoredBooking]
    subscriptions: list[Subscription]

    def of(self, kind: str) -> dict[str, dict[str, Any]]:
        """Return the stand-in's objects of a kind, by their ids."""
        return {row.id: row.body for row in self.objects if row.kind == kind}

    def problems(self) -> list[str]:
        """Name what does not agree."""
        return [*self.differences(), *self._once()]

    def differences(self) -> list[str]:
        """Name what does not agree in money and fills."""
        return [
            *self._invoices(),
            *self._journal(),
            *self._payments(),
            *self._provider(),
            *self._balances(),
        ]

    def _invoices(self) -> Iterator[str]:
        sums: Counter[str] = Counter()
        for line in self.lines:
            sums[line.invoice_id] += line.amount_cents
        for each in self.invoices:
            if sums[each.id] != each.total_cents:
                yield f"{each.key}: lines of {sums[each.id]}, total {each.total_cents}"
        for name, numbers in (
            ("invoice", [each.number for each in self.invoices if each.number]),
            ("credit_note", [each.number for each in self.notes]),
        ):
            last = next((each.last for each in self.counters if each.name == name), 0)
            if sorted(numbers) != list(range(1, last + 1)):
                yield f"numbers of {name}: {sorted(numbers)}, counted {last}"

    def _payments(self) -> Iterator[str]:
        """Check that each cent received is on an invoice, or has gone back."""
        received: Counter[str] = Counter()
        back: Counter[str] = Counter()
        by_note: Counter[str] = Counter()
        invoice_of = {each.id: each.invoice_id or "" for each in self.payments}
        for payment in self.payments:
            received[payment.invoice_id or ""] += payment.captured_cents
            gone = [each for each in self.refunds if each.payment_id == payment.id]
            done = sum(each.amount_cents for each in gone if each.state == "succeeded")
            if done != payment.refunded_cents:
                yield f"{payment.key}: refunds of {done}, noted {payment.refunded_cents}"
            asked = sum(each.amount_cents for each in gone if each.state in ("new", "succeeded"))
            if asked > payment.captured_cents:
                yield f"{payment.key}: refunds above what was paid"
        for refund in self.refunds:
            if refund.state == "retried":
                continue
            if refund.credit_note_id:
                by_note[refund.credit_note_id] += refund.amount_cents
            else:
                back[invoice_of[refund.payment_id]] += refund.amount_cents
        for each in self.invoices:
            paid = received[each.id] - back[each.id]
            if each.paid_cents != paid:
                yield f"{each.key}: received {paid}, paid {each.paid_cents}"
            notes = [note for note in self.notes if note.invoice_id == each.id]
            returned = sum(note.amount_cents for note in notes if note.way != "waived")
            if returned != each.refunded_cents:
                yield f"{each.key}: notes of {returned}, refunded {each.refunded_cents}"
        if received[""] != back[""]:
            yield f"{received['']} received for no invoice, {back['']} went back"
        for note in self.notes:
            if note.way == "card" and by_note[note.id] != note.amount_cents:
                yield f"note {note.number}: {note.amount_cents}, refunds of {by_note[note.id]}"

    def _journal(self) -> Iterator[str]:
        accounts: Counter[str] = Counter()
        due: Counter[str] = Counter()
        for entry in self.journal:
            accounts[entry.debit] += entry.amount_cents
            accounts[entry.credit] -= entry.amount_cents
            for account, sign in ((entry.debit, 1), (entry.credit, -1)):
                if account == rules.RECEIVABLE and entry.invoice_id:
                    due[entry.invoice_id] += sign * entry.amount_cents
        pending: Counter[str] = Counter()
        invoice_of = {each.id: each.invoice_id or "" for each in self.payments}
        for refund in self.refunds:
            if refund.state in ("new", "failed"):
                pending[invoice_of[refund.payment_id]] += refund.amount_cents
        for each in self.invoices:
            owed = each.total_cents - each.paid_cents - each.waived_cents
            owed = owed if each.state == rules.OPEN else 0
            if due[each.id] != owed - pending[each.id]:
                yield f"{each.key}: receivable {due[each.id]}, due {owed - pending[each.id]}"
        came = sum(each.captured_cents - each.refunded_cents for each in self.payments)
        if accounts[rules.STRIPE] + accounts[rules.DISPUTED] != came:
            yield f"journal has {accounts[rules.STRIPE]} at Stripe, payments {came}"
        opened = {each.id for each in self.invoices if each.opened_at}
        drafts = {each.id for each in self.invoices if each.state == rules.DRAFT}
        income: Counter[str] = Counter()
        spent = 0
        for line in self.lines:
            if line.invoice_id in opened and line.kind != "credit":
                income[rules.ACCOUNT_OF[line.kind]] += line.amount_cents
            elif line.invoice_id in drafts and line.kind == "credit":
                spent += line.amount_cents
        for account, cents in income.items():
            if -accounts[account] != cents:
                yield f"journal has {-accounts[account]} of {account}, lines {cents}"
        credit = sum(each.amount_cents for each in self.credits) - spent
        if -accounts[rules.CUSTOMER_CREDIT] != credit:
            yield f"journal owes {-accounts[rules.CUSTOMER_CREDIT]} of credit, payers {credit}"

    def _provider(self) -> Iterator[str]:
        """Compare our payments with the provider's: one each, with the same amounts."""
        intents = self.of("payment_intent")
        by_payment: defaultdict[str, list[str]] = defaultdict(list)
        for intent_id, body in intents.items():
            by_payment[body.get("metadata", {}).get("payment", "")].append(intent_id)
        known = {each.id: each for each in self.payments}
        for payment_id, ids in by_payment.items():
            if payment_id not in known or len(ids) > 1:
                yield f"the provider has {ids} for payment '{payment_id}'"
        for each in self.payments:
            theirs = [intents[one] for one in by_payment[each.id]]
            received = sum(body.get("amount_received", 0) for body in theirs)
            if received != each.captured_cents:
                yield f"{each.key}: the provider has {received}, we {each.captured_cents}"
            if each.state == "authorized" and theirs[0]["status"] != "requires_capture":
                yield f"{each.key}: the provider says {theirs[0]['status']}"
            if each.state == "cancelled" and theirs and theirs[0]["status"] != "canceled":
                yield f"{each.key}: the provider says {theirs[0]['status']}"
        done = (each for each in self.of("refund").values() if each["status"] == "succeeded")
        refunded = sum(each["amount"] for each in done)
        ours = sum(each.refunded_cents for each in self.payments)
        if refunded != ours:
            yield f"the provider has refunded {refunded}, we {ours}"

    def _balances(self) -> Iterator[str]:
        credit: Counter[str] = Counter()
        for entry in self.credits:
            credit[entry.payer_id] += entry.amount_cents
        for payer in self.payers:
            if credit[payer.id] < 0:
                yield f"credit of {payer.key}: {credit[payer.id]}"
        fills: Counter[Any] = Counter()
        for each in self.entries:
            fills[each.person_id, each.period, each.bucket] += each.fills
        for where, left in fills.items():
            if left < 0:
                yield f"fills of {where[1:]}: {left}"

    def _once(self) -> Iterator[str]:
        messages = Counter(
            (each.kind, each.channel, each.person_id, each.recipient, str(each.payload))
            for each in self.messages
        )
        for message, count in messages.items():
            if count > 1:
                yield f"message {message} {count} times"

    def unfinished(self) -> list[str]:
        """Name what an idle worker has left undone."""
        return [
            *(f"payment {e.key} is new" for e in self.payments if e.state == "new"),
            *(f"refund {e.id} is new" for e in self.refunds if e.state == "new"),
            *(f"job {e.kind}: {e.error}" for e in self.jobs if e.outcome == "dead"),
            *(f"job {e.kind}: {e.error}" for e in self.jobs if e.error and not e.ended_at),
        ]


async def books() -> Books:
    async with reading() as session:
        return Books(
            **{name: list(await session.scalars(select(row))) for name, row in TABLES.items()}
        )
