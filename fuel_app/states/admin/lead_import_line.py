"""One import of leads as it stands on the screen."""

from dataclasses import dataclass
from typing import Self

from fuel_app import routes
from fuel_app.domain.lead_imports import LeadImport
from fuel_app.kit import clock

UNDER_WAY = ("running", "cancelling", "undoing")


@dataclass(frozen=True)
class ImportLine:
    id: str = ""
    file_name: str = ""
    phase: str = ""
    done: int = 0
    whole: int = 0
    percent: int = 0
    progress: str = ""  # '2,000 of 20,000 rows'
    counts: str = ""  # '97 imported, 2 duplicates, 1 invalid'
    message: str = ""
    when: str = ""
    who: str = ""
    rejected: int = 0
    rejected_address: str = ""

    @classmethod
    def of(cls, found: LeadImport) -> Self:
        rejected = found.duplicates + found.invalid
        day = clock.short_date(clock.day_of(found.started_at))
        return cls(
            id=found.id,
            file_name=found.file_name,
            phase=found.phase,
            done=found.rows_done,
            whole=found.whole,
            percent=found.percent,
            progress=f"{found.rows_done:,} of {found.whole:,} rows",
            counts=_counts(found) if found.state in {"done", "undone"} else "",
            message=found.message,
            when=f"{day}, {clock.time_of_day(found.started_at)}",
            who=f"Session {found.by_session[-6:]}",
            rejected=rejected,
            rejected_address=routes.rejected_rows(found.id) if rejected else "",
        )


def _counts(found: LeadImport) -> str:
    duplicates = "duplicate" if found.duplicates == 1 else "duplicates"
    return (
        f"{found.imported:,} imported, {found.duplicates:,} {duplicates}, {found.invalid:,} invalid"
    )


BLANK = ImportLine()
