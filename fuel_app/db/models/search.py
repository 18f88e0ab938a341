"""The index by which a part of a word is found among a million leads: every three letters.

Each database has its own kind, which no model describes: FTS5 on SQLite, `pg_trgm` on PostgreSQL.
"""

from typing import Any

from sqlalchemy import event, text
from sqlalchemy.engine import Connection

from fuel_app.db.models.base import metadata

TABLE = "lead_search"
INDEX = "ix_leads_search_trigrams"

# Without content of its own and never deleted from: what it finds is looked up in `leads`, where
# a deleted lead is not found, and numbers are not used again.
_SQLITE = (
    f"CREATE VIRTUAL TABLE {TABLE} USING fts5(search, content='', tokenize='trigram', detail=none)"
)
_POSTGRESQL = f"CREATE INDEX {INDEX} ON leads USING gin (search gin_trgm_ops)"
_HAS_TRIGRAMS = text("SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'")


def create(connection: Connection) -> None:
    """Make the index. A PostgreSQL without `pg_trgm` finds the same leads, only slower."""
    if connection.dialect.name == "sqlite":
        connection.execute(text(_SQLITE))
    elif connection.scalar(_HAS_TRIGRAMS):
        connection.execute(text("CREATE EXTENSION IF NOT EXISTS pg_trgm"))
        connection.execute(text(_POSTGRESQL))


def is_search_index(name: str | None) -> bool:
    """Whether a table or an index belongs to the search and not to the models."""
    return name is not None and (name == INDEX or name.startswith(TABLE))


@event.listens_for(metadata, "after_create")
def _create_after_tables(_target: Any, connection: Connection, **_options: Any) -> None:
    create(connection)
