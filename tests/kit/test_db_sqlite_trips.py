"""How often a question to SQLite travels to its connection's thread."""

import asyncio
import sqlite3
from contextlib import suppress
from pathlib import Path

import aiosqlite
import pytest
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from fuel_app.kit.db import sqlite_trips
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import EmailTaken
from fuel_app.waitlist import queries as waitlist
from tests.factories import waitlist_entry


@pytest.fixture
def trips(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Each trip to a connection's thread from now on."""
    noted: list[object] = []
    travel = aiosqlite.Connection._execute

    async def note(self, call, *args, **kwargs):
        noted.append(call)
        return await travel(self, call, *args, **kwargs)

    monkeypatch.setattr(aiosqlite.Connection, "_execute", note)
    return noted


async def test_a_question_is_one_trip(sqlite_database: AsyncEngine, trips: list[object]):
    async with reading() as session:
        await waitlist.count(session)  # the connection is open now
    trips.clear()
    async with reading() as session:
        assert await waitlist.count(session) == 0
    assert len(trips) == 1


async def test_a_join_is_four_trips(sqlite_database: AsyncEngine, trips: list[object]):
    async with transaction() as session:
        await waitlist.add(session, waitlist_entry(email="first@mail.example"))
    trips.clear()
    async with transaction() as session:
        await waitlist.add(session, waitlist_entry(email="second@mail.example"))
    assert len(trips) == 4  # begin, the entry, its row in the staff's list, commit
    async with reading() as session:
        assert await waitlist.count(session) == 2


async def test_what_is_refused_leaves_nothing_behind(sqlite_database: AsyncEngine):
    for _ in range(2):
        with suppress(EmailTaken):
            async with transaction() as session:
                await waitlist.add(session, waitlist_entry(email="first@mail.example"))
    with pytest.raises(IntegrityError):
        async with transaction() as session:
            await waitlist.add(session, waitlist_entry(email="other@mail.example"), "nobody")
    async with reading() as session:
        assert await waitlist.count(session) == 1


async def test_a_beginning_that_nobody_waits_for_any_more_is_taken_back(tmp_path: Path):
    file = tmp_path / "fuel.db"
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    connection = await sqlite_trips.connect(file, isolation_level=None, timeout=10)
    cursor = await connection.cursor()
    waiting = asyncio.create_task(cursor.execute("BEGIN IMMEDIATE"))
    await asyncio.sleep(0)  # it is on its way, and waits for the other one

    waiting.cancel()
    ending = [asyncio.create_task(end) for end in (cursor.close(), connection.rollback())]
    await asyncio.wait([waiting])
    other.execute("ROLLBACK")
    await asyncio.gather(*ending)

    await connection.execute("SELECT 1")  # whatever was on its way has arrived
    assert not connection.in_transaction
    await connection.close()
    other.close()
