"""SQLite refuses a text that is longer than its column, as PostgreSQL does, in the tests."""

from pathlib import Path
from typing import Any

import sqlalchemy as sa

from fuel_app.tables import metadata


def length_of(column: sa.Column[Any]) -> int | None:
    """Return the most characters that a column takes; None without a bound, or for no text."""
    kind = column.type
    return getattr(kind, "length", None) or getattr(getattr(kind, "impl", None), "length", None)


def bound(database: Path) -> None:
    """Give each table of a migrated database triggers that refuse what PostgreSQL refuses."""
    engine = sa.create_engine(f"sqlite:///{database}")
    with engine.begin() as connection:
        for table in metadata.sorted_tables:
            for change in ("INSERT", "UPDATE"):
                if statement := _trigger(table, change):
                    connection.exec_driver_sql(statement)
    engine.dispose()


def _trigger(table: sa.Table, change: str) -> str:
    tests = [
        f"""WHEN length(NEW."{column.name}") > {length}"""
        f" THEN RAISE(ABORT, 'value too long for {table.name}.{column.name}({length})')"
        for column in table.columns
        if (length := length_of(column))
    ]
    if not tests:
        return ""
    name = f"{PREFIX}{table.name}_{change.lower()}"
    return (
        f"CREATE TRIGGER {name} BEFORE {change} ON {table.name}"
        f" BEGIN SELECT CASE {' '.join(tests)} END; END"
    )


PREFIX = "test_length_"
