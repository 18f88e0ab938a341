"""INSERT ... ON CONFLICT DO NOTHING, which each dialect of SQLAlchemy has for itself."""

from typing import Any

from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit.db.session import on_sqlite


def insert_new(session: AsyncSession, table: Any) -> Any:
    """Insert the rows that break no unique constraint."""
    insert = sqlite.insert if on_sqlite(session) else postgresql.insert
    return insert(table).on_conflict_do_nothing()
