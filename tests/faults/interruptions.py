"""Faults while tabs of an open company press: processes, servers, disks, clocks, providers."""

import asyncio
import os
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Self

from fuel_app.billing.providers.stand_in.transport import DOWN, LOST, SLOW
from fuel_app.kit.db import backups
from tests import provision
from tests.faults.company import SECONDS, Interrupt, jobs_end, pressed, problems
from tests.faults.injecting import Injected
from tests.faults.mails import post, with_mails
from tests.faults.outcome import Outcome
from tests.faults.running import Running, alone, together
from tests.servers import Server, postgres_server
from tests.site import COMMAND, ROOT, Process
from tests.waiting import came_true, comes_true

BecomeDue = Callable[[], None]
AWAY_S = 5
DISK = 24 * 2**20  # bytes
HOUR_S = 3600
LATER = timedelta(hours=2)  # until all that was put off under a wrong clock is due
PROVIDER = (DOWN, "500", "503", LOST, SLOW)  # the last two are done, and we do not hear of it
PROVIDER_AWAY_S = 20
WORKER_STARTS_S = 120  # until a worker that has just started sends a mail


async def process_killed(folder: Path) -> Outcome:
    """Kill the process and start it again."""
    with alone(folder) as site:

        def interrupt(become_due: BecomeDue) -> float:
            become_due()
            site.process.kill()
            moment = time.monotonic()
            site.process.start()
            return moment

        return await pressed(site, "kill -9 of the only process, started again", interrupt)


async def database_away(folder: Path) -> Outcome:
    """Stop PostgreSQL for a while."""
    with together(folder) as site:
        what = f"PostgreSQL stopped for {AWAY_S} s"
        return await pressed(site, what, _away(site.database))


async def redis_away(folder: Path) -> Outcome:
    """Stop Redis for a while; it comes back empty."""
    with together(folder) as site:
        what = f"Redis stopped for {AWAY_S} s, empty when it is back"
        return await pressed(site, what, _away(site.redis))


def _away(server: Server) -> Interrupt:
    def interrupt(become_due: BecomeDue) -> float:
        become_due()
        server.stop()
        time.sleep(AWAY_S)
        server.start()
        return time.monotonic()

    return interrupt


async def disk_full(folder: Path) -> Outcome:
    """Fill the disk of the database for a while (SQLite)."""
    with _small_disk(folder) as disk, alone(folder, disk / "fuel.db") as site:

        async def wal_is_empty() -> bool:
            """Return True once the WAL is truncated: its space would serve many people."""
            ((busy, *_),) = await site.rows("PRAGMA wal_checkpoint(TRUNCATE)")
            return not busy

        def interrupt(become_due: BecomeDue) -> float:
            become_due()
            assert asyncio.run(comes_true(wal_is_empty, within=60))
            with _filled(disk):
                time.sleep(AWAY_S)
            return time.monotonic()

        what = f"the database's disk full for {AWAY_S} s, then room again"
        outcome = await pressed(site, what, interrupt)
        ((whole,),) = await site.rows("PRAGMA integrity_check")
        return replace(outcome, half=outcome.half + (whole != "ok"))


@contextmanager
def _small_disk(folder: Path) -> Iterator[Path]:
    """A disk of a few megabytes.

    Raises:
        PermissionError: If this machine lets us mount nothing: only root may.
    """
    disk = folder / "disk"
    disk.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", disk]
    if subprocess.run(mounting, capture_output=True).returncode:
        raise PermissionError("Only root may mount a small disk.")
    try:
        yield disk
    finally:
        subprocess.run(["umount", disk], check=True)


@contextmanager
def _filled(disk: Path) -> Iterator[None]:
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(b"\0" * 4096)
    try:
        yield
    finally:
        filler.unlink()


async def clock_wrong(folder: Path) -> Outcome:
    """Set the clock of one process with SQLite."""
    injected = Injected.into(folder)
    with alone(folder, None, **injected.settings) as site:
        return await _jumps(site, injected)


async def clock_of_two_wrong(folder: Path) -> Outcome:
    """Set the clock of two processes with PostgreSQL and Redis."""
    injected = Injected.into(folder)
    with together(folder, **injected.settings) as site:
        return await _jumps(site, injected)


async def _jumps(site: Running, injected: Injected) -> Outcome:
    def interrupt(become_due: BecomeDue) -> float:
        become_due()
        since = time.monotonic()
        for off_s in (HOUR_S, 0, -HOUR_S, 0):
            injected.set(off_s=off_s)
            time.sleep(SECONDS / 8)
        injected.set(off_s=LATER.total_seconds())
        return since

    what = f"the clock of {len(site.processes)} set forward an hour, back, back an hour, forward"
    return await pressed(site, what, interrupt, ahead=LATER)


