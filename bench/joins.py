"""Joins through the real websocket by 100 visitors at once, against bare insert loops.

Both loops write the same rows, one transaction each, to the same database file with the same
pragmas, without web, rules or concurrency. The first is the product's own insert, so that the
ratio is the cost of all the rest; the second is the bare driver, without a bound.
"""

import asyncio
import sqlite3
import time
import uuid
from contextlib import AsyncExitStack, closing
from datetime import UTC, datetime

import uvloop
from aiohttp import ClientSession
from sqlalchemy.ext.asyncio import AsyncSession

from bench import QUICK
from bench.report import Figure
from fuel_app.joining.state import WaitlistState
from fuel_app.kit.db.session import SQLITE_PRAGMAS, make_engine
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.rules import WaitlistEntry
from tests.site import Site
from tests.websocket import Visitor

VISITORS = 100
ROUNDS = 1 if QUICK else 7
LOOP_ROWS = 500
ZIP = "99501"

_INSERT = """
INSERT INTO waitlist_submissions
  (id, status, lead_source, created_at, first_name, last_name, email, phone_number, zip_code)
VALUES (?, 'Not Contacted', 'Inbound', ?, 'Ada', 'Lovelace', ?, '9415550123', ?)
"""


def _email() -> str:
    return f"{uuid.uuid4().hex}@example.com"


async def _insert_loop(site: Site) -> float:
    """Return rows per second through the product's data layer."""
    engine = make_engine(f"sqlite+aiosqlite:///{site.database}")
    entries = [
        WaitlistEntry(
            first_name="Ada",
            last_name="Lovelace",
            email=_email(),
            phone_number="9415550123",
            zip_code="99502",
        )
        for _ in range(LOOP_ROWS)
    ]
    started = time.perf_counter()
    for entry in entries:
        async with AsyncSession(engine) as session, session.begin():
            await waitlist.add(session, entry)
    elapsed = time.perf_counter() - started
    await engine.dispose()
    return LOOP_ROWS / elapsed


def _driver_loop(site: Site) -> float:
    """Return rows per second through the database driver alone."""
    with closing(sqlite3.connect(site.database, isolation_level=None)) as connection:
        for pragma in SQLITE_PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        started = time.perf_counter()
        for _ in range(LOOP_ROWS):
            connection.execute("BEGIN IMMEDIATE")
            row = (str(uuid.uuid4()), datetime.now(UTC).isoformat(), _email(), "99503")
            connection.execute(_INSERT, row)
            connection.execute("COMMIT")
        return LOOP_ROWS / (time.perf_counter() - started)


def _form() -> dict[str, str]:
    return {
        "first_name": "Ada",
        "last_name": "Lovelace",
        "email": _email(),
        "phone_number": "(941) 555-0123",
        "zip_code": ZIP,
    }


async def _fill_in(visitor: Visitor) -> dict[str, str]:
    """Fill in the form, as a browser sends it."""
    form = _form()
    await visitor.send(WaitlistState.edit, form=form)
    await visitor.until(lambda: bool(visitor.value(WaitlistState, "neighborhoods")))
    return form


async def _found_a_neighborhood(site: Site) -> None:
    async with ClientSession() as session, Visitor(session, site.url) as pioneer:
        await _join(pioneer, _form())
        await pioneer.send(WaitlistState.create, form={"name": "Palm Grove"})
        await pioneer.until(lambda: pioneer.value(WaitlistState, "stage") == "joined")


async def _join(visitor: Visitor, form: dict[str, str]) -> None:
    await visitor.send(WaitlistState.submit, form=form)
    await visitor.until(lambda: visitor.value(WaitlistState, "stage") == "picker")


async def _round(site: Site) -> float:
    """Return joins per second of visitors who submit together."""
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(ClientSession())
        visitors = [
            await stack.enter_async_context(Visitor(session, site.url)) for _ in range(VISITORS)
        ]
        forms = [await _fill_in(visitor) for visitor in visitors]
        started = time.perf_counter()
        await asyncio.gather(*map(_join, visitors, forms))
        return VISITORS / (time.perf_counter() - started)


def measure(site: Site) -> list[Figure]:
    run = uvloop.run  # as the server does
    run(_found_a_neighborhood(site))
    run(_round(site))  # warm
    before = site.rows("SELECT count(*) FROM waitlist_submissions WHERE zip_code = ?", ZIP)[0][0]
    triples = [
        (run(_round(site)), run(_insert_loop(site)), _driver_loop(site)) for _ in range(ROUNDS)
    ]
    after = site.rows("SELECT count(*) FROM waitlist_submissions WHERE zip_code = ?", ZIP)[0][0]
    lost = before + ROUNDS * VISITORS - after
    return [
        Figure("joins by 100 visitors at once", "per s", [joins for joins, _, _ in triples]),
        Figure("bare loop of the same insert", "per s", [loop for _, loop, _ in triples]),
        Figure("bare loop of the driver", "per s", [driver for _, _, driver in triples]),
        Figure("joins / same insert", "ratio", [j / loop for j, loop, _ in triples], ">= 0.3"),
        Figure("joins / driver", "ratio", [j / driver for j, _, driver in triples]),
        Figure("joins lost or doubled", "rows", [abs(lost)], "<= 0"),
    ]
