"""Business figures of accounts."""

from fuel_app.accounts.rules import TECHNICIAN_DAYS
from fuel_app.kit.figures import figure

DELETION_DAYS = figure(
    "deletion_days", "Deleted accounts are emptied after", unit="days", default=30, least=1, most=90
)
TECHNICIAN_SESSION_DAYS = figure(
    "technician_session_days",
    "Technicians stay signed in for",
    unit="days",
    default=TECHNICIAN_DAYS,
    least=1,
    most=30,
)
