"""Corrections by staff: what they may give back or waive, and the forms for it."""

from typing import Annotated

from pydantic import PlainValidator

from fuel_app.billing.rules.invoices import OPEN, UNCOLLECTIBLE, Invoice
from fuel_app.kit import money
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.limits import Room
from fuel_app.kit.money import Money, dollars

REASON_MAX = 200
AMOUNT_MOST = dollars(10_000)  # at once; a sum of many fits its column
WAIVED, TO_CARD, TO_CREDIT = ("waived", "card", "credit")
# States of a dispute (as Stripe names them) that leave the amount with us.
KEPT = ("", "won", "warning_closed")


class Disputed(Refusal):
    message = "The customer's bank takes this payment back (dispute). It cannot be refunded."


class LimitReached(Refusal):
    """More than the actor may give; the message says what is left, and who can give more."""


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
    return dispute not in KEPT


def most_of(invoice: Invoice, way: str) -> Money:
    """Return what of an invoice is left to waive, or to give back."""
    if way == WAIVED:
        return invoice.due if invoice.state in (OPEN, UNCOLLECTIBLE) else Money(0)
    return invoice.paid - invoice.refunded


def check(amount: Money, most: Money | None, room: Room | None) -> None:
    """Refuse an amount above what is left, or above what the actor may still give.

    Raises:
        NothingLeft
        InvalidForm: With the message of the amount.
    """
    if most is not None and not most.cents:
        raise NothingLeft
    if most is not None and amount > most:
        raise InvalidForm({"amount": f"Enter {most} or less: that is what is left"})
    if room is not None and amount.cents > room.left:
        raise InvalidForm({"amount": room.refusal})
