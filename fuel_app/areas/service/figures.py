"""Business figures of areas."""

from fuel_app.kit.figures import figure

PRICE_JUMP = figure(
    "price_jump",
    "Fuel price changes are confirmed above",
    unit="percent",
    default=20,
    least=1,
    most=100,
)
PRICE_DAYS = figure(
    "price_days", "Fuel prices can be booked for", unit="days", default=14, least=1, most=90
)
SLOT_CAPACITY = figure(
    "slot_capacity", "Room in a new delivery window", unit="fills", default=6, least=1, most=200
)
