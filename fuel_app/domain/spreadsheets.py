"""CSV files that a spreadsheet opens as they are meant, and runs nothing of (RFC 4180)."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from fuel_app.domain import clock

BOM = "\ufeff"  # by which a spreadsheet knows UTF-8
# A cell that begins so is a formula to a spreadsheet. Quotes in front count, so that taking one
# away again leads back to the same text. Wide letters are the same to a spreadsheet in Japan.
_SUSPECT = frozenset("'=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
_FORMULA = re.compile("'*[=+\\-@\\t\\r\\n\uff1d\uff0b\uff0d\uff20]")


def guarded(cell: str) -> str:
    if cell[:1] not in _SUSPECT:  # nearly all of millions
        return cell
    return f"'{cell}" if _FORMULA.match(cell) else cell


def unguarded(cell: str) -> str:
    """What the cell was before `guarded`."""
    return cell[1:] if cell[:1] == "'" and _FORMULA.match(cell) else cell


def lines(rows: Iterable[Sequence[str]]) -> str:
    """Rows as the lines of a file."""
    out = io.StringIO(newline="")
    csv.writer(out).writerows(map(guarded, row) for row in rows)
    return out.getvalue()


def moment(at: datetime) -> str:
    """'2026-03-08 01:59:00', in New York."""
    return at.astimezone(clock.NEW_YORK).isoformat(" ", "seconds")[:19]
