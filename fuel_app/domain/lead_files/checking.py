"""Which rows of a file become leads: the waitlist's own rules, phone and ZIP optional."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from fuel_app.domain.lead_files.reading import LeadFile
from fuel_app.kit import contact
from fuel_app.kit.csv import unguarded
from fuel_app.kit.errors import EmailTaken, InvalidForm
from fuel_app.waitlist.rules import CLEANERS, WaitlistEntry

# The ads platform marks what a spreadsheet would take for a number: p:+19415550123, z:34236.
_MARK = re.compile(r"[pz]:")
_COLUMN_OF = {"phone_number": "phone"}  # where the form's name is not the file's


def _optional(clean: contact.Cleaner) -> contact.Cleaner:
    def cleaned(value: str) -> str:
        typed = _MARK.sub("", value.strip(), count=1)
        return clean(typed) if typed else ""

    return cleaned  # type: ignore[return-value]


_CLEANERS: Mapping[str, contact.Cleaner] = {
    **CLEANERS,
    "phone_number": _optional(contact.phone),
    "zip_code": _optional(contact.zip_code),
}


@dataclass(frozen=True, slots=True)
class Reject:
    """A row that is not imported, as it stands in the file."""

    line: int
    cells: list[str]
    reason: str


@dataclass(slots=True)
class Checked:
    """Some rows of a file."""

    rows: int = 0
    good: list[tuple[WaitlistEntry, Reject]] = field(
        default_factory=list
    )  # if it is stored already
    duplicates: list[Reject] = field(default_factory=list)
    invalid: list[Reject] = field(default_factory=list)


_STORED = str(EmailTaken())


def checked(file: LeadFile, size: int) -> Iterator[Checked]:
    """All rows of the file, so many at a time. The first of several with one e-mail is the one."""
    places = {field: file.places.get(_COLUMN_OF.get(field, field)) for field in _CLEANERS}
    ours, width = file.kept, len(file.header)
    first_lines: dict[str, int] = {}
    records = file.records()
    while some := list(islice(records, size)):
        part = Checked(rows=len(some))
        for line, typed in some:
            cells = [unguarded(cell) for cell in typed]
            row = Reject(line, _own(cells, ours, width), _STORED)
            try:
                entry = _entry(cells, places, width)
            except InvalidForm as error:
                reason = "; ".join(error.messages.values())
                part.invalid.append(Reject(line, row.cells, reason))
                continue
            first = first_lines.setdefault(entry.email, line)
            if first == line:
                part.good.append((entry, row))
            else:
                reason = f"The email is already in line {first} of the file"
                part.duplicates.append(Reject(line, row.cells, reason))
        yield part


def _own(cells: list[str], ours: list[int], width: int) -> list[str]:
    """The row as it stood there, without a reason that we gave it before."""
    filled = cells + [""] * (width - len(cells))
    return [filled[place] for place in ours] + filled[width:]


def _entry(cells: list[str], places: Mapping[str, int | None], width: int) -> WaitlistEntry:
    if any(cells[width:]):  # a separator inside a name, and each cell is another column's
        raise InvalidForm({"row": "The row has more cells than the header"})
    form = {
        field: "" if place is None or place >= len(cells) else cells[place]
        for field, place in places.items()
    }
    return WaitlistEntry(**contact.clean_form(form, _CLEANERS))
