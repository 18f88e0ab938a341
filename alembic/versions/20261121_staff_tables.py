"""The staff's tables: sessions, the list of leads with its search, changes and imports."""

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0002_staff_tables"
down_revision = "0001_first_tables"
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_SORTED_TEXT = sa.String(200).with_variant(sa.String(200, collation="C"), "postgresql")
_TIME = sa.DateTime(timezone=True)
_IMPORTED = sa.text("import_id IS NOT NULL")
_MANY = 2_000


def upgrade() -> None:
    op.create_table(
        "staff_sessions",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("last_seen_at", _TIME, nullable=False),
        sa.Column("expires_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_staff_sessions"),
        sa.UniqueConstraint("token_hash", name="uq_staff_sessions_token_hash"),
    )
    op.create_index("ix_staff_sessions_expires_at", "staff_sessions", ["expires_at"])
    op.create_table(
        "lead_imports",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("file_name", sa.String(200), nullable=False),
        sa.Column("by_session", sa.String(36), nullable=False),
        sa.Column("started_at", _TIME, nullable=False),
        sa.Column("beat_at", _TIME, nullable=False),
        sa.Column("finished_at", _TIME, nullable=True),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("cancel_asked", sa.Boolean(), nullable=False),
        sa.Column("message", sa.String(300), nullable=False),
        *[
            sa.Column(name, sa.Integer(), nullable=False)
            for name in ("rows", "rows_done", "imported", "duplicates", "invalid")
        ],
        sa.CheckConstraint(
            "state IN ('running', 'done', 'cancelled', 'failed', 'undone')", name="state_known"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_lead_imports"),
    )
    op.create_index("ix_lead_imports_started_at", "lead_imports", ["started_at"])
    op.create_table(
        "lead_import_rejects",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("import_id", sa.String(36), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("cells", sa.JSON(), nullable=False),
        sa.Column("reason", sa.String(300), nullable=False),
        sa.ForeignKeyConstraint(
            ["import_id"],
            ["lead_imports.id"],
            name="fk_lead_import_rejects_import_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name="pk_lead_import_rejects"),
    )
    op.create_index(
        "ix_lead_import_rejects_import_id_number", "lead_import_rejects", ["import_id", "number"]
    )
    op.create_table(
        "leads",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("type", sa.String(10), nullable=False),
        sa.Column("status", sa.String(100), nullable=False),
        sa.Column("shown_status", sa.String(100), nullable=False),
        sa.Column("lead_source", sa.String(100), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("name", sa.String(201), nullable=False),
        sa.Column("name_key", _SORTED_TEXT, nullable=False),
        sa.Column("company", sa.String(200), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("phone", sa.String(40), nullable=False),
        sa.Column("search", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("import_id", sa.String(36), nullable=True),
        sa.CheckConstraint("type IN ('fleet', 'business', 'waitlist')", name="type_known"),
        sa.ForeignKeyConstraint(
            ["import_id"], ["lead_imports.id"], name="fk_leads_import_id", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("number", name="pk_leads"),
        sa.UniqueConstraint("id", name="uq_leads_id"),
        sqlite_autoincrement=True,
    )
    for columns in (
        ["created_at", "number", "type"],
        ["type", "created_at", "number"],
        ["shown_status", "created_at", "number", "type"],
        ["lead_source", "created_at", "number", "type"],
        ["name_key", "number", "type"],
    ):
        op.create_index(f"ix_leads_{'_'.join(columns)}", "leads", columns)
    op.create_index(
        "ix_leads_import_id",
        "leads",
        ["import_id"],
        sqlite_where=_IMPORTED,
        postgresql_where=_IMPORTED,
    )
    op.create_table(
        "lead_actions",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("value", sa.String(100), nullable=False),
        sa.Column("by_session", sa.String(36), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("changed", sa.Integer(), nullable=False),
        sa.Column("undone_at", _TIME, nullable=True),
        sa.CheckConstraint(
            "kind IN ('status', 'lead_source', 'delete', 'undo')", name="kind_known"
        ),
        sa.CheckConstraint("state IN ('running', 'done', 'failed')", name="state_known"),
        sa.PrimaryKeyConstraint("id", name="pk_lead_actions"),
    )
    op.create_index("ix_lead_actions_at", "lead_actions", ["at"])
    op.create_table(
        "lead_changes",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("action_id", sa.String(36), nullable=False),
        sa.Column("lead_id", sa.String(36), nullable=False),
        sa.Column("lead_type", sa.String(10), nullable=False),
        sa.Column("field", sa.String(20), nullable=False),
        sa.Column("before", sa.String(100), nullable=True),
        sa.Column("after", sa.String(100), nullable=True),
        sa.Column("deleted", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["action_id"],
            ["lead_actions.id"],
            name="fk_lead_changes_action_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name="pk_lead_changes"),
    )
    op.create_index("ix_lead_changes_lead_id_number", "lead_changes", ["lead_id", "number"])
    op.create_index("ix_lead_changes_action_id_number", "lead_changes", ["action_id", "number"])
    _create_search()
    _list_those_who_are_there()


def _create_search() -> None:
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        op.execute(
            "CREATE VIRTUAL TABLE lead_search USING"
            " fts5(search, content='', tokenize='trigram', detail=none)"
        )
        return
    known = "SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'"
    if connection.scalar(sa.text(known)):
        op.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        op.execute("CREATE INDEX ix_leads_search_trigrams ON leads USING gin (search gin_trgm_ops)")


_QUOTES = """
SELECT id, '{type}' AS type, status, status AS shown_status, lead_source, created_at,
       contact_name AS name, company_name AS company, email, phone FROM {table} ORDER BY created_at
"""
_WAITLIST = """
SELECT id, 'waitlist' AS type, status, 'pending' AS shown_status, lead_source, created_at,
       first_name || ' ' || last_name AS name, 'N/A' AS company, email, phone_number AS phone
FROM waitlist_submissions ORDER BY created_at
"""


def _list_those_who_are_there() -> None:
    connection = op.get_bind()
    leads = sa.table("leads", *[sa.column(name) for name in _COLUMNS])
    questions = [
        _QUOTES.format(type="fleet", table="fleet_quotes"),
        _QUOTES.format(type="business", table="business_quotes"),
        _WAITLIST,
    ]
    for question in questions:
        for rows in connection.execute(sa.text(question)).mappings().partitions(_MANY):
            connection.execute(leads.insert(), [_listed(dict(row)) for row in rows])
    if connection.dialect.name == "sqlite":
        op.execute("INSERT INTO lead_search(rowid, search) SELECT number, search FROM leads")


_COLUMNS = (
    *("id", "type", "status", "shown_status", "lead_source", "created_at", "name", "company"),
    *("email", "phone", "name_key", "search", "revision"),
)


def _listed(row: dict) -> dict:
    company = "" if row["type"] == "waitlist" else row["company"]
    search = _fold("\n".join((row["name"], company, row["email"], row["phone"])))
    return row | {"name_key": _fold(row["name"])[:200], "search": search, "revision": 0}


def _fold(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold()
    return "".join(c for c in letters if not unicodedata.combining(c))


def downgrade() -> None:
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    if on_sqlite:
        op.execute("DROP TABLE lead_search")
    op.drop_table("lead_changes")
    op.drop_table("lead_actions")
    op.drop_table("leads")
    op.drop_table("lead_import_rejects")
    op.drop_table("lead_imports")
    op.drop_table("staff_sessions")
