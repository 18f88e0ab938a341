"""The preview's sample figures of the admin view."""

from fuel_app.dashboard.rules import AdminStats
from fuel_app.kit.money import Money

ADMIN_STATS = AdminStats(
    total_customers=156,
    active_subscriptions=142,
    today_fillups=12,  # the stops below are what is left of them
    completed_fillups=3,
    average_gallons=13.8,
    total_revenue=Money(147_60),
)
