"""Fills and late fees as they are billed."""

from dataclasses import dataclass
from datetime import timedelta

from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money

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
