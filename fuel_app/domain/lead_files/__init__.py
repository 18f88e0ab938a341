"""Files of leads: what staff import, what they get back of it, and what they export."""

from fuel_app.domain.lead_files.checking import Checked, Reject, checked
from fuel_app.domain.lead_files.decoding import UnusableFile
from fuel_app.domain.lead_files.reading import (
    BYTES_MAX,
    NOT_CSV,
    REASON,
    FileTooLarge,
    LeadFile,
    check_name,
)
from fuel_app.domain.lead_files.writing import EXPORT_COLUMNS, export_row

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
