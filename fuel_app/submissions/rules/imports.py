"""Imports of leads: the states of a file on its way into the list and out again; CSV files.

An import may have any encoding and delimiter; an export opens in a spreadsheet.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Annotated, Self

from pydantic import PlainValidator

from fuel_app.kit import contact
from fuel_app.kit.csv import moment, unguarded
from fuel_app.kit.errors import EmailTaken, InvalidForm, Refusal
from fuel_app.leads.rules import TYPE_LABELS, LeadRow
from fuel_app.waitlist.rules import WaitlistEntry

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


BYTES_MAX = 20 * 2**20
ROWS_MAX = 200_000
COLUMNS_MAX = 200
NAME_MAX = 200
LINE_MAX = 2**20  # characters; millions of cells in one row would take a gigabyte
DELIMITERS = (",", ";", "\t")
REQUIRED = ("first_name", "last_name", "email")
COLUMNS = (*REQUIRED, "phone", "zip_code")
REASON = "reason"  # the column that we add to rejected rows, and do not read
NOT_CSV = "Only .csv files can be uploaded."
NO_COMPANY = "N/A"
EXPORT_COLUMNS = ("Type", "Company", "Contact", "Email", "Phone", "Status", "Created At")
ALREADY_STORED = str(EmailTaken())

_BINARY = "This is not a CSV file. Save the table as CSV (UTF-8) first."
_BETWEEN_WORDS = re.compile(r"[\s_\ufeff]+")
# The ads platform marks what a spreadsheet would take for a number: p:+19415550123, z:34236.
_MARK = re.compile(r"[pz]:")
_COLUMN_OF = {"phone_number": "phone"}  # where the form's name is not the file's
# What others call our columns, where ours is not there; without case, spaces and BOM.
_ALSO = {
    "first_name": ("firstname", "given_name"),
    "last_name": ("lastname", "surname", "family_name"),
    "email": ("email_address", "e-mail", "e-mail_address"),
    "phone": ("phone_number", "mobile", "mobile_phone", "cell_phone"),
    "zip_code": ("zip", "zipcode", "postal_code", "zip/postal_code"),
}
_PLUS_FOUR = re.compile(r"(?<=^[0-9]{5})[- ]?[0-9]{4}$")  # of a ZIP such as 34228-1234


class UnusableFile(Refusal):
    """Nothing in the file can be imported."""


class FileTooLarge(UnusableFile):
    http_status = 413

    def __init__(self) -> None:
        super().__init__(f"The file must be {BYTES_MAX // 2**20} MB or smaller.")


def encoding_of(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if data[:1] and data[1:2] == b"\0":  # a table begins with a plain letter
        return "utf-16-le"
    if data[:1] == b"\0":
        return "utf-16-be"
    if b"\0" in data:
        raise UnusableFile(_BINARY)
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), 2**16):
            decoder.decode(data[start : start + 2**16])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "cp1252"
    return "utf-8-sig"


def records(data: bytes, encoding: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield every row that is not blank, with the number of its last line."""
    reader = csv.reader(_lines(data, encoding), delimiter=delimiter)
    try:
        for cells in reader:
            if any(cells) and not "".join(cells).isspace():
                yield reader.line_num, cells
    except csv.Error as error:
        line = reader.line_num
        raise UnusableFile(f"Line {line}: a cell is too long. Is a quote missing?") from error
    except UnicodeDecodeError as error:
        raise UnusableFile("The file's text cannot be read. Save it as CSV (UTF-8).") from error


def _lines(data: bytes, encoding: str) -> Iterator[str]:
    text = io.TextIOWrapper(io.BytesIO(data), encoding, newline="")
    for number, line in enumerate(text, 1):
        if "\0" in line:
            raise UnusableFile(_BINARY)
        if len(line) > LINE_MAX:
            raise UnusableFile(f"Line {number} is too long to be a row of a table.")
        yield line


def check_name(name: object) -> str:
    """Return the file's own name, without the folders before it.

    Raises:
        UnusableFile: If it does not end in .csv.
    """
    own = re.split(r"[/\\]", contact.text(name))[-1]
    if not own.lower().endswith(".csv"):
        raise UnusableFile(NOT_CSV)
    return own[-NAME_MAX:]


