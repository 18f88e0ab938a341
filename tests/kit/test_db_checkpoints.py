"""SQLite's log is written to the file while others write."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine
from structlog.testing import capture_logs

from fuel_app.kit.db import checkpoints, session
from fuel_app.waitlist import service as waitlist
from tests import factories
from tests.waiting import comes_true


@pytest.fixture
async def watching(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    monkeypatch.setattr(checkpoints, "EVERY_S", 0)
    task = asyncio.create_task(checkpoints.watch())
    yield
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


def written(engine: AsyncEngine) -> bytes:
    return Path(str(engine.url.database)).read_bytes()


async def join(name: str) -> None:
    entry = factories.waitlist_entry(email=f"{name}@mail.example")
    await waitlist.join(entry, referrer=None, address="here")


async def test_what_was_written_comes_home(sqlite_database: AsyncEngine, watching: None):
    await join("ada")

    async def home() -> bool:
        return b"ada@mail.example" in written(sqlite_database)

    assert await comes_true(home, within=10)


async def test_nobody_waits_for_it(sqlite_database: AsyncEngine):
    async with session.transaction():  # somebody writes
        await asyncio.wait_for(session.checkpoint(), 1)


async def test_it_goes_on_when_the_database_was_gone(
    sqlite_database: AsyncEngine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(checkpoints, "EVERY_S", 0)
    tries = asyncio.Semaphore(0)

    async def gone() -> None:
        tries.release()
        raise OSError

    monkeypatch.setattr(session, "checkpoint", gone)
    with capture_logs() as lines:
        task = asyncio.create_task(checkpoints.watch())
        for _ in range(2):
            await asyncio.wait_for(tries.acquire(), 5)
        task.cancel()
    assert lines[0]["event"] == "database.checkpoint_failed"


async def test_other_databases_do_it_by_themselves(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(session, "has_one_writer", lambda: False)
    await asyncio.wait_for(checkpoints.watch(), 1)
