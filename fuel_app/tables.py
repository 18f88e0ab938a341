# ruff: noqa: F401 (triggers come with the tables)
"""Every table. The constraints here are the last word; forms only say it more kindly.

Ids are UUIDs as text, times are UTC, e-mail and phone are stored normalised.
"""

from fuel_app.accounts.tables import StaffSession
from fuel_app.kit.db.tables import UtcTime, has_no_model, metadata, new_id, now
from fuel_app.leads import places_index as places
from fuel_app.leads import search_index as search
from fuel_app.leads import totals_triggers as totals
from fuel_app.leads.tables import Lead, LeadAction, LeadChange, LeadTotal
from fuel_app.neighborhoods import member_counts as counting
from fuel_app.neighborhoods.tables import (
    Neighborhood,
    NeighborhoodChange,
    NeighborhoodMove,
    NeighborhoodRedirect,
)
from fuel_app.quotes.tables import BusinessQuote, FleetQuote
from fuel_app.submissions.tables import LeadImport, LeadImportReject
from fuel_app.waitlist.tables import WaitlistSubmission

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
    "has_no_model",
    "metadata",
    "new_id",
    "now",
]