async def providers_away(folder: Path) -> Outcome:
    """Let holds, captures and renewals become due while nothing answers."""
    injected = Injected.into(folder)
    with (
        post() as inbox,
        together(folder, FUEL_SMTP_URL=inbox.url, **injected.settings) as site,
    ):

        def interrupt(become_due: BecomeDue) -> float:
            injected.set(provider=PROVIDER)
            inbox.stop()
            become_due()
            time.sleep(PROVIDER_AWAY_S)
            injected.set()
            inbox.start()
            return time.monotonic()

        what = f"payment provider and mail server away for {PROVIDER_AWAY_S} s and more"
        return await with_mails(await pressed(site, what, interrupt), site, inbox, senders=2)


async def workers_killed(folder: Path) -> Outcome:
    """Kill two workers, each between a mail and its note of it."""
    with post() as inbox, together(folder, FUEL_SMTP_URL=inbox.url) as site:
        settings = site.servers | {"FUEL_SMTP_URL": inbox.url}
        with (
            _Worker(folder / "worker-1.log", settings) as first,
            _Worker(folder / "worker-2.log", settings) as second,
        ):

            def interrupt(become_due: BecomeDue) -> float:
                inbox.doomed += first, second
                become_due()
                killed = came_true(lambda: not inbox.doomed, within=WORKER_STARTS_S)
                assert killed, "a worker sent nothing"
                moment = time.monotonic()
                first.start()
                second.start()
                return moment

            what = "kill -9 of both workers while they send mail, started again"
            outcome = await pressed(site, what, interrupt)
            return await with_mails(outcome, site, inbox, senders=2)


class _Worker:
    """A process of `python -m fuel_app worker`, running inside the block."""

    def __init__(self, log: Path, settings: dict[str, str]) -> None:
        self._log, self._environment = log, os.environ | settings

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=60)

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self) -> None:
        with self._log.open("a") as output:
            self._process = subprocess.Popen(
                [*COMMAND, "worker"], cwd=ROOT, env=self._environment, stdout=output, stderr=output
            )

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


async def backup_of_sqlite(folder: Path) -> Outcome:
    """Back up a company in a file, and restore it into another."""
    with alone(folder) as site:
        return await _restored(site, f"sqlite+aiosqlite:///{folder / 'restored.db'}", folder)


async def backup_of_postgresql(folder: Path) -> Outcome:
    """Back up a company of a server, and restore it into another server."""
    with together(folder) as site, postgres_server() as empty:
        return await _restored(site, empty.url, folder)


_KEPT = (  # rows of these tables are never removed
    *("people", "waitlist_submissions", "bookings", "booking_events", "audit_entries"),
    *("messages", "invoices", "payments", "journal_entries", "ledger_entries"),
)
_COUNTS = " UNION ALL ".join(f"SELECT '{each}', count(*) FROM {each}" for each in _KEPT)


async def _restored(site: Running, url: str, folder: Path) -> Outcome:
    file = folder / f"backup{backups.suffix(url)}"
    moments: list[Counter[str]] = []

    def interrupt(become_due: BecomeDue) -> float:
        become_due()
        moments.append(asyncio.run(_counts(site)))
        began = time.monotonic()
        _run("backup", file, site.database_url)
        moments.append(asyncio.run(_counts(site)))
        return began

    outcome = await pressed(site, "a backup, restored", interrupt)
    _run("restore", file, url)
    copy, (before, after) = Running([], url), moments
    restored, wrong = await _counts(copy), await problems(copy)
    with Process(folder / "restored.log", {"FUEL_DATABASE_URL": url}) as process:
        await jobs_end(Running([process], url))
        wrong |= await problems(copy)
    return replace(
        outcome,
        served=outcome.served + restored.total(),
        lost=outcome.lost + (before - restored).total(),
        doubled=outcome.doubled + (restored - after).total(),
        half=outcome.half + len(wrong),
        meanwhile=f"{outcome.meanwhile}; {(after - before).total()} rows came during the backup; "
        "the jobs of the restored company run to their end",
    )


async def _counts(site: Running) -> Counter[str]:
    return Counter({table: int(count) for table, count in await site.rows(_COUNTS)})


def _run(command: str, file: Path, url: str) -> None:
    path = f"{provision.postgres_bin()}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "FUEL_DATABASE_URL": url}
    subprocess.run([*COMMAND, command, file], cwd=ROOT, env=environment, check=True)
