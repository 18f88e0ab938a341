"""The staff's neighborhoods table and map: 100,000 members in 5,000 neighborhoods.

Each question is the whole use case behind a screen. `python -m bench.neighborhoods` measures both
databases, each in a process of its own, since settings are read once in a process.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
import uvloop

from bench import QUICK, people
from bench.people import LAST_DAY
from bench.report import Figure, show
from fuel_app.kit.db.session import engine
from fuel_app.kit.lists import pages_of
from fuel_app.neighborhoods import service as neighborhoods
from fuel_app.neighborhoods.queries import naming
from fuel_app.neighborhoods.rules import PAGE_SIZE, MemberQuery, NeighborhoodQuery
from fuel_app.office import service as office
from fuel_app.server import site
from fuel_app.tables import metadata
from fuel_app.waitlist.queries import listed
from fuel_app.waitlist.tables import WaitlistSubmission
from tests import servers
from tests.site import ROOT

ROUNDS = 3 if QUICK else 20
NEIGHBORHOODS, MEMBERS, LARGEST = 5_000, 100_000, 5_000
NAMES = "Palm Osprey Heron Mangrove Pelican Siesta Bay Gulf Cypress Coral Dolphin Egret Laurel"
KINDS = "Court Grove View Landing Ranch Key Trace Point Harbor Oaks Estates Walk"
FILTERS: tuple[dict[str, str], ...] = (
    {"q": "palm court 1234"},  # one or none
    {"q": "heron"},  # a thirteenth
    {"q": "o"},  # nearly all
    {"zip": "34236"},
    {"zip": "342"},  # all
    {"min": "20"},
    {"max": "4"},
    {"pioneer": "smith"},  # the commonest
    {"pioneer": "featherstonehaugh"},
    {"missing": "2"},
    {"q": "palm", "zip": "342", "min": "5", "max": "40", "pioneer": "jo", "missing": "5"},
)
Ask = Callable[[], Awaitable[Any]]


async def fill() -> tuple[str, int]:
    """Store the same neighborhoods on any machine. Return the largest one and its size."""
    chance = random.Random(1)
    places = [
        {
            "id": people.id_at(LAST_DAY, chance),
            **naming(f"{chance.choice(NAMES.split())} {chance.choice(KINDS.split())} {number}"),
            "zip_code": chance.choice(people.ZIPS.split()),
            "created_at": LAST_DAY,
        }
        for number in range(NEIGHBORHOODS)
    ]
    weights = [chance.paretovariate(1.2) for _ in places]
    homes = chance.choices(places, weights, k=MEMBERS - LARGEST) + [places[0]] * LARGEST
    crowd = [
        person | {"neighborhood_id": home["id"], "zip_code": home["zip_code"]}
        for (_, person), home in zip(people.made(people.Sizes(MEMBERS, 0, 0)), homes, strict=True)
    ]
    pioneers = {person["neighborhood_id"]: person["id"] for person in crowd}
    async with engine().begin() as connection:
        await connection.run_sync(metadata.create_all)
        for name, rows in (
            ("neighborhoods", places),
            ("waitlist_submissions", crowd),
            ("leads", [listed(WaitlistSubmission(**person).model_dump()) for person in crowd]),
        ):
            for start in range(0, len(rows), 10_000):
                insert = metadata.tables[name].insert()
                await connection.execute(insert, rows[start : start + 10_000])
        table = metadata.tables["neighborhoods"]
        led = sa.update(table).where(table.c.id == sa.bindparam("own"))
        await connection.execute(
            led.values(pioneer_id=sa.bindparam("who")),
            [{"own": own, "who": who} for own, who in pioneers.items()],
        )
    async with engine().connect() as connection:  # as PostgreSQL does by itself in time
        connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
        await connection.execute(
            sa.text("ANALYZE" if connection.dialect.name == "sqlite" else "VACUUM ANALYZE")
        )
    return Counter(home["id"] for home in homes).most_common(1)[0]


def questions(largest: str, members: int) -> Iterator[tuple[str, str, Ask]]:
    """Yield every order and filter of the table, the map, and pages of the largest detail."""

    def table(**asked: str) -> tuple[str, str, Ask]:
        query = NeighborhoodQuery.parse(asked)
        return "table", json.dumps(asked), lambda: neighborhoods.page(query)

    def detail(page: int) -> tuple[str, str, Ask]:
        query = MemberQuery(page=page)
        return "detail", f"page {page}", lambda: office.neighborhood_detail(largest, query)

    pages = pages_of(NEIGHBORHOODS, PAGE_SIZE)
    for order in [way + sort for sort in NeighborhoodQuery.COLUMNS for way in ("", "-")]:
        for page in (1, pages // 2, pages):
            yield table(sort=order, page=str(page))
        for each in FILTERS:
            yield table(**each, sort=order)
    last = pages_of(members, PAGE_SIZE)
    yield from (detail(page) for page in (1, last // 2, last))
    yield "map", "every ZIP", lambda: neighborhoods.areas(NeighborhoodQuery())


async def timings() -> dict[str, dict[str, list[float]]]:
    """Return milliseconds by kind and question, one a round."""
    asked = list(questions(*await fill()))
    await site.tune()  # as the server does
    took: dict[str, dict[str, list[float]]] = {}
    for round_ in range(ROUNDS + 1):
        for kind, question, ask in asked:
            started = time.perf_counter()
            await ask()
            if round_:  # the first one warms up
                spent = 1000 * (time.perf_counter() - started)
                took.setdefault(kind, {}).setdefault(question, []).append(spent)
    return took


@contextmanager
def _sqlite() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{folder}/fuel.db"


DATABASES = {"SQLite": _sqlite, "PostgreSQL": servers.postgres}


def _measured(name: str) -> Iterator[Figure]:
    with DATABASES[name]() as url:
        done = subprocess.run(
            [sys.executable, "-m", "bench.neighborhoods", "timings"],
            cwd=ROOT,
            env=os.environ | {"FUEL_DATABASE_URL": url},
            stdout=subprocess.PIPE,
            check=True,
        )
    for kind, asked in json.loads(done.stdout).items():
        slowest = max(asked, key=lambda question: statistics.median(asked[question]))
        if len(asked) > 1:
            rounds = zip(*asked.values(), strict=True)
            p95 = [statistics.quantiles(each, n=20)[-1] for each in rounds]
            yield Figure(f"neighborhoods on {name}: {kind}, p95", "ms", p95, "<= 60")
        what = f"neighborhoods on {name}: {kind}, slowest ({slowest})"
        yield Figure(what, "ms", asked[slowest], "<= 60")


def measure() -> list[Figure]:
    return [figure for name in DATABASES for figure in _measured(name)]


if __name__ == "__main__":
    if sys.argv[1:] == ["timings"]:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as the server has it
            print(json.dumps(runner.run(timings())))
    else:
        show(measure())
