"""The one way to the database: `transaction()` to change it, `reading()` to look."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy import event, text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine

from fuel_app.kit.db import sqlite_trips
from fuel_app.settings import settings

BUSY_TIMEOUT_MS = 5000
CONNECT_TIMEOUT_S = 5
COMMAND_TIMEOUT_S = 30
SQLITE_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",  # whoever was told 'you are on the list' still is after a power cut
    "foreign_keys = ON",
    # Pages are read where the system keeps them instead of copied: halves the time of a page in the
    # middle of a million leads. A cache of our own (`cache_size`) was slower.
    "mmap_size = 1073741824",
    # Somebody's commit does it only if `checkpoint` has not managed to for 128 MB.
    "wal_autocheckpoint = 32000",
    f"busy_timeout = {BUSY_TIMEOUT_MS}",
)

POSTGRESQL_SETTINGS = {
    "lock_timeout": "5s",
    # A plan for any search term is a bad one: what is best depends on how common the term is.
    "plan_cache_mode": "force_custom_plan",
    # Both take longer than the questions here.
    "jit": "off",
    "max_parallel_workers_per_gather": "0",
}


def make_engine(url: str, *, patience_s: float | None = COMMAND_TIMEOUT_S) -> AsyncEngine:
    """An engine that behaves alike on SQLite and PostgreSQL: constraints on, waits bounded.

    Args:
        patience_s: How long one statement may take on PostgreSQL; None as long as it takes.
    """
    if make_url(url).get_backend_name() == "sqlite":
        if path := make_url(url).database:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        in_one_trip = {"async_creator_fn": sqlite_trips.connect}
        engine = create_async_engine(url, hide_parameters=True, connect_args=in_one_trip)
        _tame_sqlite(engine)
        return engine
    return create_async_engine(
        url,
        hide_parameters=True,  # what people typed is not for the log
        pool_pre_ping=True,
        pool_timeout=CONNECT_TIMEOUT_S,
        connect_args={
            "timeout": CONNECT_TIMEOUT_S,
            "command_timeout": patience_s,
            "server_settings": POSTGRESQL_SETTINGS,
        },
    )


def _tame_sqlite(engine: AsyncEngine) -> None:
    @event.listens_for(engine.sync_engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves, below
        for pragma in SQLITE_PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Any) -> None:
        # A read that turns into a write cannot wait its turn in SQLite, so writers say so at once.
        if not connection.get_execution_options().get("read_only", False):
            connection.exec_driver_sql("BEGIN IMMEDIATE")


@cache
def engine() -> AsyncEngine:
    """This process's engine, made when it is first needed (workers are forked before that)."""
    return make_engine(settings.database_url)


class _Queue:
    """SQLite has one writer at a time. Waiting here is in order; waiting there is by chance."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        self.waiting = 0


@cache
def _queue(_engine: AsyncEngine) -> _Queue:
    return _Queue()


@asynccontextmanager
async def _turn_to_write() -> AsyncIterator[None]:
    if not has_one_writer():
        yield
        return
    queue = _queue(engine())
    queue.waiting += 1
    try:
        async with asyncio.timeout(BUSY_TIMEOUT_MS / 1000):
            await queue.turn.acquire()
    finally:
        queue.waiting -= 1
    try:
        yield
    finally:
        queue.turn.release()


def somebody_waits() -> bool:
    """Whether a transaction that has long work before it should make way for others."""
    return _queue(engine()).waiting > 0


def has_one_writer() -> bool:
    """Whether transactions that write take turns, as they do on SQLite."""
    return engine().dialect.name == "sqlite"


def on_sqlite(session: AsyncSession) -> bool:
    """For the few questions that each database answers best in words of its own."""
    return session.get_bind().dialect.name == "sqlite"


@asynccontextmanager
async def transaction() -> AsyncIterator[AsyncSession]:
    """Commit when the block ends, roll back if it raises.

    Raises:
        TimeoutError: If other writers leave no turn for too long.
    """
    async with (
        _turn_to_write(),
        AsyncSession(engine(), expire_on_commit=False) as session,
        session.begin(),
    ):
        yield session


@asynccontextmanager
async def reading() -> AsyncIterator[AsyncSession]:
    """A look at the data that never waits for a writer; each query sees what is stored by then."""
    looking = engine().execution_options(read_only=True)
    async with AsyncSession(looking, expire_on_commit=False) as session, session.begin():
        yield session


async def checkpoint() -> None:
    """Write what is in SQLite's log to the file itself, beside those who write and read."""
    async with reading() as session:
        await session.execute(text("PRAGMA wal_checkpoint(PASSIVE)"))
