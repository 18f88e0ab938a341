"""The database or Redis is stopped for a while; no process of the site is restarted."""

import asyncio
import time

import httpx
from aiohttp import ClientSession

from fuel_app import routes
from tests.faults.crowd import Founder, joining
from tests.faults.imports import upload
from tests.faults.outcome import Outcome, audit
from tests.faults.running import Deployed
from tests.servers import Server
from tests.waiting import comes_true

TIMEOUT_S = 60


async def database_gone(
    site: Deployed, *, seconds: float, rows: int, people: int, per_second: float
) -> Outcome:
    """Stop PostgreSQL immediately during joins and an import."""
    leads = await upload(site, rows, site.staff_cookie())
    async with joining(site.urls, people, per_second) as crowd:
        await crowd.until_confirmed(people // 3)
        back = await _stopped(site, site.database, "database", seconds)
    how, stored, books = await leads.ended(), await leads.stored(), await audit(site)
    return Outcome(
        fault=f"PostgreSQL stopped for {seconds:.0f} s",
        load=f"{people:,} joins, {per_second:.0f} a second, and an import of {rows:,} rows; "
        "two processes",
        served=len(crowd.confirmed) + len(stored),
        lost=books.lost(crowd.confirmed) + (rows - len(stored)),
        doubled=books.doubled,
        half=books.half,
        recovered_s=crowd.first_confirmed_after(back),
        meanwhile=f"{_ANSWERED}; {crowd.messages()}; the import is {how}",
    )


async def redis_gone(site: Deployed, *, seconds: float, people: int, per_second: float) -> Outcome:
    """Stop Redis during joins; it comes back empty."""
    founder, at_once = Founder(site.urls), asyncio.Event()
    at_once.set()
    async with ClientSession() as session, asyncio.TaskGroup() as beside:
        beside.create_task(founder.join(session, at_once))
        async with joining(site.urls, people, per_second) as crowd:
            await crowd.until_confirmed(people // 3)
            back = await _stopped(site, site.redis, "redis", seconds)
        founder.works_again.set()
    books = await audit(site)
    return Outcome(
        fault=f"Redis stopped for {seconds:.0f} s, empty when it is back",
        load=f"{people:,} joins, {per_second:.0f} a second, and a visitor at the picker; "
        "two processes",
        served=len(crowd.confirmed) + founder.founded,
        lost=books.lost([*crowd.confirmed, founder.form["email"]]),
        doubled=books.doubled,
        half=books.half,
        recovered_s=crowd.first_confirmed_after(back),
        meanwhile=f"{_ANSWERED}; {crowd.messages(founder)}",
    )


_ANSWERED = "/health 200 all the time, /ready 503 and then 200"


async def _stopped(site: Deployed, server: Server, name: str, seconds: float) -> float:
    """Stop a server for a while. Assert that every process reports it at /ready and lives.

    Return the moment at which it was there again.
    """
    before = [process.family()[0].pid for process in site.processes]
    await asyncio.to_thread(server.stop)
    gone = time.monotonic()
    await _all_report(site, 503, {name: False})
    await asyncio.sleep(gone + seconds - time.monotonic())
    await asyncio.to_thread(server.start)
    back = time.monotonic()
    await _all_report(site, 200, {name: True})
    assert [process.family()[0].pid for process in site.processes] == before
    return back


async def _all_report(site: Deployed, status: int, answer: dict[str, bool]) -> None:
    async with httpx.AsyncClient(timeout=30) as monitor:

        async def said() -> bool:
            for url in site.urls:
                assert (await monitor.get(url + routes.HEALTH)).status_code == 200
            answers = [await monitor.get(url + routes.READY) for url in site.urls]
            return all(
                each.status_code == status and answer.items() <= each.json().items()
                for each in answers
            )

        assert await comes_true(said, within=TIMEOUT_S)
