"""CSV files that a spreadsheet opens as they are meant, and runs nothing of (RFC 4180)."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import datetime

from fuel_app.kit import clock

BOM = "\ufeff"  # by which a spreadsheet knows UTF-8
# A cell that begins so is a formula to a spreadsheet. Quotes in front count, so that taking one
# away again leads back to the same text. Wide characters are the same to a spreadsheet in Japan.
_RUN = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_FIRST = f"(?='*[{_RUN}\\t\\r\\n])"
# A spreadsheet that splits at semicolons, as many do in Europe, or at tabs makes several cells of
# one of ours. Our quotes stand in the middle of its own cells then, and hold nothing together.
_INSIDE, _LATER = "(?<=[;\\t\\r\\n])", f"(?=[ '\"]*[{_RUN}])"
_BARE = re.compile(f"^{_FIRST}|{_INSIDE}{_LATER}")
_GUARDED = re.compile(f"^'{_FIRST}|{_INSIDE}'{_LATER}")
_SUSPECT = frozenset("'=+-@\uff1d\uff0b\uff0d\uff20")


def guarded(cell: str) -> str:
    """Return a cell of which nothing is run, whatever the spreadsheet splits at."""
    if cell[:1] not in _SUSPECT and ";" not in cell and cell.isprintable():
        return cell  # nearly all of millions
    return _BARE.sub("'", cell)


def unguarded(cell: str) -> str:
    """Return the cell as it was before `guarded`."""
    return _GUARDED.sub("", cell) if "'" in cell else cell


def lines(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as the lines of a file."""
    out = io.StringIO(newline="")
    csv.writer(out).writerows(map(guarded, row) for row in rows)
    return out.getvalue()


def zoned(at: datetime) -> str:
    """Format a moment in New York with its offset (ISO 8601): '2026-03-08T01:59:00-05:00'."""
    return at.astimezone(clock.NEW_YORK).isoformat(timespec="seconds")


def moment(at: datetime) -> str:
    """Format a moment in New York: '2026-03-08 01:59:00'."""
    return at.astimezone(clock.NEW_YORK).isoformat(" ", "seconds")[:19]
