"""Table of US ZIP codes, from the `zipcodes` package: `python -m tests.zip_table` writes it anew.

A line is ZIP, state, latitude, longitude, city and the other names that its mail may carry.
"""

import csv
import gzip
import io
from collections.abc import Iterator, Sequence

import zipcodes

from fuel_app.areas.providers import ZIP_TABLE


def rows() -> Iterator[list[str]]:
    """Yield every ZIP in use except the military's."""
    for place in zipcodes.list_all():
        if place["active"] and place["zip_code_type"] != "MILITARY":
            city, others = place["city"], place["acceptable_cities"]
            names = [name for name in _spelled_out([city, *others]) if name != city]
            position = [place["lat"] or "", place["long"] or ""]
            yield [place["zip_code"], place["state"], *position, city, *names]


def table() -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows())
    return gzip.compress(text.getvalue().encode(), mtime=0)


def _spelled_out(names: Sequence[str]) -> Iterator[str]:
    """Drop abbreviations: mail also knows 'Lakewood Rch'; people search for Lakewood Ranch."""
    for name in names:
        same_initials = [other for other in names if _initials(other) == _initials(name)]
        if name == max(same_initials, key=len):
            yield name


def _initials(name: str) -> list[str]:
    return [word[0] for word in name.split()]


if __name__ == "__main__":
    ZIP_TABLE.write_bytes(table())