@dataclass(frozen=True, slots=True)
class LeadFile:
    """A file that can be imported: its columns are known and its rows are counted."""

    name: str
    data: bytes
    encoding: str
    delimiter: str
    header: tuple[str, ...]
    rows: int

    @classmethod
    def read(cls, name: object, data: bytes) -> Self:
        """Check the whole file once.

        Raises:
            UnusableFile: If it is no table of leads, or too large a one.
        """
        name = check_name(name)
        if len(data) > BYTES_MAX:
            raise FileTooLarge
        encoding = encoding_of(data)
        delimiter = max(DELIMITERS, key=lambda each: _known(_header(data, encoding, each)))
        header = _header(data, encoding, delimiter)
        _check_header(header)
        file = cls(name, data, encoding, delimiter, tuple(header), rows=0)
        return replace(file, rows=_count(file))

    @property
    def places(self) -> dict[str, int]:
        """Return the position of each of our columns in a row."""
        return _places([_key(name) for name in self.header])

    @property
    def kept(self) -> list[int]:
        """Return the positions of the columns that a file of rejected rows repeats."""
        return [place for place, name in enumerate(self.header) if _key(name) != REASON]

    @property
    def kept_header(self) -> list[str]:
        return [self.header[place] for place in self.kept]

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield every row that is not blank, with the number of its last line."""
        rows = records(self.data, self.encoding, self.delimiter)
        next(rows)  # the header
        yield from rows


def _key(name: str) -> str:
    """Return a column's name without case, spaces and BOM: 'First Name' is first_name."""
    return _BETWEEN_WORDS.sub(" ", name).strip().lower().replace(" ", "_")


def _places(keys: list[str]) -> dict[str, int]:
    """Return the position of each of our columns, found by its name or another usual one."""
    named = {column: (column, *_ALSO[column]) for column in COLUMNS}
    return {
        column: keys.index(name)
        for column, names in named.items()
        for name in [next((each for each in names if each in keys), None)]
        if name
    }


def _known(header: list[str]) -> tuple[int, int]:
    """Count the columns that a delimiter finds: ours, then any."""
    return len(_places([_key(name) for name in header])), len(header)


def _check_header(header: list[str]) -> None:
    if not header:
        raise UnusableFile("The file is empty.")
    if len(header) > COLUMNS_MAX:
        raise UnusableFile(f"The file must have {COLUMNS_MAX} columns or fewer.")
    keys = [_key(name) for name in header]
    places = _places(keys)
    if missing := [column for column in REQUIRED if column not in places]:
        raise UnusableFile(f"Missing required fields: {', '.join(missing)}")
    if twice := [column for column in COLUMNS if keys.count(column) > 1]:
        raise UnusableFile(f"Fields that appear more than once: {', '.join(twice)}")


def _count(file: LeadFile) -> int:
    rows = 0
    for rows, _ in enumerate(file.records(), 1):
        if rows > ROWS_MAX:
            raise UnusableFile(f"The file must have {ROWS_MAX:,} rows or fewer.")
    if not rows:
        raise UnusableFile("The file has no rows.")
    return rows


def _header(data: bytes, encoding: str, delimiter: str) -> list[str]:
    return next(records(data, encoding, delimiter), (0, []))[1]


def _optional(clean: contact.Cleaner) -> PlainValidator:
    def cleaned(value: object) -> str:
        typed = _MARK.sub("", value.strip(), count=1) if isinstance(value, str) else ""
        return clean(typed) if typed else ""

    return PlainValidator(cleaned)


def _zip_code(value: object) -> str:
    """Return the five digits of a ZIP code, also of one with four more."""
    return contact.zip_code(_PLUS_FOUR.sub("", str(value)))


class ImportedEntry(WaitlistEntry):
    """A row of a file: phone and ZIP may be missing."""

    phone_number: Annotated[str, _optional(contact.phone)]
    zip_code: Annotated[str, _optional(_zip_code)]


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """A row of a file: an entry for the waitlist, or the reason why it is none."""

    line: int
    cells: list[str]  # as they stand in the file
    entry: WaitlistEntry | None = None
    reason: str = ""
    duplicate: bool = False


def checked(file: LeadFile) -> Iterator[CheckedRow]:
    """Check every row of the file, in its order. The first one with an e-mail is its entry."""
    places = {
        field: file.places.get(_COLUMN_OF.get(field, field)) for field in ImportedEntry.names()
    }
    ours, width = file.kept, len(file.header)
    first_lines: dict[str, int] = {}
    for line, typed in file.records():
        cells = [unguarded(cell) for cell in typed]
        row = CheckedRow(line, _own(cells, ours, width))
        try:
            entry = _entry(cells, places, width)
        except InvalidForm as error:
            yield replace(row, reason="; ".join(error.messages.values()))
            continue
        first = first_lines.setdefault(entry.email, line)
        if first == line:
            yield replace(row, entry=entry)
        else:
            reason = f"The email is already in line {first} of the file"
            yield replace(row, reason=reason, duplicate=True)


def _own(cells: list[str], ours: list[int], width: int) -> list[str]:
    """Return the row as it stands in the file, without a reason of an earlier import."""
    filled = cells + [""] * (width - len(cells))
    return [filled[place] for place in ours] + filled[width : width + COLUMNS_MAX]


def _entry(cells: list[str], places: Mapping[str, int | None], width: int) -> WaitlistEntry:
    if any(cells[width:]):  # a separator inside a name, and each cell is another column's
        raise InvalidForm({"row": "The row has more cells than the header"})
    form = {
        field: "" if place is None or place >= len(cells) else cells[place]
        for field, place in places.items()
    }
    return ImportedEntry.parse(form)


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
