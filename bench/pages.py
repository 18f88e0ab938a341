"""What a page costs the server as it opens: seconds of its CPU in a tab that is already there.

Each page of a customer is measured beside a plain handler that makes the same reads
(`bench/plain.py`), measured in the same run: the ratio is what the framework and our states add.

`python -m bench.pages seed` fills the database of `FUEL_DATABASE_URL` and prints who comes.
"""

import asyncio
import json
import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import httpx
import psutil
from aiohttp import ClientSession

from bench import QUICK, apart
from bench.journeys import CUSTOMERS_PAGES, STAFF_PAGES, VISITORS_PAGES
from bench.report import Figure
from bench.tab import Tab, visit
from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE
from tests.servers import ended_with_us, free_port
from tests.site import START_S, served
from tests.waiting import came_true

OPENINGS = 10 if QUICK else 25  # of a page in one run
READINGS = 4 * OPENINGS  # by the plain handler: the clock of the CPU ticks 100 times a second
RUNS = 1 if QUICK else 5
_SETTLE_S = 0.3  # what follows a page begins after its opening has been answered

VISITOR, CUSTOMER, ADMIN = "visitor", "customer", "admin"
RATIO = 2.5  # of a customer's page to a plain handler
LIMITS_MS = {VISITOR: 8, CUSTOMER: 30, ADMIN: 40, routes.DISPATCH: 60}
PAGES = {VISITOR: VISITORS_PAGES, CUSTOMER: CUSTOMERS_PAGES, ADMIN: STAFF_PAGES}


def measure() -> list[Figure]:
    return [figure for name in apart.DATABASES for figure in _at(name)]


def _at(database: str) -> Iterator[Figure]:
    with ExitStack() as stack:
        url = stack.enter_context(apart.DATABASES[database]())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        site = stack.enter_context(served(folder, FUEL_DATABASE_URL=url))
        cookies = apart.run("bench.pages", "seed", url=url) | {VISITOR: ""}
        asked = [
            (who, path, cookies[who] and f"{COOKIE}={cookies[who]}")
            for who, paths in PAGES.items()
            for path in paths
        ]
        plain_url, plain = stack.enter_context(_plain(url, [each[1:] for each in asked]))
        family = site.process.family()
        for number, (who, path, cookie) in enumerate(asked):
            runs = asyncio.run(_opened(site.url, path, cookie, family))
            limit_ms = LIMITS_MS.get(path, LIMITS_MS[who])
            named = f"{database}: {who}, {path}"
            yield Figure(named, "ms of CPU", runs, f"<= {limit_ms}")
            if who == CUSTOMER:
                reads = asyncio.run(_read(f"{plain_url}/{number}", plain))
                ratios = [page / read for page, read in zip(runs, reads, strict=True)]
                yield Figure(f"{named}: to a plain handler", "x", ratios, f"<= {RATIO}")


@contextmanager
def _plain(url: str, pages: Sequence[tuple[str, str]]) -> Iterator[tuple[str, psutil.Process]]:
    """Serve the reads of pages (address, cookie) by plain handlers."""
    port = free_port()
    process = apart.start("bench.plain", str(port), url=url)
    with ended_with_us(process, signal.SIGTERM):
        assert process.stdin
        process.stdin.write(json.dumps(pages) + "\n")
        process.stdin.flush()
        here = f"http://127.0.0.1:{port}"
        try:
            assert came_true(lambda: _answers(f"{here}/0"), within=START_S)
            yield here, psutil.Process(process.pid)
        finally:
            process.terminate()
            process.communicate()


def _answers(url: str) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(url).is_success
    return False


async def _read(url: str, process: psutil.Process) -> Sequence[float]:
    """Ask a plain handler again and again. Return the milliseconds of each answer."""
    runs = []
    async with ClientSession() as session:
        for _ in range(RUNS):
            before = _spent([process])
            for _ in range(READINGS):
                async with session.get(url) as answer:
                    await answer.read()
            runs.append(1000 * (_spent([process]) - before) / READINGS)
    return runs


async def _opened(
    url: str, path: str, cookie: str, family: Sequence[psutil.Process]
) -> Sequence[float]:
    """Open a page again and again in one tab. Return the milliseconds of each opening, by run."""
    runs = []
    async with ClientSession() as session, Tab(session, url, path, cookie) as tab:
        await tab.press(visit(path))
        for _ in range(RUNS):
            await asyncio.sleep(_SETTLE_S)
            before = _spent(family)
            for _ in range(OPENINGS):
                await tab.press(visit(path))
            await asyncio.sleep(_SETTLE_S)
            runs.append(1000 * (_spent(family) - before) / OPENINGS)
        assert not tab.errors, tab.errors
    return runs


def _spent(family: Sequence[psutil.Process]) -> float:
    return sum(sum(each.cpu_times()[:2]) for each in family)


async def seed() -> dict[str, str]:
    """Fill the database. Return the cookie of a customer and of an admin."""
    from bench.company_rows import Sizes, fill
    from fuel_app.accounts.rules import Role
    from tests.helpers.signed_in import a_person, cookie_for

    made = await fill(Sizes(2_000, 150, days_before=5, has_leads=True))
    await apart.analyze()
    admin = await a_person(Role.ADMIN)
    return {
        CUSTOMER: await cookie_for(made.customers[0]),
        ADMIN: await cookie_for(admin, second_factor=True),
    }


if __name__ == "__main__":
    apart.answer({"seed": seed}, sys.argv[1])
