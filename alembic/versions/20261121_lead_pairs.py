"""Searches for one or two letters: pairs of signs as lexemes instead of an array of texts.

On PostgreSQL alone. The function of the index before, `lead_grams`, stays: the release before asks
for it. It goes with a later one.
"""

from alembic import op

revision = "0005_lead_pairs"
down_revision = "0004_lead_totals"
branch_labels = None
depends_on = None

_PAIRS = r"""
CREATE OR REPLACE FUNCTION lead_pairs(search text) RETURNS tsvector
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
  SELECT array_to_tsvector(array_remove(string_to_array(
    regexp_replace(search, '(..)', E'\\1\x01', 'g') || E'\x01' ||
    regexp_replace(substr(search, 2), '(..)', E'\\1\x01', 'g'), E'\x01'
  ), ''))
$$
"""


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        return
    with op.get_context().autocommit_block():
        op.execute(_PAIRS)
        _replace("ix_leads_search_grams", "ix_leads_search_pairs", "lead_pairs(search)")


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        return
    with op.get_context().autocommit_block():
        _replace("ix_leads_search_pairs", "ix_leads_search_grams", "lead_grams(search)")
        op.execute("DROP FUNCTION IF EXISTS lead_pairs(text)")


def _replace(old: str, new: str, expression: str) -> None:
    """Beside those who write; what was broken off halfway is done again from its beginning."""
    op.execute("SET lock_timeout = 0")  # it waits for who is writing, and nobody waits for it
    op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {new}")
    op.execute(f"CREATE INDEX CONCURRENTLY {new} ON leads USING gin (({expression}))")
    op.execute("ANALYZE leads")  # what the planner knows of the new index
    op.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {old}")
    op.execute("RESET lock_timeout")
