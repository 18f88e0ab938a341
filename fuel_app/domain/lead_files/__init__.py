"""Files of leads: what staff import, what they get back of it, and what they export."""

from fuel_app.submissions.rules.csv_export import EXPORT_COLUMNS, export_row
from fuel_app.submissions.rules.csv_import import (
    BYTES_MAX,
    NOT_CSV,
    REASON,
    Checked,
    FileTooLarge,
    LeadFile,
    Reject,
    UnusableFile,
    check_name,
    checked,
)

__all__ = [
    "BYTES_MAX",
    "EXPORT_COLUMNS",
    "NOT_CSV",
    "REASON",
    "Checked",
    "FileTooLarge",
    "LeadFile",
    "Reject",
    "UnusableFile",
    "check_name",
    "checked",
    "export_row",
]
