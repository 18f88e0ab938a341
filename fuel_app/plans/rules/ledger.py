"""The ledger of a plan's fills: kinds of entries, and what they add up to."""

PLAN, GUEST = BUCKETS = ("plan", "guest")  # a guest fill is for a car that is not registered
ENTRY_KINDS = (*("granted", "rolled", "reserved", "used", "released", "expired", "adjusted"),)
