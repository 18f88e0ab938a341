"""Payments and cards: one attempt to authorize or charge an amount, and the card on file."""

from dataclasses import dataclass
from datetime import date, datetime

from fuel_app.kit.clock import months_later
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money

HOLD, CHARGE, HOSTED = KINDS = ("hold", "charge", "hosted")  # hosted: confirmed on Stripe's page
# New: its outcome is not known yet. Authorized: a hold that is neither captured nor released.
NEW, AUTHORIZED, SUCCEEDED, FAILED, CANCELLED = STATES = (
    *("new", "authorized", "succeeded", "failed", "cancelled"),
)
OPEN_STATES = (NEW, AUTHORIZED)

NEEDS_CONFIRMATION = "authentication_required"
NO_CARD = "no_card"
# What a customer reads, by the provider's code; else 'Your card was declined.'
REASONS = {
    "insufficient_funds": "Your card has insufficient funds.",
    "expired_card": "Your card has expired.",
    "incorrect_cvc": "Your card's security code is wrong.",
    NEEDS_CONFIRMATION: "Your bank wants you to confirm this payment.",
    NO_CARD: "There is no card on your account.",
    "card_removed": "Your card was removed. Please add it again.",
}
DECLINED = "Your card was declined."
_OF_THE_SUM = "insufficient_funds"  # the other ones are declined for any sum


def code_words(code: str) -> str:
    """Return a code of the provider as staff read it: 'Insufficient funds'."""
    return code.replace("_", " ").capitalize()


def reason_of(code: str) -> str:
    """Return what a customer reads about a failed payment."""
    return REASONS.get(code, DECLINED)


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment as it is stored."""

    id: str
    kind: str
    state: str
    amount: Money  # asked for
    captured: Money
    refunded: Money
    code: str  # why it failed; empty if it has not
    created_at: datetime
    dispute: str = ""

    @property
    def is_pending(self) -> bool:
        return self.state == NEW

    @property
    def problem(self) -> str:
        """Return why it failed, as a customer reads it; empty if it has not."""
        return reason_of(self.code) if self.state == FAILED else ""

    @property
    def may_pass_for_less(self) -> bool:
        """Return whether a smaller sum may be authorized where this one was declined."""
        return self.code == _OF_THE_SUM or self.code not in REASONS

    @property
    def failure(self) -> str:
        """Return why it failed, as staff read it; empty if it has not."""
        return code_words(self.code or "card_declined") if self.state == FAILED else ""


class PaymentDeclined(Refusal):
    """A card that was not charged, with the reason."""

    def __init__(self, code: str) -> None:
        super().__init__(f"{reason_of(code)} Nothing was charged.")
        self.code = code


class PaymentPending(Refusal):
    message = (
        "Your payment is still being confirmed. You need not do anything: "
        "we will tell you how it ended."
    )


class ConfirmationOpen(PaymentPending):
    """A payment that its customer has not confirmed yet on the provider's page."""

    message = (
        "A payment waits for your confirmation on the page of our payment provider. Please finish "
        "or leave that page first; it ends by itself within an hour."
    )


def under_way(kind: str) -> PaymentPending:
    """Return the refusal while a payment of this kind has no outcome yet."""
    return ConfirmationOpen() if kind == HOSTED else PaymentPending()


class NoCard(Refusal):
    message = "Please add a card first."


class TooMuch(Refusal):
    message = "This is more than what was paid."


REMOVED = "card_removed"  # by the bank or the provider, unless the customer adds another one


@dataclass(frozen=True, slots=True)
class CardOnFile:
    """A payer's card, without what only the provider knows; `last4` is empty without one."""

    brand: str = ""
    last4: str = ""
    month: int = 0
    year: int = 0
    problem: str = ""  # code of the last decline

    @property
    def name(self) -> str:
        """'Visa ending in 4242'; empty without a card."""
        return f"{self.brand.title()} ending in {self.last4}" if self.last4 else ""

    @property
    def expiry(self) -> str:
        """'08/27'; empty without a card."""
        return f"{self.month:02}/{self.year % 100:02}" if self.last4 else ""

    def expires(self, today: date) -> str:
        """Return 'Expired', or 'Expires soon' within a month; else nothing."""
        if not self.last4:
            return ""
        after = months_later(date(self.year, self.month, 1), 1)
        if after <= today:
            return "Expired"
        return "Expires soon" if after <= months_later(today, 1) else ""


class OtherCheckout(Refusal):
    """A checkout that is another payer's, or unknown."""

    message = "This card was added somewhere else. Please add it here once more."


class NotAdded(Refusal):
    """A checkout that was not completed."""

    message = "No card was added. Nothing has changed."


class NotPaid(NotAdded):
    """A payment that was not confirmed on the provider's page."""

    message = "The payment was not confirmed, and nothing was charged."


class NotConfirmed(Refusal):
    """The provider's answer is not known yet."""

    message = "Your card is being checked. It shows here in a moment."


class ProviderDown(Refusal):
    message = "We cannot reach our payment provider just now. Please try again in a minute."


class CardNeeded(Refusal):
    """A card that something still depends on."""
