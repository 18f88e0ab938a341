"""Totals of leads kept by triggers, indexes for the quotes alone, searches for one or two letters."""

import sqlalchemy as sa
from alembic import op

revision = "0004_lead_totals"
down_revision = "0003_neighborhood_counts"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_QUOTED = sa.text("type <> 'waitlist'")
_INDEXES = (
    ["type", "shown_status", "created_at", "number"],
    ["type", "lead_source", "created_at", "number"],
    ["type", "name_key", "number"],
)


def upgrade() -> None:
    op.create_table(
        "lead_totals",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("type", sa.String(10), nullable=False),
        sa.Column("leads", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("type IN ('fleet', 'business', 'waitlist')", name="type_known"),
        sa.PrimaryKeyConstraint("number", name="pk_lead_totals"),
    )
    for columns in _INDEXES:
        op.create_index(
            _name(columns), "leads", columns, sqlite_where=_QUOTED, postgresql_where=_QUOTED
        )
    op.execute(
        "INSERT INTO lead_totals (type, leads)"
        " SELECT 'fleet', count(*) FROM leads WHERE type = 'fleet' UNION ALL"
        " SELECT 'business', count(*) FROM leads WHERE type = 'business' UNION ALL"
        " SELECT 'waitlist', count(*) FROM leads WHERE type = 'waitlist'"
    )
    for statement in _SQLITE if _on_sqlite() else _POSTGRESQL:
        op.execute(sa.text(statement))


def _name(columns: list[str]) -> str:
    return f"ix_leads_{'_'.join(columns)}"


def _on_sqlite() -> bool:
    return op.get_bind().dialect.name == "sqlite"


_SEARCH = (
    "CREATE VIRTUAL TABLE lead_search USING"
    " fts5(search, content='', tokenize='trigram', detail=none)"
)
_SQLITE = (
    "CREATE TRIGGER leads_added AFTER INSERT ON leads"
    " BEGIN UPDATE lead_totals SET leads = leads + 1 WHERE type = NEW.type; END",
    "CREATE TRIGGER leads_removed AFTER DELETE ON leads"
    " BEGIN UPDATE lead_totals SET leads = leads - 1 WHERE type = OLD.type; END",
    "DROP TABLE lead_search",
    _SEARCH,
    "CREATE VIRTUAL TABLE lead_search_terms USING fts5vocab(lead_search, instance)",
    "INSERT INTO lead_search(rowid, search) SELECT number, search || char(10, 10) FROM leads",
    "CREATE TRIGGER leads_searchable AFTER INSERT ON leads BEGIN"
    " INSERT INTO lead_search(rowid, search) VALUES (NEW.number, NEW.search || char(10, 10)); END",
)
_POSTGRESQL = (
    """
CREATE FUNCTION leads_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  added bigint;
BEGIN
  FOR added IN
    INSERT INTO lead_totals (type, leads)
    SELECT type, count(*) * (CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END)
    FROM changed GROUP BY type
    RETURNING number
  LOOP
    IF added % 500 = 0 THEN
      WITH free AS (SELECT number FROM lead_totals FOR UPDATE SKIP LOCKED),
      gone AS (
        DELETE FROM lead_totals WHERE number IN (SELECT number FROM free) RETURNING type, leads
      )
      INSERT INTO lead_totals (type, leads) SELECT type, sum(leads) FROM gone GROUP BY type;
    END IF;
  END LOOP;
  RETURN NULL;
END $$
""",
    "CREATE TRIGGER leads_added AFTER INSERT ON leads REFERENCING NEW TABLE AS changed"
    " FOR EACH STATEMENT EXECUTE FUNCTION leads_counted()",
    "CREATE TRIGGER leads_removed AFTER DELETE ON leads REFERENCING OLD TABLE AS changed"
    " FOR EACH STATEMENT EXECUTE FUNCTION leads_counted()",
    r"""
CREATE FUNCTION lead_grams(search text) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
  SELECT string_to_array(
    regexp_replace(search, '(..)', E'\\1\x01', 'g') || E'\x01' ||
    regexp_replace(substr(search, 2), '(..)', E'\\1\x01', 'g'), E'\x01'
  ) || string_to_array(search, NULL)
$$
""",
    "CREATE INDEX ix_leads_search_grams ON leads USING gin (lead_grams(search))",
    "ANALYZE leads",  # what the planner knows of the new indexes
)


def downgrade() -> None:
    if _on_sqlite():
        for trigger in ("leads_searchable", "leads_removed", "leads_added"):
            op.execute(f"DROP TRIGGER {trigger}")
        op.execute("DROP TABLE lead_search_terms")
        op.execute("DROP TABLE lead_search")
        op.execute(_SEARCH)
        op.execute("INSERT INTO lead_search(rowid, search) SELECT number, search FROM leads")
    else:
        op.execute("DROP INDEX ix_leads_search_grams")
        op.execute("DROP FUNCTION lead_grams(text)")
        op.execute("DROP FUNCTION leads_counted() CASCADE")
    for columns in _INDEXES:
        op.drop_index(_name(columns), table_name="leads")
    op.drop_table("lead_totals")
