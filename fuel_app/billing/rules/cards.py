"""Cards: what screens say about the one on file, and why it stays."""

from dataclasses import dataclass
from datetime import date

from fuel_app.kit.clock import months_later
from fuel_app.kit.errors import Refusal

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


class OtherVisit(Refusal):
    """A visit to the provider's page that is another payer's, or unknown."""

    message = "This card was added somewhere else. Please add it here once more."


class NotAdded(Refusal):
    """A visit to the provider's page that was not completed."""

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
