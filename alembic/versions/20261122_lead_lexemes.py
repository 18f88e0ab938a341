"""The indexes of the search know how names begin, so that it can leave those names out.

On PostgreSQL the function of the index before, `lead_pairs`, stays: the release before asks for it.
It goes with a later one, as the one before it does now.
"""

from alembic import op

revision = "0007_lead_lexemes"
down_revision = "0006_lead_places"
branch_labels = None
depends_on = None

_TEXT = "{row}.search || char(10, 10)"
_TEXT_AND_NAME = (
    _TEXT + " || substr({row}.name_key, 1, 2) || char(2) || substr({row}.name_key, 3, 2)"
)
_LEXEMES = r"""
CREATE OR REPLACE FUNCTION lead_lexemes(search text, name text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
  SELECT array_to_tsvector(array_append(array_remove(string_to_array(
    regexp_replace(search, '(..)', E'\\1\x01', 'g') || E'\x01' ||
    regexp_replace(substr(search, 2), '(..)', E'\\1\x01', 'g'), E'\x01'
  ), ''), E'\x01' || left(name, 4)))
$$
"""
_GRAMS = r"""
CREATE OR REPLACE FUNCTION lead_grams(search text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
  SELECT string_to_array(
    regexp_replace(search, '(..)', E'\\1\x01', 'g') || E'\x01' ||
    regexp_replace(substr(search, 2), '(..)', E'\\1\x01', 'g'), E'\x01'
  ) || string_to_array(search, NULL)
$$
"""


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        return _index_on_sqlite(_TEXT_AND_NAME)
    with op.get_context().autocommit_block():
        op.execute(_LEXEMES)
        _replace(
            "ix_leads_search_pairs", "ix_leads_search_lexemes", "lead_lexemes(search, name_key)"
        )
        op.execute("DROP FUNCTION IF EXISTS lead_grams(text)")


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        return _index_on_sqlite(_TEXT)
    with op.get_context().autocommit_block():
        op.execute(_GRAMS)
        _replace("ix_leads_search_lexemes", "ix_leads_search_pairs", "lead_pairs(search)")
        op.execute("DROP FUNCTION IF EXISTS lead_lexemes(text, text)")


def _index_on_sqlite(indexed: str) -> None:
    of_each, of_new = indexed.format(row="leads"), indexed.format(row="NEW")
    for statement in (
        "DROP TRIGGER leads_searchable",
        "DROP TABLE lead_search_terms",
        "DROP TABLE lead_search",
        "CREATE VIRTUAL TABLE lead_search USING"
        " fts5(search, content='', tokenize='trigram', detail=none)",
        "CREATE VIRTUAL TABLE lead_search_terms USING fts5vocab(lead_search, instance)",
        f"INSERT INTO lead_search(rowid, search) SELECT number, {of_each} FROM leads",  # noqa: S608
        "CREATE TRIGGER leads_searchable AFTER INSERT ON leads BEGIN INSERT INTO lead_search"  # noqa: S608
        f"(rowid, search) VALUES (NEW.number, {of_new}); END",
    ):
        op.execute(statement)


def _replace(old: str, new: str, expression: str) -> None:
    """Beside those who write; what was broken off halfway is done again from its beginning."""
    op.execute("SET lock_timeout = 0")  # it waits for who is writing, and nobody waits for it
    op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {new}")
    op.execute(f"CREATE INDEX CONCURRENTLY {new} ON leads USING gin (({expression}))")
    op.execute("ANALYZE leads")  # what the planner knows of the new index
    op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {old}")
    op.execute("RESET lock_timeout")
