"""Business figures of bookings."""

from fuel_app.kit.figures import figure

LATE_FEE = figure("late_fee", "Late fee", unit="cents", default=1500, least=0, most=10_000)
