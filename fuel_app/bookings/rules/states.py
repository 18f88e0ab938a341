"""The states of a booking."""

STATES = (
    *("booked", "dispatched", "en_route", "arrived", "fueling", "weather_hold"),
    *("completed", "cancelled", "failed"),
)
# How a fill is paid for beside its fuel.
ALLOWANCE, FEE, FREE_FILL, GUEST_FILL = PAYS_BY = ("allowance", "fee", "free_fill", "guest_fill")
