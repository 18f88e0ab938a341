"""CSV files that a spreadsheet opens as they are meant, and runs nothing of (RFC 4180)."""

import csv
import io
import re
from collections.abc import Iterable, Sequence

from fuel_app.domain import clock, leads
from fuel_app.domain.leads import LeadRow

BOM = "\ufeff"  # by which a spreadsheet knows UTF-8
NO_COMPANY = "N/A"
EXPORT_COLUMNS = ("Type", "Company", "Contact", "Email", "Phone", "Status", "Created At")
# A cell that begins so is a formula to a spreadsheet. Quotes in front count, so that taking one
# away again leads back to the same text.
_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def guarded(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """What the cell was before `guarded`."""
    return cell[1:] if cell[:1] == "'" and _FORMULA.match(cell) else cell


def lines(rows: Iterable[Sequence[str]]) -> str:
    """Rows as the lines of a file."""
    out = io.StringIO(newline="")
    csv.writer(out).writerows(map(guarded, row) for row in rows)
    return out.getvalue()


def export_row(lead: LeadRow) -> tuple[str, ...]:
    """A lead's line in the export; times are New York's."""
    waitlist = lead.type == "waitlist"
    moment = lead.created_at.astimezone(clock.NEW_YORK)
    return (
        leads.TYPE_LABELS[lead.type],  # type: ignore[index]
        NO_COMPANY if waitlist else lead.company,
        lead.name,
        lead.email,
        lead.phone,
        lead.shown_status,
        moment.isoformat(" ", "seconds")[:19],
    )
