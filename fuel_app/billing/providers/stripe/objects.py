"""Objects of Stripe as we know them, and how a call can fail."""

from dataclasses import dataclass
from datetime import datetime

from fuel_app.kit.money import Money


class Unavailable(Exception):  # noqa: N818 (expected)
    """The outcome of a call is not known: repeat it with the same key."""


class Rejected(Exception):  # noqa: N818 (expected)
    """A call that Stripe refuses whenever it is repeated, with its code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class BadSignature(Exception):  # noqa: N818 (expected)
    """A webhook that is not Stripe's, or was signed more than five minutes ago or ahead."""


class NoEvent(Exception):  # noqa: N818 (expected)
    """A signed webhook whose body is no event: sent again, it is none either."""


@dataclass(frozen=True, slots=True)
class Intent:
    """A payment as Stripe has it."""

    id: str
    status: str  # 'requires_capture', 'succeeded', 'canceled', 'processing', or 'failed'
    received: Money
    payment_id: str  # ours, from the metadata; '' for one that is not ours
    capture_before: datetime | None = None
    code: str = ""  # why it failed: a decline code, else the error's code
    brand: str = ""  # of the card that was charged or is held
    last4: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A payment method; `customer_id` is empty once it is detached."""

    id: str
    brand: str
    last4: str
    month: int
    year: int
    fingerprint: str
    customer_id: str


@dataclass(frozen=True, slots=True)
class CheckoutSession:
    """A visit to Stripe's page. Once complete it has a card (setup) or an intent (payment)."""

    id: str
    url: str
    is_complete: bool
    is_expired: bool
    setup_id: str  # ours
    card_id: str = ""
    intent_id: str = ""


@dataclass(frozen=True, slots=True)
class RefundInfo:
    id: str
    status: str  # 'pending', 'succeeded', 'failed'
    refund_id: str  # ours, from the metadata


@dataclass(frozen=True, slots=True)
class DisputeInfo:
    id: str
    status: str
    intent_id: str
    amount: Money


@dataclass(frozen=True, slots=True)
class Event:
    """A webhook's event; its object is read anew."""

    id: str
    type: str
    object_id: str
