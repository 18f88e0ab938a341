"""Imports of leads: the states of a file on its way into the list and out again, and its rows."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Annotated, Self

from pydantic import PlainValidator

from fuel_app.kit import contact
from fuel_app.kit.csv import unguarded
from fuel_app.kit.errors import EmailTaken, InvalidForm, Refusal
from fuel_app.kit.table_file import (
    COLUMNS_MAX,
    FileField,
    Places,
    TableFile,
    key_of,
    missing,
)
from fuel_app.kit.words import counted
from fuel_app.leads.rules import IMPORT_SOURCE, SOURCES, TYPE_LABELS
from fuel_app.waitlist.rules import NOTES_MAX, WaitlistEntry

# The state in which the removal of an import's leads ends.
AFTER_REMOVAL = {"cancelling": "cancelled", "failing": "failed", "undoing": "undone"}
UNDER_WAY = ("running", *AFTER_REMOVAL)
STATES = (*UNDER_WAY, "done", *AFTER_REMOVAL.values())
REJECTS_KEPT = timedelta(days=30)
UPLOADS_KEPT = timedelta(days=1)

IMPORT_JOB = "leads.import"
REMOVE_JOB = "leads.remove_import"


class UploadGone(Refusal):
    message = "This file is not here any more. Please choose it again."


class ImportRunning(Refusal):
    """One at a time: two would only slow down each other and every visitor."""

    http_status = 409

    def __init__(self) -> None:
        super().__init__("Another import is running. Please wait until it has finished.")


@dataclass(frozen=True, slots=True)
class ImportLine:
    """One file as the staff see it: its progress, or its outcome; a blank one is none."""

    id: str = ""
    file_name: str = ""
    phase: str = ""
    done: int = 0  # rows, or of a removal: leads
    whole: int = 0
    percent: int = 0
    progress: str = ""  # '2,000 of 20,000 rows'
    counts: str = ""  # '97 imported, 2 duplicates, 1 invalid'
    message: str = ""
    when: str = ""
    who: str = ""
    rejected: int = 0  # rows that can still be downloaded
    invalid: int = 0  # rows that were refused: somebody has to correct them


FIELDS = (
    FileField("first_name", "First name", ("firstname", "given_name"), required=True),
    FileField("last_name", "Last name", ("lastname", "surname", "family_name"), required=True),
    FileField("email", "Email", ("email_address", "e-mail", "e-mail_address"), required=True),
    FileField("phone", "Phone", ("phone_number", "mobile", "mobile_phone", "cell_phone")),
    FileField("zip_code", "ZIP code", ("zip", "zipcode", "postal_code", "zip/postal_code")),
    FileField("lead_source", "Lead source"),
    FileField("notes", "Notes", ("note", "comments")),
    FileField("type", "Type of lead"),
)
REASON = "reason"  # the column that we add to rejected rows, and do not read
ALREADY_STORED = str(EmailTaken())

# The ads platform marks what a spreadsheet would take for a number: p:+19415550123, z:34236.
_MARK = re.compile(r"[pz]:")
_QUOTES = {TYPE_LABELS[each].lower() for each in ("fleet", "business")}
_COLUMN_OF = {"phone_number": "phone"}  # where the form's name is not the file's
_PLUS_FOUR = re.compile(r"(?<=^[0-9]{5})[- ]?[0-9]{4}$")  # of a ZIP such as 34228-1234


@dataclass(frozen=True, slots=True)
class LeadFile(TableFile):
    """A table of leads."""

    @classmethod
    def read(cls, name: object, data: bytes, fields: Sequence[FileField] = FIELDS) -> Self:
        """Read a file of leads. Raises UnusableFile as `TableFile.read` does."""
        return super(LeadFile, cls).read(name, data, fields)

    @property
    def kept(self) -> list[int]:
        """Return the positions of the columns that a file of rejected rows repeats."""
        return [place for place, name in enumerate(self.header) if key_of(name) != REASON]

    @property
    def kept_header(self) -> list[str]:
        return [self.header[place] for place in self.kept]


@dataclass(frozen=True, slots=True)
class LeadMapping:
    """Mapping of a file's columns to our fields; its other columns may become a note."""

    places: Places
    keeps_rest: bool = False

    @classmethod
    def guess(cls, file: LeadFile) -> Self:
        return cls(file.guess(FIELDS))

    @property
    def problem(self) -> str:
        """Return why nothing can be imported by it: 'Missing required fields: email'."""
        return missing(self.places, FIELDS)

    def rest(self, file: LeadFile) -> list[int]:
        """Return the positions of the columns that fill no field."""
        used = set(self.places.values())
        return [place for place in file.kept if place not in used]


def _optional(clean: contact.Cleaner) -> PlainValidator:
    def cleaned(value: object) -> str:
        typed = _MARK.sub("", value.strip(), count=1) if isinstance(value, str) else ""
        return clean(typed) if typed else ""

    return PlainValidator(cleaned)


def _zip_code(value: object) -> str:
    """Return the five digits of a ZIP code, also of one with four more."""
    return contact.zip_code(_PLUS_FOUR.sub("", str(value)))


def _source(value: object) -> str:
    """Return a lead source; what has none comes from the ads."""
    typed = contact.text(value)
    if typed and typed not in SOURCES:
        raise ValueError(f"Lead source must be {', '.join(SOURCES[:-1])} or {SOURCES[-1]}")
    return typed or IMPORT_SOURCE


