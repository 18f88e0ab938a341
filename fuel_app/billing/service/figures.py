"""Figures of billing that staff can change."""

from fuel_app.kit.figures import figure

PLAN_ENDS_AFTER = figure(  # at most before the next renewal
    "plan_ends_after_days", "An unpaid plan ends after", unit="days", default=14, least=7, most=28
)
REFUND_LIMIT = figure(
    "refund_limit",
    "Given to a customer in 24 hours without an admin, at most",
    unit="cents",
    default=5000,
    least=0,
    most=100_000,
)
STAFF_LIMIT = figure(
    "staff_limit",
    "Given by one of the staff in 24 hours without an admin, at most",
    unit="cents",
    default=30_000,
    least=0,
    most=1_000_000,
)
REFERRAL_CREDIT = figure(
    "referral_credit", "Credit for a referral", unit="cents", default=1000, least=0, most=10_000
)
