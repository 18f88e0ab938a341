"""A cursor for SQLite that crosses to the connection's thread once for each statement.

The library's own crosses four times (open, execute, fetch, close), which costs more than most
statements; see docs/decisions/sqlite-writers.md.
"""

import sqlite3
from collections import deque
from dataclasses import dataclass
from typing import Any

from sqlalchemy.dialects.sqlite import aiosqlite
from sqlalchemy.dialects.sqlite.aiosqlite import AsyncAdapt_aiosqlite_cursor


@dataclass(slots=True)
class _Outcome:
    """The attributes of a cursor that the dialect reads after it is closed."""

    description: Any = None
    rowcount: int = -1
    lastrowid: Any = None
    arraysize: int = 1


class SqliteCursor(AsyncAdapt_aiosqlite_cursor):
    """A cursor whose rows are all fetched with its statement."""

    __slots__ = ()

    def _make_new_cursor(self, connection: Any) -> Any:
        return _Outcome()

    def _aenter_cursor(self, cursor: Any) -> Any:
        return cursor

    async def _execute_async(self, operation: Any, parameters: Any) -> Any:
        await self._cross(sqlite3.Cursor.execute, operation, parameters or ())

    async def _executemany_async(self, operation: Any, seq_of_parameters: Any) -> Any:
        await self._cross(sqlite3.Cursor.executemany, operation, seq_of_parameters)

    async def _cross(self, act: Any, operation: str, parameters: Any) -> None:
        connection: Any = self._connection

        def act_and_fetch() -> tuple[_Outcome, list[Any]]:
            cursor = connection._conn.cursor()
            try:
                act(cursor, operation, parameters)
                rows = cursor.fetchall() if cursor.description else []
                return _Outcome(cursor.description, cursor.rowcount, cursor.lastrowid), rows
            finally:
                cursor.close()

        async with self._adapt_connection._execute_mutex:
            outcome: Any
            outcome, rows = await connection._execute(act_and_fetch)
        self._cursor, self._rows = outcome, deque(rows)

    async def _async_soft_close(self) -> None:
        return None

    def close(self) -> None:
        self._rows.clear()


def install() -> None:
    """Use it for every connection to SQLite."""
    aiosqlite.AsyncAdapt_aiosqlite_connection._cursor_cls = SqliteCursor
