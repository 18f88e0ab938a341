"""A customer's invoices and credit, in the words that staff read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from fuel_app.billing.rules.corrections import TO_CARD, TO_CREDIT, WAIVED, is_taken, most_of
from fuel_app.billing.rules.invoices import OPEN, Invoice
from fuel_app.billing.rules.payments import Payment, code_words
from fuel_app.billing.rules.receipts import description_of, status_of
from fuel_app.kit import clock
from fuel_app.kit.money import Money

CHARGE, WRITE_OFF = "charge", "write_off"
_STATES = {"new": "being confirmed", "succeeded": "captured"}


@dataclass(frozen=True)
class Item:
    """A line, a payment or a credit note of an invoice, or a change of the credit balance."""

    text: str
    note: str
    amount: str
    retry: str = ""  # id of the refund that has failed

    @classmethod
    def of_payment(cls, payment: Payment) -> Self:
        said = (
            *(clock.date_and_time(payment.created_at), payment.failure),
            f"Dispute: {code_words(payment.dispute).lower()}" if payment.dispute else "",
            f"{payment.refunded} refunded" if payment.refunded.cents else "",
        )
        text = f"{payment.kind.capitalize()}, {_STATES.get(payment.state, payment.state)}"
        amount = payment.captured if payment.captured.cents else payment.amount
        return cls(text, ". ".join(filter(None, said)), str(amount))


@dataclass(frozen=True)
class InvoiceCard:
    """An invoice; an empty one means none."""

    id: str = ""
    name: str = ""
    date: str = ""
    what: str = ""
    status: str = ""
    total: str = ""
    paid: str = ""
    due: str = ""
    lines: tuple[Item, ...] = ()
    payments: tuple[Item, ...] = ()
    notes: tuple[Item, ...] = ()
    left: dict[str, str] = field(default_factory=dict)  # the amount for each thing to do

    @classmethod
    def of(cls, invoice: Invoice, payments: Sequence[Payment], notes: tuple[Item, ...]) -> Self:
        due = most_of(invoice, WAIVED)
        taken = any(is_taken(each.dispute) for each in payments)
        back = Money(0) if taken else most_of(invoice, TO_CARD)
        left = {TO_CARD: back, TO_CREDIT: back, WAIVED: due}
        if invoice.state == OPEN:
            left |= {CHARGE: due, WRITE_OFF: due}
        return cls(
            id=invoice.id,
            name=invoice.name,
            date=clock.short_date(clock.day_of(invoice.opened_at or invoice.created_at)),
            what=description_of(invoice),
            status=status_of(invoice),
            total=str(invoice.total),
            paid=str(invoice.paid),
            due=str(due),
            lines=tuple(Item(each.text, "", str(each.amount)) for each in invoice.lines),
            payments=tuple(map(Item.of_payment, payments)),
            notes=notes,
            left={kind: str(amount) for kind, amount in left.items() if amount.cents},
        )


@dataclass(frozen=True)
class Account:
    """A customer's invoices and changes of credit, the latest first."""

    invoices: tuple[InvoiceCard, ...] = ()
    credit: str = "$0.00"
    credit_changes: tuple[Item, ...] = ()
    card: str = ""  # 'Visa ending in 4242'
