"""Places where a customer's car may stand."""

UNIT_MAX = 30
GATE_CODE_MAX = 30
DRIVEWAY, LOT, STREET, COVERED = ALL_SPOTS = (
    "Driveway",
    "Open parking lot",
    "Street",
    "Garage or covered",
)
SPOTS = (DRIVEWAY, LOT, STREET)  # that can be stored; a covered one is refused
