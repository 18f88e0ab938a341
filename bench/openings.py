"""A thousand tabs of an open company open pages, twenty a second: one process, then two.

Of the openings 60 % are visitors', 33 % customers' and 7 % staff's; 2 % of all are in new tabs.

`python -m bench.openings seed` fills the database of `FUEL_DATABASE_URL` and prints who comes.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import QUICK, apart
from bench.journeys import CLERK, MEMBER, READER
from bench.load import Run, Served, seeded, show_events
from bench.report import Figure
from bench.visitors import Who
from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE
from tests.deployment import METRICS_TOKEN, deployed
from tests.site import served

TABS = {READER: 600, MEMBER: 330, CLERK: 70}
RATE = 20  # openings a second
RUNS = 1 if QUICK else 3
LIMIT_MS = 250


def measure() -> list[Figure]:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        site = stack.enter_context(served(folder, FUEL_METRICS_TOKEN=METRICS_TOKEN))
        crowd = seeded("bench.openings", site.database_url, COOKIE)
        here = Served(site.url, [site.process], site.rows)
        alone = _runs(here, crowd)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        deployment = stack.enter_context(deployed(folder))
        crowd = seeded("bench.openings", deployment.database_url, f"__Host-{COOKIE}")
        here = Served(deployment.url, deployment.processes, deployment.rows)
        both = _runs(here, crowd)
    return [*_figures("one process, SQLite", alone), *_figures("two, PostgreSQL", both)]


def _runs(site: Served, crowd: Sequence[Who]) -> Sequence[Run]:
    """Return the outcomes of runs, but for the first one after the start of the site."""
    return [site.run(RATE, crowd) for _ in range(RUNS + 1)][1:]


def _figures(where: str, runs: Sequence[Run]) -> Iterator[Figure]:
    show_events(where, runs)
    for what, unit, numbers, bound in (
        ("an opening, p95", "ms", [each.percentile(95) for each in runs], f"<= {LIMIT_MS}"),
        ("an opening, median", "ms", [each.percentile(50) for each in runs], ""),
        ("openings", "per CPU-second", [_per_cpu_second(each) for each in runs], ""),
        ("the server's CPU", "% of a core", [100 * each.cpu for each in runs], ""),
        ("the tabs' own CPU", "% of a core", [100 * each.load["cpu"] for each in runs], ""),
        ("errors", "openings", [len(each.load["errors"]) for each in runs], "<= 0"),
        ("not served", "tabs", [each.load["unserved"] for each in runs], "<= 0"),
    ):
        yield Figure(f"{where}: {what}", unit, numbers, bound)


def _per_cpu_second(run: Run) -> float:
    return len(run.load["took"]) / (run.cpu * run.load["seconds"])


async def seed() -> list[dict[str, Any]]:
    """Fill the database. Return who comes, with their sessions."""
    from sqlmodel import col, select

    from bench.company_rows import Sizes, fill
    from fuel_app.accounts.rules import Role
    from fuel_app.accounts.tables import Person
    from fuel_app.kit.db.session import reading
    from tests.helpers.signed_in import a_person, cookie_for

    made = await fill(Sizes(10 * TABS[MEMBER], 150, days_before=5, has_leads=True))
    await apart.analyze()
    office = [await a_person(Role.ADMIN) for _ in range(TABS[CLERK])]
    crowd = [Who(READER)] * TABS[READER]
    async with reading() as session:
        is_open = col(Person.id).in_(made.customers) & col(Person.deactivated_at).is_(None)
        members = await session.scalars(select(Person.id).where(is_open).limit(TABS[MEMBER]))
    for person in members:
        crowd.append(Who(MEMBER, routes.DASHBOARD, await cookie_for(person)))
    for person in office:
        cookie = await cookie_for(person, second_factor=True)
        crowd.append(Who(CLERK, routes.DASHBOARD, cookie))
    return [asdict(each) for each in crowd]


if __name__ == "__main__":
    apart.answer({"seed": seed}, sys.argv[1])
