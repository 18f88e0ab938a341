"""What a page costs the server as it opens: seconds of its CPU in a tab that is already there.

`python -m bench.pages seed` fills the database of `FUEL_DATABASE_URL` and prints who comes.
"""

import asyncio
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import psutil
from aiohttp import ClientSession

from bench import QUICK, apart
from bench.report import Figure
from bench.tab import Tab, visit
from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE
from tests.site import served

OPENINGS = 5 if QUICK else 25  # of a page in one run
RUNS = 1 if QUICK else 5
_SETTLE_S = 0.3  # what follows a page begins after its opening has been answered

VISITOR, CUSTOMER, ADMIN = "visitor", "customer", "admin"
PAGES = (
    (VISITOR, 8, (routes.HOME, routes.PLANS, routes.FLEET)),
    (
        CUSTOMER,
        30,
        (
            *(routes.DASHBOARD, routes.ACCOUNT, routes.BILLING, routes.NOTIFICATIONS),
            *(routes.SECURITY, routes.SUPPORT, routes.SCHEDULE),
        ),
    ),
    (ADMIN, 60, (routes.DISPATCH,)),
    (
        ADMIN,
        40,
        (
            *(routes.DASHBOARD, routes.SUBMISSIONS, routes.NEIGHBORHOODS),
            *(routes.CUSTOMER_DASHBOARD, routes.LAUNCH, routes.SETTINGS_AREAS),
            *(routes.SETTINGS_MESSAGES, routes.SETTINGS_MONEY, routes.SETTINGS_PEOPLE),
        ),
    ),
)


def measure() -> list[Figure]:
    return [figure for name in apart.DATABASES for figure in _at(name)]


def _at(database: str) -> Iterator[Figure]:
    with ExitStack() as stack:
        url = stack.enter_context(apart.DATABASES[database]())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        site = stack.enter_context(served(folder, FUEL_DATABASE_URL=url))
        cookies = apart.run("bench.pages", "seed", url=url) | {VISITOR: ""}
        family = site.process.family()
        for who, limit_ms, paths in PAGES:
            cookie = cookies[who] and f"{COOKIE}={cookies[who]}"
            for path in paths:
                runs = asyncio.run(_opened(site.url, path, cookie, family))
                yield Figure(f"{database}: {who}, {path}", "ms of CPU", runs, f"<= {limit_ms}")


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
