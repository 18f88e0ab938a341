"""Many rows in one statement, with hardly any work of ours: an import has a hundred thousand."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.db.session import on_sqlite


async def insert(
    session: AsyncSession, table: Table, rows: Sequence[Mapping[str, Any]], ending: str = ""
) -> Sequence[Any]:
    """Store rows that all have the same columns, in the same order.

    SQLAlchemy's own way makes these statements, too, but anew each time: half of an import's work.

    Args:
        rows: One or more; times columns, they may be 32,000 values.
        ending: What follows the values in SQL.

    Returns:
        The first column of what `ending` returns.
    """
    columns = tuple(rows[0])
    sql = _statement(table.name, columns, len(rows), on_sqlite(session)) + ending
    values = _as_stored(table, columns, rows, session.get_bind().dialect)
    done = await (await session.connection()).exec_driver_sql(sql, values)
    return done.scalars().all() if done.returns_rows else []


@lru_cache(maxsize=16)  # most parts of an import are of one length
def _statement(table: str, columns: Sequence[str], rows: int, sqlite: bool) -> str:
    wide = len(columns)
    marks = ["?"] * (wide * rows) if sqlite else [f"${n + 1}" for n in range(wide * rows)]
    groups = (", ".join(marks[at : at + wide]) for at in range(0, wide * rows, wide))
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({'), ('.join(groups)})"  # noqa: S608


def _as_stored(
    table: Table, columns: Sequence[str], rows: Sequence[Mapping[str, Any]], dialect: Any
) -> tuple[Any, ...]:
    types = {each: table.c[each].type.dialect_impl(dialect) for each in columns}
    ways = {each: type_.bind_processor(dialect) for each, type_ in types.items()}
    special = [(each, way) for each, way in ways.items() if way]
    adapted = ({**row, **{each: way(row[each]) for each, way in special}} for row in rows)
    return tuple(chain.from_iterable(row.values() for row in adapted))
