"""Database access: `transaction()` to write, `reading()` to read; rows by their ids."""

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import event, inspect, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlmodel import SQLModel

from fuel_app.kit.signals import signals
from fuel_app.settings import settings

_TOPICS = "topics"  # in the session's `info`
BUSY_TIMEOUT_MS = 5000
CONNECT_TIMEOUT_S = 5
COMMAND_TIMEOUT_S = 30
SQLITE_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",  # what was confirmed survives a power cut
    "foreign_keys = ON",
    "mmap_size = 1073741824",  # halves the time of a page in the middle of a million leads
    f"busy_timeout = {BUSY_TIMEOUT_MS}",
)

POSTGRESQL_SETTINGS = {
    "lock_timeout": "5s",
    # A plan for any search term is a bad one: what is best depends on how common the term is.
    "plan_cache_mode": "force_custom_plan",
    "jit": "off",  # costs more than it saves on queries this short
}


def is_sqlite(url: str) -> bool:
    return make_url(url).get_backend_name() == "sqlite"


def make_engine(url: str, *, statement_timeout_s: float | None = COMMAND_TIMEOUT_S) -> AsyncEngine:
    """Make an engine that behaves alike on SQLite and PostgreSQL: constraints on, waits bounded.

    Args:
        statement_timeout_s: On PostgreSQL; None for no limit.
    """
    if is_sqlite(url):
        if path := make_url(url).database:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        engine = create_async_engine(url, hide_parameters=True)
        _configure_sqlite(engine)
        return engine
    return create_async_engine(
        url,
        hide_parameters=True,  # what people typed is not for the log
        pool_pre_ping=True,
        pool_timeout=CONNECT_TIMEOUT_S,
        connect_args={
            "timeout": CONNECT_TIMEOUT_S,
            "command_timeout": statement_timeout_s,
            "server_settings": POSTGRESQL_SETTINGS,
        },
    )


def _configure_sqlite(engine: AsyncEngine) -> None:
    @event.listens_for(engine.sync_engine, "connect")
    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # BEGIN is sent below
        for pragma in SQLITE_PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine.sync_engine, "begin")
    def begin(connection: Any) -> None:
        # SQLite cannot wait for the lock in a read that turns into a write: take it at once.
        if not connection.get_execution_options().get("read_only", False):
            connection.exec_driver_sql("BEGIN IMMEDIATE")


@cache
def engine() -> AsyncEngine:
    """Return this process's engine, made on first use: workers are forked before that."""
    return make_engine(settings.database_url)


@cache
def _write_lock(_engine: AsyncEngine) -> asyncio.Lock:
    return asyncio.Lock()


@asynccontextmanager
async def _one_writer() -> AsyncIterator[None]:
    """Queue the writers of this process: SQLite itself polls, in no order (sqlite-writers.md)."""
    lock = _write_lock(engine())
    async with asyncio.timeout(BUSY_TIMEOUT_MS / 1000):
        await lock.acquire()
    try:
        yield
    finally:
        lock.release()


def on_sqlite(session: AsyncSession) -> bool:
    return session.get_bind().dialect.name == "sqlite"


def insert_new(session: AsyncSession, table: Any) -> Any:
    """Insert the rows that break no unique constraint."""
    insert = sqlite.insert if on_sqlite(session) else postgresql.insert
    return insert(table).on_conflict_do_nothing()


@asynccontextmanager
async def transaction() -> AsyncIterator[AsyncSession]:
    """Commit when the block ends, roll back if it raises.

    Raises:
        TimeoutError: If other writers hold the database for too long.
    """
    await end_reading()
    async with (
        _one_writer() if engine().dialect.name == "sqlite" else nullcontext(),
        AsyncSession(engine(), expire_on_commit=False) as session,
        session.begin(),
    ):
        yield session
    if topics := session.info.get(_TOPICS):
        await signals().publish(*topics)


def publish(session: AsyncSession, *topics: str) -> None:
    """Publish topics as soon as the transaction of a session is committed."""
    session.info.setdefault(_TOPICS, set()).update(topics)


@asynccontextmanager
async def reading() -> AsyncIterator[AsyncSession]:
    """Read without waiting for writers; each query sees what is committed by then."""
    if shared := _shared_here():
        try:
            yield shared.session
        except BaseException:
            await shared.end()  # PostgreSQL answers nothing more in a transaction that has failed
            raise
        return
    async with _session_to_read() as session, session.begin():
        yield session


@asynccontextmanager
async def one_reading() -> AsyncIterator[None]:
    """Let every `reading()` of this task in the block share a transaction (page-loads.md).

    A write ends it: what is read after it sees what is stored then.
    """
    shared = _Shared(asyncio.current_task())
    token = _shared.set(shared)
    try:
        yield
    finally:
        _shared.reset(token)
        await shared.end()


async def end_reading() -> None:
    """End what `one_reading` shares: what comes next is slow, and no connection waits for it."""
    if shared := _shared_here():
        await shared.end()


class _Shared:
    """The reading that a task shares: begun by the first who reads."""

    def __init__(self, task: asyncio.Task[Any] | None) -> None:
        self.task = task
        self._session: AsyncSession | None = None

    @property
    def session(self) -> AsyncSession:
        self._session = self._session or _session_to_read()
        return self._session

    async def end(self) -> None:
        """End the transaction, so that the next who reads begins another one."""
        if self._session:
            await self._session.close()


_shared: ContextVar[_Shared | None] = ContextVar("shared", default=None)


def _shared_here() -> _Shared | None:
    """Return what this task shares; a task that it has started reads by itself."""
    shared = _shared.get()
    return shared if shared and shared.task is asyncio.current_task() else None


def _session_to_read() -> AsyncSession:
    return AsyncSession(engine().execution_options(read_only=True), expire_on_commit=False)


Row = TypeVar("Row", bound=SQLModel)


async def find_row(
    session: AsyncSession, table: type[Row], row_id: str | None, *, lock: bool = False
) -> Row | None:
    """Return a row as it is stored now, if it is there; `lock` it to change it."""
    if row_id is None:
        return None
    return await session.get(table, row_id, with_for_update=lock, populate_existing=True)


async def get_row(
    session: AsyncSession, table: type[Row], row_id: str, *, lock: bool = False
) -> Row:
    """Return a row that another one of ours names, as `find_row` does."""
    return await session.get_one(table, row_id, with_for_update=lock, populate_existing=True)


async def get_rows(
    session: AsyncSession, table: type[Row], ids: Collection[str], *, lock: bool = False
) -> dict[str, Row]:
    """Return rows by their ids, in that order; `lock` them to change them."""
    (key,) = inspect(table).primary_key
    query = select(table).where(key.in_(ids)).order_by(key)
    rows = await session.scalars(query.with_for_update() if lock else query)
    return {getattr(row, key.name): row for row in rows}


def _violates(error: IntegrityError, sqlstate: str, sqlite_words: str) -> bool:
    return getattr(error.orig, "sqlstate", None) == sqlstate or sqlite_words in str(error.orig)


def is_unique_violation(error: IntegrityError) -> bool:
    return _violates(error, "23505", "UNIQUE constraint failed")


def is_foreign_key_violation(error: IntegrityError) -> bool:
    return _violates(error, "23503", "FOREIGN KEY constraint failed")
