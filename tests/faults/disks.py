"""The disk that holds the database is full, then has room again."""

import asyncio
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import httpx

from fuel_app import routes
from fuel_app.joining.state import SUBMIT_FAILED
from tests.faults import made
from tests.faults.crowd import joining
from tests.faults.imports import upload
from tests.faults.outcome import Outcome, audit
from tests.faults.running import Running, alone
from tests.waiting import comes_true

_DISK = 24 * 2**20  # bytes
_PART = b"\0" * 4096


@dataclass(frozen=True)
class OnSmallDisk(Running):
    disk: Path


@contextmanager
def small_disk(folder: Path) -> Iterator[OnSmallDisk]:
    """A site whose database is on a disk of a few megabytes.

    Raises:
        PermissionError: If this machine lets us mount nothing: only root may.
    """
    disk = folder / "disk"
    disk.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={_DISK}", "tmpfs", disk]
    if subprocess.run(mounting, capture_output=True).returncode:
        raise PermissionError("Only root may mount a small disk.")
    try:
        with alone(folder, disk / "fuel.db") as site:
            yield OnSmallDisk(site.processes, site.database_url, disk)
    finally:
        subprocess.run(["umount", disk], check=True)


async def full(site: OnSmallDisk, *, rows: int, people: int, per_second: float) -> Outcome:
    """Fill the disk during joins and an import. Free it when many have seen an error."""
    cookie = site.staff_cookie()
    async with joining([site.url], people, per_second) as crowd:
        await crowd.until_confirmed(people // 3)
        leads = await upload(site, rows, cookie)
        await leads.under_way(rows // 10)
        assert await comes_true(partial(_wal_is_empty, site), within=60)
        with _filled(site.disk):
            await crowd.until_shown(SUBMIT_FAILED, people // 10)
            reading = [await _status(site, path, cookie) for path in ("/", routes.LEADS_EXPORT)]
        room = time.monotonic()
    how, stored, books = await leads.ended(), await leads.stored(), await audit(site)
    ((whole,),) = await site.rows("PRAGMA integrity_check")
    return Outcome(
        fault="the disk of the database is full, then has room again (SQLite)",
        load=f"{people:,} joins, {per_second:.0f} a second, and an import of {rows:,} rows",
        served=len(crowd.confirmed) + len(stored),
        lost=books.lost(crowd.confirmed) + (rows - len(stored)),
        doubled=books.doubled,
        half=books.half + (whole != "ok"),
        recovered_s=crowd.first_confirmed_after(room),
        meanwhile=f"pages and exports answer {reading}; {crowd.messages()}; the import is {how}",
    )


async def full_of_company(
    site: OnSmallDisk, *, rate: float, seconds: float, without_room: float
) -> Outcome:
    """Fill the disk for a while as tabs of an open company press."""
    crowd = await made.company_of(site)

    def interrupt(money_is_due: Callable[[], None]) -> float:
        money_is_due()
        assert asyncio.run(comes_true(partial(_wal_is_empty, site), within=60))
        with _filled(site.disk):
            time.sleep(without_room)
        return time.monotonic()

    what = f"the disk of the database is full for {without_room:.0f} s, then has room (SQLite)"
    outcome = await made.pressed_when_due(site, what, crowd, interrupt, rate, seconds)
    ((whole,),) = await site.rows("PRAGMA integrity_check")
    return replace(outcome, half=outcome.half + (whole != "ok"))


async def _wal_is_empty(site: Running) -> bool:
    """Return True once the WAL is checkpointed and truncated: its space would serve many people."""
    ((busy, *_),) = await site.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    return not busy


@contextmanager
def _filled(disk: Path) -> Iterator[None]:
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(_PART)
    try:
        yield
    finally:
        filler.unlink()


async def _status(site: Running, path: str, cookie: str) -> int:
    async with httpx.AsyncClient(headers={"Cookie": cookie}) as visitor:
        return (await visitor.get(site.url + path)).status_code
