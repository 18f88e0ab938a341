"""Imports of leads: a file's way into the list, all of it or nothing."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from fuel_app.kit.errors import Refusal

# An import says that it is alive with each of its steps. One that has been silent for so long has
# lost its process, and whoever finds it takes back what it brought.
SILENT = timedelta(seconds=30)


class ImportRunning(Refusal):
    """One at a time: two would only slow each other down, and everybody else."""

    def __init__(self) -> None:
        super().__init__("Another import is running. Please wait until it has finished.")


@dataclass(frozen=True, slots=True)
class LeadImport:
    """One file: how far it is, and what came of it."""

    id: str
    file_name: str
    by_session: str
    started_at: datetime
    finished_at: datetime | None
    state: str
    cancel_asked: bool
    message: str
    rows: int
    rows_done: int
    imported: int
    duplicates: int
    invalid: int

    @property
    def phase(self) -> str:
        """Its state, and for one that is being taken back, why."""
        if self.state != "running" or not self.cancel_asked:
            return self.state
        return "undoing" if self.finished_at else "cancelling"

    @property
    def whole(self) -> int:
        """How many rows there are to go through."""
        return self.imported if self.phase == "undoing" else self.rows

    @property
    def percent(self) -> int:
        return 100 * self.rows_done // self.whole if self.whole else 0


def end_of_return(*, cancel_asked: bool, finished: bool) -> str:
    """The state of an import all of whose leads have been taken back."""
    if not cancel_asked:
        return "failed"
    return "undone" if finished else "cancelled"
