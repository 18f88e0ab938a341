"""The export of a million leads over HTTP."""

import asyncio
import time

from aiohttp import ClientSession

from bench import QUICK
from bench.lead_questions import MILLION, USUAL
from bench.memory import Peak
from bench.report import Figure
from tests.site import Site

RUNS = 1 if QUICK else 3
LEADS = (USUAL if QUICK else MILLION).total


async def _taken(site: Site, cookie: dict[str, str], query: str = "") -> tuple[float, float, int]:
    """Export. Return the seconds until the first and the last byte, and the number of lines."""
    lines = 0
    started = time.perf_counter()
    async with (
        ClientSession(cookies=cookie) as session,
        session.get(f"{site.url}/api/leads/export{query}") as answer,
    ):
        assert answer.status == 200
        await answer.content.readany()
        first = time.perf_counter() - started
        async for part in answer.content.iter_any():
            lines += part.count(b"\r\n")
    return first, time.perf_counter() - started, lines


def measure(site: Site, name: str) -> list[Figure]:
    cookie = site.staff_cookie()
    asyncio.run(_taken(site, cookie, "?q=zuleika&type=fleet"))  # warm
    first, whole, more = [], [], []
    for _ in range(RUNS):
        with Peak(site) as peak:
            to_first, to_last, lines = asyncio.run(_taken(site, cookie))
        assert lines >= LEADS
        first.append(1000 * to_first)
        whole.append(to_last)
        more.append(peak.more_mb)
    return [
        Figure(f"export of {LEADS:,} on {name}: first byte", "ms", first, "<= 300"),
        Figure(f"export of {LEADS:,} on {name}: all of it", "s", whole, "<= 30"),
        Figure(f"export of {LEADS:,} on {name}: more memory", "MB", more, "<= 60"),
    ]
