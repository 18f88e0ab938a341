"""What the admin view says of the company's day. Money is integer cents."""

from dataclasses import dataclass

from fuel_app.dispatch.rules.stops import Stop

SUBSCRIPTION_REVENUE_CENTS = 6240_00  # fixed, as specified


@dataclass(frozen=True, slots=True)
class AdminStats:
    """The figures of one day."""

    total_customers: int
    active_subscriptions: int
    today_fillups: int
    completed_fillups: int
    average_gallons: float
    total_revenue_cents: int

    @property
    def cents_per_fillup(self) -> int:
        """Today's revenue by completed fill-ups, to the cent, half a cent up; none, nothing."""
        done = self.completed_fillups
        return (2 * self.total_revenue_cents + done) // (2 * done) if done else 0


@dataclass(frozen=True, slots=True)
class Day:
    """A day's figures, and the stops that are still to be driven to."""

    stats: AdminStats
    stops: tuple[Stop, ...]
