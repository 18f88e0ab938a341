"""Parts that all tables share: the naming of constraints, times, ids and checks."""

import time
import uuid
from datetime import UTC, datetime
from secrets import randbits
from typing import Any, ClassVar

from sqlalchemy import BigInteger, Column, DateTime, Integer, MetaData, String, TypeDecorator
from sqlmodel import Field, SQLModel

SQLModel.metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)
metadata = SQLModel.metadata


class TableModel(SQLModel):
    """Base of every table."""

    # SQLModel declares a method there, and nothing here.
    __tablename__: ClassVar[Any]
    __table__: ClassVar[Any]


class UtcTime(TypeDecorator[datetime]):
    """An aware UTC time. SQLite stores no zone, so it is added when a value is read."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Any) -> datetime | None:
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: datetime | None, dialect: Any) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def new_id() -> str:
    """Return a UUID of version 7 (RFC 9562), which keeps new rows together in every index.

    It begins with the time to a quarter of a microsecond: rows of one process sort as they were
    made.
    """
    milliseconds, rest = divmod(time.time_ns(), 1_000_000)
    fraction = rest * 4096 // 1_000_000  # 12 bits, by the RFC's method 3
    number = milliseconds << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | randbits(62)
    return str(uuid.UUID(int=number))


_NUMBER = BigInteger().with_variant(Integer(), "sqlite")  # where only INTEGER numbers itself


def sorted_text(length: int | None = None) -> String:
    """Return a text type that both databases sort by its bytes, so that pages are the same."""
    return String(length).with_variant(String(length, collation="C"), "postgresql")


def numbered() -> Any:
    """Return an autoincrement primary key."""
    return Field(default=None, sa_column=Column(_NUMBER, primary_key=True, autoincrement=True))


def one_of(column: str, values: tuple[str, ...]) -> str:
    listed = ", ".join(f"'{value}'" for value in values)
    return f"{column} IN ({listed})"


def digits(column: str, length: str) -> str:
    return f"length({column}) {length} AND trim({column}, '0123456789') = ''"


def has_no_model(name: str | None) -> bool:
    """Return whether a table or an index belongs to a search index, which no model describes."""
    return name is not None and name.startswith(("lead_search", "ix_leads_search"))
