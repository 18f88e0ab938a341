"""SQLite with one trip for a statement.

A connection works in a thread of its own, and every trip there comes back only when the event loop
has time again. By itself a statement makes four (a cursor, its execution, its rows, its end) and
the end of a transaction two; and as long as a writer travels, the next one waits. Here only what
may touch the file goes there, and its rows come back with it.
"""

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self

import aiosqlite
from aiosqlite.context import Result

Rows = Sequence[Any]


class _Trip:
    """A call on its way to the thread, which says when it is over."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self.over = False

    def __call__(self) -> Any:
        try:
            return self._call()
        finally:
            self.over = True


class _Cursor(aiosqlite.Cursor):
    _conn: "Connection"
    _rows: Rows = ()

    async def execute(self, sql: str, parameters: Any = ()) -> Self:
        self._rows = await self._conn._execute(self._fetch, sql, parameters)
        return self

    def _fetch(self, sql: str, parameters: Any) -> Rows:
        self._cursor.execute(sql, parameters)
        return self._cursor.fetchall() if self._cursor.description else ()

    async def fetchall(self) -> Rows:
        return self._rows

    async def close(self) -> None:
        if self._conn.travelling:
            await super().close()
        else:  # every row is fetched, so there is nothing to wait for
            self._cursor.close()


class Connection(aiosqlite.Connection):
    """What SQLAlchemy's dialect asks of aiosqlite's. Nobody streams here: all rows come at once."""

    _last: _Trip | None = None

    @property
    def travelling(self) -> bool:
        """Whether something is on its way: a statement runs on when its caller has left."""
        return bool(self._last and not self._last.over)

    def cursor(self) -> Result[aiosqlite.Cursor]:
        return Result(self._made())

    async def _made(self) -> aiosqlite.Cursor:
        return _Cursor(self, self._conn.cursor())

    async def commit(self) -> None:
        if self.travelling or self.in_transaction:
            await super().commit()

    async def rollback(self) -> None:
        if self.travelling or self.in_transaction:
            await super().rollback()

    async def _execute(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        self._last = _Trip(partial(fn, *args, **kwargs))
        return await super()._execute(self._last)


def connect(*where: Any, **how: Any) -> Connection:
    """A connection that opens when it is awaited; SQLAlchemy's `async_creator_fn`."""
    how["check_same_thread"] = False  # cursors are made and closed outside of the thread
    connection = Connection(partial(sqlite3.connect, *where, **how), iter_chunk_size=64)
    connection._thread.daemon = True  # nobody waits for it at the end
    return connection
