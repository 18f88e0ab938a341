"""Every table. The constraints here are the last word; forms only say it more kindly.

Ids are UUIDs as text, times are UTC, e-mail and phone are stored normalised.
"""

from fuel_app.db.models import counting, totals  # noqa: F401 (triggers come with the tables)
from fuel_app.db.models.base import UtcTime, metadata, new_id, now
from fuel_app.db.models.groups import (
    NeighborhoodChange,
    NeighborhoodMove,
    NeighborhoodRedirect,
)
from fuel_app.db.models.leads import (
    Lead,
    LeadAction,
    LeadChange,
    LeadImport,
    LeadImportReject,
    LeadTotal,
    StaffSession,
)
from fuel_app.db.models.search import is_search_index
from fuel_app.db.models.submissions import (
    BusinessQuote,
    FleetQuote,
    Neighborhood,
    WaitlistSubmission,
)

__all__ = [
    "BusinessQuote",
    "FleetQuote",
    "Lead",
    "LeadAction",
    "LeadChange",
    "LeadImport",
    "LeadImportReject",
    "LeadTotal",
    "Neighborhood",
    "NeighborhoodChange",
    "NeighborhoodMove",
    "NeighborhoodRedirect",
    "StaffSession",
    "UtcTime",
    "WaitlistSubmission",
    "is_search_index",
    "metadata",
    "new_id",
    "now",
]
