"""Every US ZIP code with its city, from the `zipcodes` package.

The package unpacks its data with the interpreter locked for half a second and then keeps 60 MB, so
it is asked in a process of its own: this file is also the script that runs there.
"""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import zipcodes

from fuel_app.domain.places import Place

_PATIENCE_S = 30
_ROOT = Path(__file__).parents[2]


def read() -> list[Place]:
    """All ZIPs in use but the military's."""
    lines = (line.split("\t") for line in _asked("names"))
    return [Place(code, state, city, tuple(others)) for code, state, city, *others in lines]


def positions() -> dict[str, tuple[float, float]]:
    """Latitude and longitude of each ZIP in use."""
    lines = (line.split("\t") for line in _asked("positions"))
    return {code: (float(latitude), float(longitude)) for code, latitude, longitude in lines}


def _asked(what: str) -> list[str]:
    done = subprocess.run(  # noqa: S603 (ourselves)
        [sys.executable, "-m", __name__, what],
        cwd=_ROOT,
        capture_output=True,
        check=True,
        encoding="utf-8",
        timeout=_PATIENCE_S,
    )
    return done.stdout.splitlines()


def _names() -> Iterator[str]:
    for place in _in_use():
        city, others = place["city"], place["acceptable_cities"]
        spelled_out = _without_abbreviations([city, *others])
        names = [name for name in spelled_out if name != city]
        yield "\t".join((place["zip_code"], place["state"], city, *names))


def _positions() -> Iterator[str]:
    for place in _in_use():
        if place["lat"] and place["long"]:
            yield "\t".join((place["zip_code"], place["lat"], place["long"]))


def _in_use() -> Iterator[dict[str, Any]]:
    for place in zipcodes.list_all():
        if place["active"] and place["zip_code_type"] != "MILITARY":
            yield place


def _without_abbreviations(names: Sequence[str]) -> Iterator[str]:
    """Mail also knows `Lakewood Rch`; people look for Lakewood Ranch."""
    for name in names:
        same_initials = [other for other in names if _initials(other) == _initials(name)]
        if name == max(same_initials, key=len):
            yield name


def _initials(name: str) -> list[str]:
    return [word[0] for word in name.split()]


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write("\n".join(_positions() if sys.argv[1:] == ["positions"] else _names()))
