"""Corrections by staff: what they may give back or waive, the forms, and what they see of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Self

from pydantic import PlainValidator

from fuel_app.billing.rules.invoices import OPEN, UNCOLLECTIBLE, Invoice
from fuel_app.billing.rules.payments import Payment, code_words
from fuel_app.billing.rules.receipts import description_of, status_of
from fuel_app.kit import clock, money
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.limits import Room
from fuel_app.kit.money import Money, dollars

REASON_MAX = 200
AMOUNT_MOST = dollars(10_000)  # at once; a sum of many fits its column
WAIVED, TO_CARD, TO_CREDIT = ("waived", "card", "credit")
GIFT = "gift"  # credit that no invoice is behind
REQUESTED = (TO_CARD, TO_CREDIT, WAIVED, GIFT)  # what an admin is asked for
APPROVED, DECLINED = ANSWERS = ("approved", "declined")
REQUEST_WORDS = {
    TO_CARD: "refund to the card",
    TO_CREDIT: "refund as credit",
    WAIVED: "waive",
    GIFT: "give as credit",
}
# States of a dispute (as Stripe names them) that leave the amount with us.
NOT_TAKEN = ("", "won", "warning_closed")
NEEDS_RESPONSE = ("needs_response", "warning_needs_response")  # those that wait for evidence


class Disputed(Refusal):
    message = "The customer's bank takes this payment back (dispute). It cannot be refunded."


class LimitReached(Refusal):
    """More than the actor may give; the message says what is left, and who can give more."""


class AboveLimit(InvalidForm):
    """An amount above what the actor may give: an admin can be asked for it."""


class AskedBefore(Refusal):
    message = "An admin has been asked for just this already."


class RequestGone(Refusal):
    message = "This request is answered already."


class NothingLeft(Refusal):
    message = "Nothing is left of this (any more)."


class RefundGone(Refusal):
    message = "This refund has not failed (any more)."


def _amount(typed: object) -> Money:
    amount = money.parse(typed)
    if amount is None or not amount.cents:
        raise ValueError("Enter an amount, such as 12.50")
    if amount > AMOUNT_MOST:
        raise ValueError(f"Enter {AMOUNT_MOST.short} or less at once")
    return amount


class Reason(Form):
    """The reason of staff. It is kept in the audit log."""

    reason: Annotated[str, line("Reason", REASON_MAX)]


class Correction(Form):
    """An amount to give back, to waive, or to give as credit, and the reason."""

    amount: Annotated[Money, PlainValidator(_amount)]
    reason: Annotated[str, line("Reason", REASON_MAX)]


def is_taken(dispute: str) -> bool:
    """Return whether the bank takes a payment back or has, by the state of its dispute."""
    return dispute not in NOT_TAKEN


def most_of(invoice: Invoice, way: str) -> Money:
    """Return what of an invoice is left to waive, or to give back."""
    if way == WAIVED:
        return invoice.due if invoice.state in (OPEN, UNCOLLECTIBLE) else Money(0)
    return invoice.paid - invoice.refunded


def check(amount: Money, most: Money | None, room: Room | None) -> None:
    """Refuse an amount above what is left, or above what the actor may still give.

    Raises:
        NothingLeft
        InvalidForm: With the message of the amount; AboveLimit is one.
    """
    if most is not None and not most.cents:
        raise NothingLeft
    if most is not None and amount > most:
        raise InvalidForm({"amount": f"Enter {most} or less: that is what is left"})
    if room is not None and amount.cents > room.left:
        raise AboveLimit({"amount": room.refusal})


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
