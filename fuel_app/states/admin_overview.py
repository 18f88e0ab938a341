"""The admin view's figures of the day, as texts."""

import reflex as rx

from fuel_app.domain.overview import SUBSCRIPTION_REVENUE_CENTS
from fuel_app.plans.billing import dollars
from fuel_app.services import overview


class AdminOverview(rx.State):
    """Sample figures before launch, so everybody may see them."""

    scheduled: str = ""
    completed: str = ""
    average_gallons: str = ""
    customers: str = ""
    subscriptions: str = ""
    revenue: str = ""
    per_fillup: str = ""
    subscription_revenue: str = ""

    @rx.event
    async def arrive(self):
        """The admin view comes into the page."""
        stats = (await overview.today()).stats
        self.scheduled = f"{stats.today_fillups:,}"
        self.completed = f"{stats.completed_fillups:,}"
        self.average_gallons = f"{stats.average_gallons:.1f}"
        self.customers = f"{stats.total_customers:,}"
        self.subscriptions = f"{stats.active_subscriptions:,}"
        self.revenue = dollars(stats.total_revenue_cents)
        self.per_fillup = dollars(stats.cents_per_fillup)
        self.subscription_revenue = f"${SUBSCRIPTION_REVENUE_CENTS // 100:,}"
