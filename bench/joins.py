"""Joins through the real websocket by 100 visitors at once, against a bare insert loop.

The loop writes the same rows one transaction each to the same database file with the same
pragmas, with nothing around it: no web, no checks, no second visitor.
"""

import asyncio
import sqlite3
import time
import uuid
from contextlib import AsyncExitStack, closing
from datetime import UTC, datetime

from aiohttp import ClientSession

from bench.report import Figure
from fuel_app.db.session import SQLITE_PRAGMAS
from fuel_app.states.waitlist import WaitlistState
from tests.site import Site
from tests.websocket import Visitor

VISITORS = 100
ROUNDS = 7
LOOP_ROWS = 1000
ZIP = "99501"

_INSERT = """
INSERT INTO waitlist_submissions
  (id, status, lead_source, created_at, first_name, last_name, email, phone_number, zip_code)
VALUES (?, 'Not Contacted', 'Inbound', ?, 'Ada', 'Lovelace', ?, '9415550123', ?)
"""


def _email() -> str:
    return f"{uuid.uuid4().hex}@example.com"


def _bare_loop(site: Site) -> float:
    """Rows per second."""
    with closing(sqlite3.connect(site.database, isolation_level=None)) as connection:
        for pragma in SQLITE_PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        started = time.perf_counter()
        for _ in range(LOOP_ROWS):
            connection.execute("BEGIN IMMEDIATE")
            row = (str(uuid.uuid4()), datetime.now(UTC).isoformat(), _email(), "99502")
            connection.execute(_INSERT, row)
            connection.execute("COMMIT")
        return LOOP_ROWS / (time.perf_counter() - started)


async def _join(visitor: Visitor) -> None:
    form = {
        "first_name": "Ada",
        "last_name": "Lovelace",
        "email": _email(),
        "phone_number": "(941) 555-0123",
        "zip_code": ZIP,
    }
    await visitor.send(WaitlistState.submit, form=form)
    await visitor.until(lambda: visitor.value(WaitlistState, "stage") == "picker")


async def _round(site: Site) -> float:
    """Joins per second of visitors who are all there and press the button together."""
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(ClientSession())
        visitors = [
            await stack.enter_async_context(Visitor(session, site.url)) for _ in range(VISITORS)
        ]
        started = time.perf_counter()
        await asyncio.gather(*map(_join, visitors))
        return VISITORS / (time.perf_counter() - started)


def measure(site: Site) -> list[Figure]:
    asyncio.run(_round(site))  # warm
    before = site.rows("SELECT count(*) FROM waitlist_submissions WHERE zip_code = ?", ZIP)[0][0]
    pairs = [(asyncio.run(_round(site)), _bare_loop(site)) for _ in range(ROUNDS)]
    after = site.rows("SELECT count(*) FROM waitlist_submissions WHERE zip_code = ?", ZIP)[0][0]
    lost = before + ROUNDS * VISITORS - after
    return [
        Figure("joins by 100 visitors at once", "per s", [joins for joins, _ in pairs]),
        Figure("bare insert loop, same file", "per s", [loop for _, loop in pairs]),
        Figure("joins against the bare loop", "ratio", [j / b for j, b in pairs], ">= 0.3"),
        Figure("joins lost or doubled", "rows", [abs(lost)], "<= 0"),
    ]
