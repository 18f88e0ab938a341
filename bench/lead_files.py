"""Files of leads in and out of a list of a million, on SQLite and on PostgreSQL.

An import is timed from the request with the file until its last row is stored, with visitors who
join on the public page all the while. An export is timed as a browser takes it. Memory is what the
server's processes have more than before, at the most.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench import QUICK, exports, imports, million
from bench.lead_questions import MILLION, USUAL
from bench.report import Figure
from tests import servers
from tests.site import Site, served

SIZES = USUAL if QUICK else MILLION


@contextmanager
def _sqlite() -> Iterator[Site]:
    with tempfile.TemporaryDirectory() as folder:
        million.sqlite_copy(Path(folder), SIZES)
        with served(Path(folder)) as site:
            yield site


@contextmanager
def _postgres() -> Iterator[Site]:
    with servers.postgres() as url, tempfile.TemporaryDirectory() as folder:
        million.fill(url, SIZES)
        with served(Path(folder), FUEL_DATABASE_URL=url) as site:
            yield site


def measure() -> list[Figure]:
    figures: list[Figure] = []
    for name, serving in {"SQLite": _sqlite, "PostgreSQL": _postgres}.items():
        with serving() as site:
            figures += exports.measure(site, name) + imports.measure(site, name)
    return figures
