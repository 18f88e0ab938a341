"""Inject every fault under full load and print the outcomes: `python -m tests.faults`.

Arguments choose faults by name. Needs PostgreSQL and Redis (`python -m tests.provision`), and root
for the full disk. `test_faults.py` does the same with small loads.
"""

import asyncio
import sys
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from contextlib import ExitStack
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.faults import (
    backups,
    clocks,
    company,
    crashes,
    disks,
    living,
    nights,
    outages,
    providers,
    sockets,
    uploads,
    workers,
)
from tests.faults.outcome import Outcome, table
from tests.faults.running import Deployed, Running, alone, together
from tests.servers import postgres
from tests.site import prepare


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


async def _company_on_full_disk(sites: Sites) -> Outcome:
    with disks.small_disk(sites.new("company-disk")) as site:
        return await disks.full_of_company(site, rate=15, seconds=45, without_room=8)


async def _lived(sites: Sites, name: str, *modules: Sequence[str]) -> Outcome:
    """Let a company live in an empty database of each kind for each module."""
    folder = sites.new(name)
    with ExitStack() as stack:
        runs = []
        for number, module in enumerate(modules):
            for url in (
                f"sqlite+aiosqlite:///{folder / f'{number}.db'}",
                stack.enter_context(postgres()),
            ):
                prepare({"FUEL_DATABASE_URL": url})
                runs.append((url, *module))
        return living.outcome_of(runs)


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
    "redis": lambda sites: outages.redis_gone(sites.together, seconds=5, people=600, per_second=50),
    "company": _company,
    "company-database": _company_without_database,
    "company-redis": _company_without_redis,
    "company-disk": _company_on_full_disk,
    "company-workers": lambda sites: workers.killed(sites.new("workers"), rate=15, seconds=45),
    "company-providers": lambda sites: providers.away(
        sites.new("providers"), rate=15, seconds=60, gone=20
    ),
    "company-clock": lambda sites: clocks.jumps(sites.new("clock"), rate=15, seconds=48),
    "company-clock-two": lambda sites: clocks.jumps_of_two(
        sites.new("clock-two"), rate=15, seconds=48
    ),
    "backup": lambda sites: backups.of_sqlite(sites.new("backup"), rate=15, seconds=30),
    "backup-postgresql": lambda sites: backups.of_postgresql(
        sites.new("backup-postgresql"), rate=15, seconds=30
    ),
    "absence": lambda sites: _lived(sites, "absence", ["tests.faults.absence"]),
    "nights": lambda sites: _lived(
        sites, "nights", *(["tests.faults.nights", str(each)] for each in nights.NIGHTS)
    ),
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
    if any(each.lost or each.doubled or each.half for each in outcomes):
        raise SystemExit("Something was lost, doubled or stored by half.")


if __name__ == "__main__":
    main(sys.argv[1:])
