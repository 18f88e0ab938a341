"""What a file of leads has to be like: its name, its size, its columns."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from fuel_app.domain.lead_files.decoding import DELIMITERS, UnusableFile, encoding_of, records
from fuel_app.kit import contact

BYTES_MAX = 20 * 2**20
ROWS_MAX = 200_000
NAME_MAX = 200
REQUIRED = ("first_name", "last_name", "email")
COLUMNS = (*REQUIRED, "phone", "zip_code")
NOT_CSV = "Only .csv files can be uploaded."
REASON = "reason"  # the column that we add to rejected rows, and do not read
_BETWEEN_WORDS = re.compile(r"[\s_\ufeff]+")


class FileTooLarge(UnusableFile):
    def __init__(self) -> None:
        super().__init__(f"The file must be {BYTES_MAX // 2**20} MB or smaller.")


def check_name(name: object) -> str:
    """The file's own name, without the folders before it.

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
        """Look the whole file through once.

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
        return cls(name, data, encoding, delimiter, tuple(header), _count(file))

    @property
    def places(self) -> dict[str, int]:
        """Where in a row each of our columns is."""
        keys = [_key(name) for name in self.header]
        return {column: keys.index(column) for column in COLUMNS if column in keys}

    @property
    def kept(self) -> list[int]:
        """The places of the columns that go back to whoever corrects a rejected row."""
        return [place for place, name in enumerate(self.header) if _key(name) != REASON]

    @property
    def kept_header(self) -> list[str]:
        return [self.header[place] for place in self.kept]

    def records(self) -> Iterator[tuple[int, list[str]]]:
        """Every row that is not blank, with the number of its last line."""
        rows = records(self.data, self.encoding, self.delimiter)
        next(rows)  # the header
        yield from rows


def _key(name: str) -> str:
    """A column's name, whatever its case, spaces and BOM: 'First Name' is first_name."""
    return _BETWEEN_WORDS.sub(" ", name).strip().lower().replace(" ", "_")


def _known(header: list[str]) -> tuple[int, int]:
    """How well a delimiter fits: the columns that it finds of ours, then of any."""
    keys = {_key(name) for name in header}
    return len(keys & set(COLUMNS)), len(header)


def _check_header(header: list[str]) -> None:
    if not header:
        raise UnusableFile("The file is empty.")
    keys = [_key(name) for name in header]
    if missing := [column for column in REQUIRED if column not in keys]:
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
