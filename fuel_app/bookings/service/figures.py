"""Business figures of bookings."""

from fuel_app.kit.figures import Figure, figure

LATE_FEE = figure("late_fee", "Late fee", unit="cents", default=1500, least=0, most=10_000)
HOLD_MINUTES = figure(
    "hold_minutes", "Places are held for a payment", unit="minutes", default=15, least=5, most=60
)
BOOKING_CLOSES_HOUR = figure(
    "booking_closes_hour",
    "Booking for the next day ends",
    unit="hours after midnight",
    default=20,
    least=12,
    most=23,
)


def _horizon(name: str, whom: str, days: int) -> Figure:
    label = f"{whom} book ahead"
    return figure(f"horizon_{name}", label, unit="days", default=days, least=1, most=60)


# By plan; without one, as for Solo and a one-time fill.
HORIZONS = {
    "": _horizon("one_time", "One-time fills", 7),
    "solo": _horizon("solo", "Solo plans", 7),
    "family": _horizon("family", "Family plans", 14),
    "big-family": _horizon("big_family", "Big Family plans", 21),
}
