"""Many rows in one statement, with hardly any work of ours: an import has a hundred thousand."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import String, Table
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.types import TypeEngine

from fuel_app.kit.db.session import on_sqlite


async def insert(
    session: AsyncSession, table: Table, rows: Sequence[Mapping[str, Any]], ending: str = ""
) -> Sequence[Any]:
    """Store rows that all have the same columns, in the same order.

    SQLAlchemy's own way makes these statements, too, but anew each time.

    Args:
        rows: One or more; times columns, they may be 32,000 values.
        ending: What follows the values in SQL.

    Returns:
        The first column of what `ending` returns.
    """
    columns = tuple(rows[0])
    dialect = session.get_bind().dialect
    types = {each: table.c[each].type.dialect_impl(dialect) for each in columns}
    stored = _as_stored(types, rows, dialect)
    if on_sqlite(session):
        sql = _values(table.name, columns, len(rows))
        given = tuple(chain.from_iterable(row.values() for row in stored))
    else:
        sql = _arrays(table.name, columns, tuple(_in_sql(types[each]) for each in columns))
        given = tuple(map(list, zip(*(row.values() for row in stored), strict=True)))
    done = await (await session.connection()).exec_driver_sql(sql + ending, given)
    return done.scalars().all() if done.returns_rows else []


def _as_stored(
    types: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], dialect: Any
) -> Iterable[Mapping[str, Any]]:
    ways = {each: type_.bind_processor(dialect) for each, type_ in types.items()}
    special = [(each, way) for each, way in ways.items() if way]
    return ({**row, **{each: way(row[each]) for each, way in special}} for row in rows)


@lru_cache(maxsize=16)  # most parts of an import are of one length
def _values(table: str, columns: Sequence[str], rows: int) -> str:
    row = f"({', '.join('?' * len(columns))})"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([row] * rows)}"  # noqa: S608


@lru_cache
def _arrays(table: str, columns: Sequence[str], types: Sequence[str]) -> str:
    """For PostgreSQL, which would plan each of a thousand values: a list for each column."""
    lists = ", ".join(f"${n}::{type_}[]" for n, type_ in enumerate(types, 1))
    return f"INSERT INTO {table} ({', '.join(columns)}) SELECT * FROM unnest({lists})"  # noqa: S608


def _in_sql(type_: TypeEngine[Any]) -> str:
    # A cast to a text of limited length would cut it; the column refuses it.
    return "TEXT" if isinstance(type_, String) else type_.compile(postgresql.dialect())