class ImportedEntry(WaitlistEntry):
    """A row of a file: phone and ZIP may be missing."""

    phone_number: Annotated[str, _optional(contact.phone)]
    zip_code: Annotated[str, _optional(_zip_code)]
    lead_source: Annotated[str, PlainValidator(_source)]
    notes: Annotated[str, PlainValidator(contact.lines("Notes", NOTES_MAX))]


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """A row of a file: an entry for the waitlist, or the reason why it is none."""

    line: int
    cells: list[str]  # as they stand in the file
    entry: ImportedEntry | None = None
    reason: str = ""
    duplicate: bool = False


def checked(file: LeadFile, mapping: LeadMapping) -> Iterator[CheckedRow]:
    """Check every row of the file, in its order. The first one with an e-mail is its entry."""
    places = {
        field: mapping.places.get(_COLUMN_OF.get(field, field))
        for field in (*ImportedEntry.names(), "type")
    }
    ours, width, columns = file.kept, len(file.header), file.columns
    rest = [(place, columns[place]) for place in mapping.rest(file)] if mapping.keeps_rest else []
    first_lines: dict[str, int] = {}
    for line, typed in file.records():
        cells = [unguarded(cell) for cell in typed]
        row = CheckedRow(line, _own(cells, ours, width))
        try:
            entry = _entry(cells, places, width, rest)
        except InvalidForm as error:
            yield replace(row, reason="; ".join(error.messages.values()))
            continue
        first = first_lines.setdefault(entry.email, line)
        if first == line:
            yield replace(row, entry=entry)
        else:
            yield replace(row, reason=f"{_IN_FILE} {first} of the file", duplicate=True)


_IN_FILE = "The email is already in line"
TWICE = "The email is in the file more than once"


def _own(cells: list[str], ours: list[int], width: int) -> list[str]:
    """Return the row as it stands in the file, without a reason of an earlier import."""
    filled = cells + [""] * (width - len(cells))
    return [filled[place] for place in ours] + filled[width : width + COLUMNS_MAX]


def _entry(
    cells: list[str],
    places: Mapping[str, int | None],
    width: int,
    rest: Sequence[tuple[int, str]],
) -> ImportedEntry:
    if any(cells[width:]):  # a separator inside a name, and each cell is another column's
        raise InvalidForm({"row": "The row has more cells than the header"})
    form = {
        field: cells[place] if place is not None and place < len(cells) else ""
        for field, place in places.items()
    }
    if form["type"].strip().lower() in _QUOTES:
        raise InvalidForm({"row": "Only leads of the waitlist are imported, no quotes"})
    kept = [
        f"{name}: {cells[place]}"
        for place, name in rest
        if place < len(cells) and cells[place].strip()
    ]
    return ImportedEntry.parse(form | {"notes": "\n".join(filter(None, [form["notes"], *kept]))})


def reasons_of(reasons: Mapping[str, int]) -> tuple[str, ...]:
    """Return why rows are refused, the most common first: 'ZIP code must be 5 digits: 57 rows'."""
    counts = _count_faults(reasons)
    return tuple(f"{fault}: {counted(count, 'row')}" for fault, count in counts.most_common())


def _count_faults(reasons: Mapping[str, int]) -> Counter[str]:
    """Return each fault with its rows; a row with two counts for both, whatever its line is."""
    counts: Counter[str] = Counter()
    for reason, count in reasons.items():
        for each in reason.split("; "):
            counts[TWICE if each.startswith(_IN_FILE) else each] += count
    return counts


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One of the first rows as it would be imported, or why it would not."""

    line: int = 0
    name: str = ""
    about: str = ""  # e-mail, phone and ZIP code
    notes: str = ""
    reason: str = ""

    @classmethod
    def of(cls, row: CheckedRow, *, is_known: bool) -> Self:
        entry = row.entry
        if entry is None:
            return cls(row.line, ", ".join(filter(None, row.cells))[:_SHOWN], reason=row.reason)
        about = (entry.email, contact.phone_text(entry.phone_number), entry.zip_code)
        return cls(
            row.line,
            f"{entry.first_name} {entry.last_name}",
            " · ".join(filter(None, about)),
            entry.notes[:_SHOWN],
            ALREADY_STORED if is_known else "",
        )


_SHOWN = 200  # characters


@dataclass(frozen=True, slots=True)
class Preview:
    """Preview of an import: counts so far, the faults of rows, and the first rows."""

    whole: int = 0
    done: int = 0
    good: int = 0
    known: int = 0  # in the list already, or a second time in the file
    refused: int = 0
    first: tuple[PreviewRow, ...] = ()
    refusals: tuple[tuple[str, int], ...] = ()

    def adding(self, rows: Sequence[CheckedRow], known: Collection[str]) -> Self:
        """Return it with the next rows, of which the e-mails `known` are in the list."""
        stored = [row.entry is not None and row.entry.email in known for row in rows]
        refusals = Counter(dict(self.refusals))
        refusals.update(_count_faults(Counter(row.reason for row in rows if row.reason)))
        refusals.update({ALREADY_STORED: sum(stored)} if any(stored) else {})
        good = sum(row.entry is not None for row in rows) - sum(stored)
        duplicates = sum(stored) + sum(row.duplicate for row in rows)
        shown = [
            PreviewRow.of(row, is_known=is_known)
            for row, is_known in zip(rows, stored, strict=True)
        ]
        return replace(
            self,
            done=self.done + len(rows),
            good=self.good + good,
            known=self.known + duplicates,
            refused=self.refused + len(rows) - good - duplicates,
            first=(*self.first, *shown)[:FIRST_ROWS],
            refusals=tuple(refusals.items()),
        )


FIRST_ROWS = 5
