"""Stripe by its official library; without a key the same library talks to the stand-in."""

from fuel_app.billing.providers.stripe.cards import (
    begin_hosted,
    begin_setup,
    card,
    checkout_session,
    create_customer,
    detach_card,
    expire_session,
)
from fuel_app.billing.providers.stripe.connection import client, read_event
from fuel_app.billing.providers.stripe.objects import (
    BadSignature,
    Card,
    CheckoutSession,
    DisputeInfo,
    Event,
    Intent,
    NoEvent,
    RefundInfo,
    Rejected,
    Unavailable,
)
from fuel_app.billing.providers.stripe.payments import (
    capture,
    charge,
    find_intent,
    intent,
    read_dispute,
    read_refund,
    refund,
    release,
)

__all__ = [
    "BadSignature", "Card", "CheckoutSession", "DisputeInfo", "Event", "Intent", "NoEvent",
    "RefundInfo", "Rejected", "Unavailable", "begin_hosted", "begin_setup", "capture", "card",
    "charge", "checkout_session", "client", "create_customer", "detach_card", "expire_session",
    "find_intent", "intent", "read_dispute", "read_event", "read_refund", "refund", "release",
]  # fmt: skip
