"""The database is backed up while tabs press on, and restored into an empty one."""

import asyncio
import os
import subprocess
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from fuel_app.kit.db import backups
from tests import provision
from tests.faults import made
from tests.faults.company import jobs_end, pressed, problems
from tests.faults.outcome import Outcome
from tests.faults.running import Running, alone, together
from tests.servers import postgres_server
from tests.site import COMMAND, ROOT, Process

_KEPT = (  # rows of these tables are never removed
    *("people", "waitlist_submissions", "bookings", "booking_events", "audit_entries"),
    *("messages", "invoices", "payments", "journal_entries", "ledger_entries"),
)
_COUNTS = " UNION ALL ".join(f"SELECT '{each}', count(*) FROM {each}" for each in _KEPT)


async def of_sqlite(folder: Path, *, rate: float, seconds: float) -> Outcome:
    """Back up a company in a file, and restore it into another."""
    with alone(folder) as site:
        url = f"sqlite+aiosqlite:///{folder / 'restored.db'}"
        return await _restored(site, url, folder, rate, seconds)


async def of_postgresql(folder: Path, *, rate: float, seconds: float) -> Outcome:
    """Back up a company of a server, and restore it into another server."""
    with together(folder) as site, postgres_server() as empty:
        return await _restored(site, empty.url, folder, rate, seconds)


async def _restored(site: Running, url: str, folder: Path, rate: float, seconds: float) -> Outcome:
    crowd = await made.company_of(site)
    file = folder / f"backup{backups.suffix(url)}"
    moments: list[Counter[str]] = []
    took = 0.0

    def interrupt() -> float:
        nonlocal took
        moments.append(asyncio.run(_counts(site)))
        began = time.monotonic()
        _run("backup", file, site.database_url)
        took = time.monotonic() - began
        moments.append(asyncio.run(_counts(site)))
        return began

    outcome = await pressed(site, "a backup, restored", crowd, interrupt, rate, seconds)
    _run("restore", file, url)
    copy, (before, after) = Running([], url), moments
    found, wrong = await _counts(copy), await problems(copy)
    with Process(folder / "restored.log", {"FUEL_DATABASE_URL": url}) as process:
        await jobs_end(Running([process], url))
        wrong |= await problems(copy)
    return replace(
        outcome,
        served=outcome.served + found.total(),
        lost=outcome.lost + (before - found).total(),
        doubled=outcome.doubled + (found - after).total(),
        half=outcome.half + len(wrong),
        meanwhile=f"{outcome.meanwhile}; the backup took {took:.1f} s, in which "
        f"{(after - before).total()} rows came; the jobs of the restored company run to their end",
    )


async def _counts(site: Running) -> Counter[str]:
    return Counter({table: int(count) for table, count in await site.rows(_COUNTS)})


def _run(command: str, file: Path, url: str) -> None:
    path = f"{provision.postgres_bin()}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "FUEL_DATABASE_URL": url}
    subprocess.run([*COMMAND, command, file], cwd=ROOT, env=environment, check=True)
