"""Tables that people send as CSV files: reading them, and mapping their columns to our fields.

A file may have any encoding and delimiter. A mapping says in which column each of our fields
stands; it is guessed by the columns' names, and the sender may change it.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from fuel_app.kit import contact
from fuel_app.kit.errors import Refusal

BYTES_MAX = 20 * 2**20
ROWS_MAX = 200_000
COLUMNS_MAX = 200
NAME_MAX = 200
LINE_MAX = 2**20  # characters; millions of cells in one row would take a gigabyte
DELIMITERS = (",", ";", "\t")
NOT_CSV = "Only .csv files can be uploaded."

_BINARY = "This is not a CSV file. Save the table as CSV (UTF-8) first."
_BETWEEN_WORDS = re.compile(r"[\s_\ufeff]+")

Places = Mapping[str, int]  # the position of each field's column


class UnusableFile(Refusal):
    """Nothing in the file can be imported."""


class FileTooLarge(UnusableFile):
    http_status = 413

    def __init__(self) -> None:
        super().__init__(f"The file must be {BYTES_MAX // 2**20} MB or smaller.")


@dataclass(frozen=True, slots=True)
class FileField:
    """One of our fields that a column may fill; `also` are other usual names of such a column."""

    name: str  # 'first_name'; a column 'First Name' has that name, too
    label: str
    also: tuple[str, ...] = ()
    required: bool = False


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
class TableFile:
    """A file with a header and rows, which are counted."""

    name: str
    data: bytes
    encoding: str
    delimiter: str
    header: tuple[str, ...]
    rows: int

    @classmethod
    def read(cls, name: object, data: bytes, fields: Sequence[FileField]) -> Self:
        """Check the whole file once; the delimiter is the one by which most fields are found.

        Raises:
            UnusableFile: If it is no table, or too large a one.
        """
        name = check_name(name)
        if len(data) > BYTES_MAX:
            raise FileTooLarge
        encoding = encoding_of(data)

        def known(delimiter: str) -> tuple[int, int]:
            header = _header(data, encoding, delimiter)
            return len(_found(header, fields)), len(header)

        delimiter = max(DELIMITERS, key=known)
        header = _header(data, encoding, delimiter)
        if not header:
            raise UnusableFile("The file is empty.")
        if len(header) > COLUMNS_MAX:
            raise UnusableFile(f"The file must have {COLUMNS_MAX} columns or fewer.")
        file = cls(name, data, encoding, delimiter, tuple(header), rows=0)
        return replace(file, rows=_count(file))

    def guess(self, fields: Sequence[FileField]) -> dict[str, int]:
        """Return the column of each field that has one, found by its name or another usual one.

        Of two columns with one name neither is taken.
        """
        repeated = self.repeated(fields)
        return {
            name: place
            for name, place in _found(self.header, fields).items()
            if name not in repeated
        }

    def repeated(self, fields: Sequence[FileField]) -> list[str]:
        """Return the fields whose column is there more than once."""
        counts = Counter(map(key_of, self.header))
        return [
            name
            for name, place in _found(self.header, fields).items()
            if counts[key_of(self.header[place])] > 1
        ]

    @property
    def columns(self) -> list[str]:
        """Return the columns' names to choose from, each another one."""
        names = [name.strip() or f"Column {place}" for place, name in enumerate(self.header, 1)]
        counts = Counter(names)
        return [
            f"{name} (column {place})" if counts[name] > 1 else name
            for place, name in enumerate(names, 1)
        ]

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield every row that is not blank, with the number of its last line."""
        rows = records(self.data, self.encoding, self.delimiter)
        next(rows)  # the header
        yield from rows


def key_of(name: str) -> str:
    """Return a column's name without case, spaces and BOM: 'First Name' is first_name."""
    return _BETWEEN_WORDS.sub(" ", name).strip().lower().replace(" ", "_")


def parsed_places(sent: object, fields: Sequence[FileField], columns: int) -> dict[str, int]:
    """Read a mapping as it was sent, of positions as text; what makes no sense is not mapped."""
    values = sent if isinstance(sent, Mapping) else {}
    places = {field.name: values.get(field.name) for field in fields}
    known = {str(place): place for place in range(columns)}
    return {
        name: known[place]
        for name, place in places.items()
        if isinstance(place, str) and place in known
    }


def missing(places: Places, fields: Sequence[FileField]) -> str:
    """Return which required fields are not mapped, in words; empty if all are."""
    names = [field.name for field in fields if field.required and field.name not in places]
    return f"Missing required fields: {', '.join(names)}" if names else ""


def more_than_once(names: Sequence[str]) -> str:
    return f"Fields that appear more than once: {', '.join(names)}" if names else ""


def _found(header: Sequence[str], fields: Sequence[FileField]) -> dict[str, int]:
    keys = [key_of(name) for name in header]
    return {
        field.name: keys.index(name)
        for field in fields
        for name in [next((each for each in (field.name, *field.also) if each in keys), None)]
        if name
    }


def _count(file: TableFile) -> int:
    rows = 0
    for rows, _ in enumerate(file.records(), 1):
        if rows > ROWS_MAX:
            raise UnusableFile(f"The file must have {ROWS_MAX:,} rows or fewer.")
    if not rows:
        raise UnusableFile("The file has no rows.")
    return rows


def _header(data: bytes, encoding: str, delimiter: str) -> list[str]:
    return next(records(data, encoding, delimiter), (0, []))[1]
