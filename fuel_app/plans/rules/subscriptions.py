"""Subscriptions: their states and periods."""

INCOMPLETE, ACTIVE, PAST_DUE, CANCELLED = STATES = (
    "incomplete",
    "active",
    "past_due",
    "cancelled",
)
