"""Imports of leads: the states of a file on its way into the list, and out again."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from fuel_app.kit.errors import Refusal

# The state in which the removal of an import's leads ends.
AFTER_REMOVAL = {"cancelling": "cancelled", "failing": "failed", "undoing": "undone"}
UNDER_WAY = ("running", *AFTER_REMOVAL)
STATES = (*UNDER_WAY, "done", *AFTER_REMOVAL.values())
REJECTS_KEPT = timedelta(days=30)

IMPORT_JOB = "leads.import"
REMOVE_JOB = "leads.remove_import"


class ImportRunning(Refusal):
    """One at a time: two would only slow down each other and every visitor."""

    http_status = 409

    def __init__(self) -> None:
        super().__init__("Another import is running. Please wait until it has finished.")


@dataclass(frozen=True, slots=True)
class LeadImport:
    """One file: its progress and its outcome."""

    id: str
    file_name: str
    actor: str
    started_at: datetime
    finished_at: datetime | None
    state: str
    message: str
    rows: int
    rows_done: int
    imported: int
    duplicates: int
    invalid: int
    removed: int

    @property
    def done(self) -> int:
        return self.removed if self.state in AFTER_REMOVAL else self.rows_done

    @property
    def whole(self) -> int:
        """Return the number of rows in the file."""
        return self.imported if self.state in AFTER_REMOVAL else self.rows

    @property
    def percent(self) -> int:
        return 100 * self.done // self.whole if self.whole else 0

    def rejected(self, now: datetime) -> int:
        """Return the number of rejected rows that can still be downloaded."""
        return self.duplicates + self.invalid if self.started_at > now - REJECTS_KEPT else 0
