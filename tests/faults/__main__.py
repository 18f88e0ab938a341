"""Inject every fault under full load and print the outcomes: `python -m tests.faults`.

Arguments choose faults by name. Needs PostgreSQL and Redis (`python -m tests.provision`), and root
for the full disk. `test_faults.py` does the same with small loads.
"""

import asyncio
import sys
import tempfile
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.faults import company, crashes, disks, outages, sockets, uploads
from tests.faults.outcome import Outcome, table
from tests.faults.running import Deployed, Running, alone, together


class Sites:
    """Sites to break, started on first use."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack

    @cached_property
    def alone(self) -> Running:
        return self._stack.enter_context(alone(self.new("alone")))

    @cached_property
    def together(self) -> Deployed:
        return self._stack.enter_context(together(self.new("together")))

    @cached_property
    def on_small_disk(self) -> disks.OnSmallDisk:
        return self._stack.enter_context(disks.small_disk(self.new("small")))

    def new(self, name: str) -> Path:
        folder = self._folder / name
        folder.mkdir()
        return folder


async def _uploads(sites: Sites) -> Outcome:
    return uploads.summed_up(await uploads.a_gigabyte_each(sites.alone))


async def _company(sites: Sites) -> Outcome:
    with alone(sites.new("company")) as site:
        return await company.killed(site, rate=20, seconds=40)


async def _company_without_database(sites: Sites) -> Outcome:
    with together(sites.new("company-database")) as site:
        return await company.without_database(site, rate=20, seconds=40, away=5)


async def _company_without_redis(sites: Sites) -> Outcome:
    with together(sites.new("company-redis")) as site:
        return await company.without_redis(site, rate=20, seconds=40, away=5)


FAULTS: dict[str, Callable[[Sites], Coroutine[Any, Any, Outcome]]] = {
    "uploads": _uploads,
    "sockets": lambda sites: sockets.joins_beside_idle_connections(
        sites.alone, idle=1_100, slow=200, people=400, per_second=50
    ),
    "joins": lambda sites: crashes.during_joins(sites.alone, people=1_200, per_second=200),
    "joins-of-two": lambda sites: crashes.during_joins(sites.together, people=600, per_second=100),
    "import": lambda sites: crashes.during_an_import(sites.alone, rows=20_000),
    "disk": lambda sites: disks.full(sites.on_small_disk, rows=4_000, people=400, per_second=50),
    "database": lambda sites: outages.database_gone(
        sites.together, seconds=10, rows=10_000, people=600, per_second=50
    ),
    "company": _company,
    "company-database": _company_without_database,
    "company-redis": _company_without_redis,
    "redis": lambda sites: outages.redis_gone(sites.together, seconds=5, people=600, per_second=50),
}


def main(names: list[str]) -> None:
    if unknown := set(names) - FAULTS.keys():
        raise SystemExit(f"No such fault: {', '.join(unknown)}. There are: {', '.join(FAULTS)}.")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        sites = Sites(Path(folder), stack)
        outcomes = []
        for name in names or FAULTS:
            print(f"{name} ...", file=sys.stderr, flush=True)
            outcomes.append(asyncio.run(FAULTS[name](sites)))
    print(table(outcomes))


if __name__ == "__main__":
    main(sys.argv[1:])
