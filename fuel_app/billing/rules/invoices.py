"""Invoices: kinds, states, lines, when a fill's is opened; and the journal's accounts.

Each movement of money is one entry of the journal, from one account to another. No amount is
stored with a sign: an entry the other way is how it is reversed.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money, total

STRIPE, RECEIVABLE = _ASSETS = ("stripe", "receivable")
CUSTOMER_CREDIT, TAX = _OWED = ("customer_credit", "tax")
PLANS, FUEL, FEES = _INCOME = ("plans", "fuel", "fees")
DISCOUNTS, PROMOTIONS, RETURNS, BAD_DEBT, DISPUTED = _REDUCTIONS = (
    *("discounts", "promotions", "returns", "bad_debt", "disputed"),
)
ACCOUNTS = (*_ASSETS, *_OWED, *_INCOME, *_REDUCTIONS)


START, SWITCH, RENEWAL, FILL, LATE_FEE = KINDS = ("start", "switch", "renewal", "fill", "late_fee")
# A draft may still change and has no number. Paid: nothing is due any more.
DRAFT, OPEN, PAID, VOID, UNCOLLECTIBLE = STATES = (
    *("draft", "open", "paid", "void", "uncollectible"),
)

# The kinds of lines, by the journal's account that an amount belongs to.
ACCOUNT_OF = {
    "plan": PLANS,
    "proration": PLANS,  # the unused days of the former plan
    "discount": DISCOUNTS,  # of the neighborhood
    "fuel": FUEL,
    "convenience_fee": FEES,
    "late_fee": FEES,
    "free_fill": PROMOTIONS,
    "tax": TAX,
    "credit": CUSTOMER_CREDIT,  # of the customer's balance
}
LINE_KINDS = tuple(ACCOUNT_OF)

LEAST_CHARGE = Money(50)  # of less Stripe charges nothing


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an invoice. `amount` is below nothing where it reduces the total."""

    kind: str
    text: str
    amount: Money
    milligallons: int | None = None  # of fuel: thousandths of a gallon, and mills per gallon
    price_mills: int | None = None


@dataclass(frozen=True, slots=True)
class Invoice:
    """An invoice as it is stored."""

    id: str
    number: int | None  # ascending; a draft or a void one that never opened has none
    kind: str
    state: str
    person_id: str  # '' for a guest's
    booking_id: str  # '' for a plan's
    total: Money
    paid: Money
    waived: Money  # by credit notes, of what was not paid
    refunded: Money  # by credit notes, of what was paid
    created_at: datetime
    opened_at: datetime | None
    fill_id: str = ""  # the one that it bills alone
    details: dict[str, Any] = field(default_factory=dict)  # of a fill: what its ticket says
    lines: tuple[Line, ...] = ()

    @property
    def due(self) -> Money:
        return self.total - self.paid - self.waived

    @property
    def name(self) -> str:
        """'GF-000042', or 'Draft'."""
        return invoice_name(self.number) or "Draft"


def invoice_name(number: int | None) -> str:
    """Return 'GF-000042'; empty without a number."""
    return f"GF-{number:06}" if number else ""


class InvoiceGone(Refusal):
    message = "There is no such receipt."


class Debt(Refusal):
    """An unpaid invoice blocks what costs money."""

    message = "A payment is open. Please settle it first."


def sum_of(lines: tuple[Line, ...]) -> Money:
    return total(line.amount for line in lines)


def credit_for(due: Money, balance: Money) -> Money:
    """Return what a credit balance pays: all that is due, or what leaves enough for a charge."""
    return due if balance >= due else min(balance, max(due - LEAST_CHARGE, Money(0)))


OPENED_AFTER = timedelta(minutes=15)  # so long what was pumped can be corrected


@dataclass(frozen=True, slots=True)
class Whose:
    """The one who pays for a booking: a guest's payer, else a customer."""

    booking_id: str
    person_id: str | None
    payer_id: str | None
    name: str = ""  # of a guest


class PaymentOpen(Refusal):
    """A debt blocks new bookings; leads to /billing."""

    def __init__(self, amount: Money) -> None:
        super().__init__(f"A payment of {amount} is open. Please settle it before booking.")


class PaymentDisputed(Refusal):
    message = "Your bank is taking a payment back. Please call us before booking."


class InvoiceIsOpen(Refusal):
    message = "The invoice is open already. Correct it by a refund or a credit."
