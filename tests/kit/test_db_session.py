"""Transactions: rolled back when refused, in order and with a timeout on SQLite."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from fuel_app.kit.db import session as module
from fuel_app.kit.db.session import one_reading, publish, reading, transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.signals import listening, one
from fuel_app.waitlist import queries as waitlist
from tests.factories import waitlist_entry


async def add(email: str, referrer: str | None = None) -> None:
    async with transaction() as session:
        await waitlist.add(session, waitlist_entry(email=email), referrer)


async def stored() -> int:
    async with reading() as session:
        return await waitlist.count(session)


async def refused(topic: str) -> None:
    with suppress(Refusal):
        async with transaction() as session:
            publish(session, topic)
            raise Refusal


@pytest.fixture
def other_process(sqlite_database: AsyncEngine) -> Iterator[sqlite3.Connection]:
    """A connection that holds SQLite's write lock."""
    file = str(sqlite_database.url.database)
    with closing(sqlite3.connect(file, isolation_level=None, timeout=0)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield connection


async def test_a_refused_transaction_is_rolled_back(database: AsyncEngine):
    with pytest.raises(IntegrityError):
        await add("ada@mail.example", referrer="nobody")
    assert await stored() == 0


async def test_listeners_hear_of_what_is_committed_alone(database: AsyncEngine):
    async with listening("first", one("rows", "1")) as changes:
        await refused("first")
        assert not await changes.next(0)
        async with transaction() as session:
            publish(session, one("rows", "1"), one("rows", "2"))
            assert not await changes.next(0)
        assert await changes.next(0) == {"rows 1"}


async def test_writers_are_served_in_order(sqlite_database: AsyncEngine):
    order: list[int] = []

    async def write(number: int) -> None:
        async with transaction():
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*[write(number) for number in range(20)])
    assert order == list(range(20))


async def test_readers_never_wait_for_a_writer(other_process: sqlite3.Connection):
    assert await asyncio.wait_for(stored(), 1) == 0


async def test_a_writer_waits_for_another_process(other_process: sqlite3.Connection):
    adding = asyncio.create_task(add("ada@mail.example"))
    await asyncio.sleep(0.1)
    other_process.execute("ROLLBACK")
    await adding
    assert await stored() == 1


async def test_writers_give_up_after_a_timeout(sqlite_database: AsyncEngine, monkeypatch):
    monkeypatch.setattr(module, "BUSY_TIMEOUT_MS", 10)
    async with transaction():
        with pytest.raises(TimeoutError):
            await add("ada@mail.example")


async def test_readings_share_a_session_in_one_reading_but_those_of_another_task(
    database: AsyncEngine,
):
    async def session_of() -> object:
        async with reading() as session:
            return session

    async with one_reading():
        first, second = await session_of(), await session_of()
        other = await asyncio.create_task(session_of())
    assert first is second
    assert other is not first
    assert await session_of() is not first


async def test_what_is_written_in_one_reading_is_read_after_it(database: AsyncEngine):
    async with one_reading():
        assert await stored() == 0
        await add("ada@mail.example")
        assert await stored() == 1


async def test_reading_that_fails_in_one_reading_keeps_no_other_from_reading(
    database: AsyncEngine,
):
    async with one_reading():
        with pytest.raises(DBAPIError):
            async with reading() as session:
                await session.execute(text("SELECT nothing FROM nowhere"))
        assert await stored() == 0


async def test_a_cancelled_statement_is_rolled_back(database: AsyncEngine):
    async def write() -> None:
        async with transaction() as session:
            await waitlist.add(session, waitlist_entry(email="ada@mail.example"))
            await session.execute(text("SELECT 1"))
            await asyncio.sleep(60)

    writing = asyncio.create_task(write())
    await asyncio.sleep(0.2)
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing
    await add("ada@mail.example")
    assert await stored() == 1
