"""The two files of leads: the one of the specification, and the one with all fields."""

from collections.abc import Mapping
from typing import Any

from fuel_app.kit.csv import moment, zoned
from fuel_app.leads.rules import LOST, LOST_REASONS, TYPE_LABELS, LeadRow

NO_COMPANY = "N/A"
EXPORT_COLUMNS = ("Type", "Company", "Contact", "Email", "Phone", "Status", "Created At")
# Beside them the names of columns that an import knows: the file comes back in as it is.
ALL_COLUMNS = (
    "Type",
    "Company",
    "First Name",
    "Last Name",
    "Email",
    "Phone",
    "ZIP Code",
    "Lead Source",
    "Status",
    "Neighborhood",
    "Vehicles",
    "Fuel Types",
    "Fill Frequency",
    "Gallons per Fill",
    "Employees",
    "Industry",
    "Service Location",
    "Notes",
    "Submitted At",
    "Owner",
    "Next Step",
    "Next Step Due",
    "Lost Reason",
    "Lost Note",
)


def export_row(lead: LeadRow) -> tuple[str, ...]:
    """Return a lead's line in the export; times are New York's."""
    return (
        TYPE_LABELS[lead.type],
        NO_COMPANY if lead.type == "waitlist" else lead.company,
        lead.name,
        lead.email,
        lead.phone,
        lead.shown_status,
        moment(lead.created_at),
    )


def whole_row(
    lead: LeadRow, stored: Mapping[str, Any], neighborhood: str, owner: str
) -> tuple[str, ...]:
    """Return a lead's line in the export of all fields; `stored` is its submission.

    The status is the stored one. A quote's contact is split at the first space, so that both names
    together are the contact.
    """
    first, _, last = str(stored.get("contact_name", "")).partition(" ")

    def text(column: str) -> str:
        return str(stored.get(column) or "")

    return (
        TYPE_LABELS[lead.type],
        lead.company,
        text("first_name") or first,
        text("last_name") or last,
        lead.email,
        lead.phone,
        lead.zip_code,
        lead.lead_source,
        lead.status,
        neighborhood,
        text("vehicle_count"),
        ", ".join(stored.get("fuel_types", ())),
        text("fill_frequency"),
        text("estimated_fuel_amount"),
        text("employee_count"),
        text("industry"),
        text("service_location"),
        text("notes"),
        zoned(lead.created_at),
        owner,
        lead.next_step,
        str(lead.next_step_on or ""),
        LOST_REASONS[lead.lost_reason] if lead.is_quote and lead.status == LOST else "",
        lead.lost_note,
    )
