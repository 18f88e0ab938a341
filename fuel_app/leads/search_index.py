"""The indexes by which a part of a word is found among a million leads.

Each database has its own kind, which no model describes. On SQLite FTS5 knows every three letters,
and, since two line ends follow each text, every one or two as the beginning of three. On PostgreSQL
`pg_trgm` knows every three letters or digits, and `lead_lexemes` every two signs of any kind, and
so every single one as the beginning of two. Both also know the four letters a name begins with, for
searches that leave those names out: as two trigrams around a char(2), and as a lexeme of their own
behind a chr(1), two signs that nobody can look for.
"""

from typing import Any

from sqlalchemy import event, text
from sqlalchemy.engine import Connection

from fuel_app.kit.db.tables import metadata

# Without content of its own and never deleted from: what it finds is looked up in `leads`, where
# a deleted lead is not found, and numbers are not used again.
_SQLITE = (
    "CREATE VIRTUAL TABLE lead_search USING"
    " fts5(search, content='', tokenize='trigram', detail=none)",
    "CREATE VIRTUAL TABLE lead_search_terms USING fts5vocab(lead_search, instance)",
    "CREATE TRIGGER leads_searchable AFTER INSERT ON leads BEGIN"
    " INSERT INTO lead_search(rowid, search) VALUES (NEW.number, NEW.search || char(10, 10)"
    " || substr(NEW.name_key, 1, 2) || char(2) || substr(NEW.name_key, 3, 2)); END",
)
_HAS_TRIGRAMS = text("SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'")
_TRIGRAMS = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    "CREATE INDEX ix_leads_search_trigrams ON leads USING gin (search gin_trgm_ops)",
)
# Pairs from the first sign and pairs from the second; the last sign stands alone in one of the two.
# Between them is chr(1), which no lead holds. Lexemes are compared byte by byte, texts in an array
# by the database's collation, which cost more than half of an insert. The function's cost keeps the
# planner from asking it about each row instead of the index.
_LEXEMES = (
    r"""
CREATE FUNCTION lead_lexemes(search text, name text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
  SELECT array_to_tsvector(array_append(array_remove(string_to_array(
    regexp_replace(search, '(..)', E'\\1\x01', 'g') || E'\x01' ||
    regexp_replace(substr(search, 2), '(..)', E'\\1\x01', 'g'), E'\x01'
  ), ''), E'\x01' || left(name, 4)))
$$
""",
    "CREATE INDEX ix_leads_search_lexemes ON leads USING gin (lead_lexemes(search, name_key))",
)


def create(connection: Connection) -> None:
    """Make the indexes. A PostgreSQL without `pg_trgm` finds the same leads, only slower."""
    statements = _SQLITE
    if connection.dialect.name != "sqlite":
        statements = (*_LEXEMES, *(_TRIGRAMS if connection.scalar(_HAS_TRIGRAMS) else ()))
    for statement in statements:
        connection.exec_driver_sql(statement)


@event.listens_for(metadata, "after_create")
def _create_after_tables(_target: Any, connection: Connection, **_options: Any) -> None:
    create(connection)
