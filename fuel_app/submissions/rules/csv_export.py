"""What staff get of their leads as a file."""

from fuel_app.kit import csv as spreadsheets
from fuel_app.leads import rules as leads
from fuel_app.leads.rules import LeadRow

NO_COMPANY = "N/A"
EXPORT_COLUMNS = ("Type", "Company", "Contact", "Email", "Phone", "Status", "Created At")


def export_row(lead: LeadRow) -> tuple[str, ...]:
    """A lead's line in the export; times are New York's."""
    waitlist = lead.type == "waitlist"
    return (
        leads.TYPE_LABELS[lead.type],  # type: ignore[index]
        NO_COMPANY if waitlist else lead.company,
        lead.name,
        lead.email,
        lead.phone,
        lead.shown_status,
        spreadsheets.moment(lead.created_at),
    )
