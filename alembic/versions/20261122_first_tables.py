"""Create every table."""

import sqlalchemy as sa
from alembic import op

revision = "0001_first_tables"
down_revision = None
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_IMPORTED = sa.text("import_id IS NOT NULL")
_TO_PURGE = sa.text("expires_at IS NOT NULL AND before IS NOT NULL")
_OPEN = sa.text("ended_at IS NULL")
_HAS_TRIGRAMS = sa.text("SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_trgm'")


def _sorted_text(length: int | None = None) -> sa.String:
    return sa.String(length).with_variant(sa.String(length, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "neighborhoods",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("name_key", sa.String(200), nullable=False),
        sa.Column("zip_code", sa.String(5), nullable=False),
        sa.Column("pioneer_id", sa.String(36), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("search_name", _sorted_text(), nullable=False),
        sa.CheckConstraint(
            "length(zip_code) = 5 AND trim(zip_code, '0123456789') = ''", name="zip_digits"
        ),
        sa.CheckConstraint("trim(name) <> '' AND name_key <> ''", name="name_not_blank"),
        sa.ForeignKeyConstraint(
            ["pioneer_id"],
            ["waitlist_submissions.id"],
            name="fk_neighborhoods_pioneer_id",
            ondelete="SET NULL",
            use_alter=True,
        ),
        sa.PrimaryKeyConstraint("id", name="pk_neighborhoods"),
    )
    op.create_index("ix_neighborhoods_pioneer_id", "neighborhoods", ["pioneer_id"])
    op.create_index(
        "ix_neighborhoods_zip_code_name_key", "neighborhoods", ["zip_code", "name_key"], unique=True
    )
    op.create_table(
        "waitlist_submissions",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("status", sa.String(100), nullable=False),
        sa.Column("lead_source", sa.String(100), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("first_name", sa.String(100), nullable=False),
        sa.Column("last_name", sa.String(100), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("phone_number", sa.String(10), nullable=False),
        sa.Column("zip_code", sa.String(5), nullable=False),
        sa.Column("neighborhood_id", sa.String(36), nullable=True),
        sa.Column("referred_by_id", sa.String(36), nullable=True),
        sa.Column("resume_hash", sa.String(64), nullable=True),
        sa.CheckConstraint("email = lower(email) AND email LIKE '%_@_%'", name="email_normalised"),
        sa.CheckConstraint(
            "length(phone_number) IN (0, 10) AND trim(phone_number, '0123456789') = ''",
            name="phone_digits",
        ),
        sa.CheckConstraint(
            "length(zip_code) IN (0, 5) AND trim(zip_code, '0123456789') = ''", name="zip_digits"
        ),
        sa.CheckConstraint("trim(first_name) <> ''", name="first_name_not_blank"),
        sa.CheckConstraint("trim(last_name) <> ''", name="last_name_not_blank"),
        sa.CheckConstraint("trim(lead_source) <> ''", name="lead_source_not_blank"),
        sa.CheckConstraint("trim(status) <> ''", name="status_not_blank"),
        sa.CheckConstraint("referred_by_id <> id", name="no_self_referral"),
        sa.ForeignKeyConstraint(
            ["neighborhood_id"],
            ["neighborhoods.id"],
            name="fk_waitlist_submissions_neighborhood_id",
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["referred_by_id"],
            ["waitlist_submissions.id"],
            name="fk_waitlist_submissions_referred_by_id",
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_waitlist_submissions"),
        sa.UniqueConstraint("email", name="uq_waitlist_submissions_email"),
        sa.UniqueConstraint("resume_hash", name="uq_waitlist_submissions_resume_hash"),
    )
    op.create_index(
        "ix_waitlist_submissions_neighborhood_id",
        "waitlist_submissions",
        ["neighborhood_id"],
    )
    op.create_index(
        "ix_waitlist_submissions_referred_by_id", "waitlist_submissions", ["referred_by_id"]
    )
    op.create_table(
        "neighborhood_redirects",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("neighborhood_id", sa.String(36), nullable=False),
        sa.ForeignKeyConstraint(
            ["neighborhood_id"],
            ["neighborhoods.id"],
            name="fk_neighborhood_redirects_neighborhood_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_neighborhood_redirects"),
    )
    op.create_index(
        "ix_neighborhood_redirects_neighborhood_id", "neighborhood_redirects", ["neighborhood_id"]
    )
    op.create_table(
        "fleet_quotes",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("status", sa.String(100), nullable=False),
        sa.Column("lead_source", sa.String(100), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("company_name", sa.String(200), nullable=False),
        sa.Column("contact_name", sa.String(100), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("phone", sa.String(40), nullable=False),
        sa.Column("service_location", sa.String(300), nullable=False),
        sa.Column("notes", sa.String(5000), nullable=False),
        sa.Column("vehicle_count", sa.Integer(), nullable=False),
        sa.Column("fuel_types", sa.JSON(), nullable=False),
        sa.Column("fill_frequency", sa.String(20), nullable=False),
        sa.Column(
            "estimated_fuel_amount",
            sa.Numeric(precision=10, scale=1, asdecimal=False),
            nullable=False,
        ),
        sa.CheckConstraint(
            "fill_frequency IN ('daily', 'weekly', 'bi-weekly', 'monthly', 'as-needed')",
            name="fill_frequency_known",
        ),
        sa.CheckConstraint("trim(company_name) <> ''", name="company_name_not_blank"),
        sa.CheckConstraint("trim(contact_name) <> ''", name="contact_name_not_blank"),
        sa.CheckConstraint("trim(email) <> ''", name="email_not_blank"),
        sa.CheckConstraint("trim(lead_source) <> ''", name="lead_source_not_blank"),
        sa.CheckConstraint("trim(status) <> ''", name="status_not_blank"),
        sa.CheckConstraint("estimated_fuel_amount >= 0.1", name="fuel_amount_positive"),
        sa.CheckConstraint("vehicle_count >= 1", name="vehicle_count_positive"),
        sa.PrimaryKeyConstraint("id", name="pk_fleet_quotes"),
    )
    op.create_table(
        "business_quotes",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("status", sa.String(100), nullable=False),
        sa.Column("lead_source", sa.String(100), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("company_name", sa.String(200), nullable=False),
        sa.Column("contact_name", sa.String(100), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("phone", sa.String(40), nullable=False),
        sa.Column("service_location", sa.String(300), nullable=False),
        sa.Column("notes", sa.String(5000), nullable=False),
        sa.Column("employee_count", sa.Integer(), nullable=False),
        sa.Column("industry", sa.String(100), nullable=False),
        sa.CheckConstraint("trim(company_name) <> ''", name="company_name_not_blank"),
        sa.CheckConstraint("trim(contact_name) <> ''", name="contact_name_not_blank"),
        sa.CheckConstraint("trim(email) <> ''", name="email_not_blank"),
        sa.CheckConstraint("trim(lead_source) <> ''", name="lead_source_not_blank"),
        sa.CheckConstraint("trim(status) <> ''", name="status_not_blank"),
        sa.CheckConstraint("employee_count >= 1", name="employee_count_positive"),
        sa.PrimaryKeyConstraint("id", name="pk_business_quotes"),
    )
    op.create_table(
        "lead_imports",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("file_name", sa.String(200), nullable=False),
        sa.Column("header", sa.JSON(), nullable=False),
        sa.Column("actor", sa.String(36), nullable=False),
        sa.Column("started_at", _TIME, nullable=False),
        sa.Column("finished_at", _TIME, nullable=True),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("under_way", sa.Boolean(), nullable=True),
        sa.Column("message", sa.String(300), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("rows_done", sa.Integer(), nullable=False),
        sa.Column("imported", sa.Integer(), nullable=False),
        sa.Column("duplicates", sa.Integer(), nullable=False),
        sa.Column("invalid", sa.Integer(), nullable=False),
        sa.Column("removed", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "state IN ('running', 'cancelling', 'failing', 'undoing', 'done', 'cancelled',"
            " 'failed', 'undone')",
            name="state_known",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_lead_imports"),
        sa.UniqueConstraint("under_way", name="uq_lead_imports_under_way"),
    )
    op.create_index("ix_lead_imports_started_at", "lead_imports", ["started_at"])
    op.create_table(
        "lead_import_files",
        sa.Column("import_id", sa.String(36), nullable=False),
        sa.Column("compressed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["import_id"],
            ["lead_imports.id"],
            name="fk_lead_import_files_import_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("import_id", name="pk_lead_import_files"),
    )
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
        sa.Column("name_key", _sorted_text(200), nullable=False),
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
    op.create_index("ix_leads_created_at_number_type", "leads", ["created_at", "number", "type"])
    op.create_index(
        "ix_leads_import_id",
        "leads",
        ["import_id"],
        sqlite_where=_IMPORTED,
        postgresql_where=_IMPORTED,
    )
    op.create_index(
        "ix_leads_lead_source_created_at_number_type",
        "leads",
        ["lead_source", "created_at", "number", "type"],
    )
    op.create_index("ix_leads_name_key_number_type", "leads", ["name_key", "number", "type"])
    op.create_index(
        "ix_leads_shown_status_created_at_number_type",
        "leads",
        ["shown_status", "created_at", "number", "type"],
    )
    op.create_index("ix_leads_type_created_at_number", "leads", ["type", "created_at", "number"])
    _create_search()
    op.create_table(
        "audit_entries",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("action_id", sa.String(36), nullable=False),
        sa.Column("noun", sa.String(20), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("subject_id", sa.String(36), nullable=False),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("request_id", sa.String(100), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("before", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("after", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("expires_at", _TIME, nullable=True),
        sa.Column("undone_at", _TIME, nullable=True),
        sa.Column("undone_by", sa.String(100), nullable=True),
        sa.PrimaryKeyConstraint("number", name="pk_audit_entries"),
    )
    op.create_index("ix_audit_entries_action_id_number", "audit_entries", ["action_id", "number"])
    op.create_index(
        "ix_audit_entries_expires_at",
        "audit_entries",
        ["expires_at"],
        sqlite_where=_TO_PURGE,
        postgresql_where=_TO_PURGE,
    )
    op.create_index("ix_audit_entries_subject_id_number", "audit_entries", ["subject_id", "number"])
    op.create_table(
        "jobs",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("key", sa.String(200), nullable=True),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("run_at", _TIME, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.Column("outcome", sa.String(10), nullable=True),
        sa.Column("error", sa.String(500), nullable=True),
        sa.CheckConstraint("outcome IN ('done', 'dead')", name="outcome_known"),
        sa.CheckConstraint("(ended_at IS NULL) = (outcome IS NULL)", name="ended"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.UniqueConstraint("key", name="uq_jobs_key"),
    )
    op.create_index(
        "ix_jobs_run_at", "jobs", ["run_at"], sqlite_where=_OPEN, postgresql_where=_OPEN
    )
    op.create_table(
        "schedules",
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("next_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_schedules"),
    )
    if op.get_bind().dialect.name != "sqlite":  # which takes a key to a table that comes later
        op.create_foreign_key(
            "fk_neighborhoods_pioneer_id",
            "neighborhoods",
            "waitlist_submissions",
            ["pioneer_id"],
            ["id"],
            ondelete="SET NULL",
        )


def _create_search() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE VIRTUAL TABLE lead_search USING"
            " fts5(search, content='leads', content_rowid='number', tokenize='trigram')"
        )
        op.execute(
            "CREATE TRIGGER lead_search_insert AFTER INSERT ON leads BEGIN"
            " INSERT INTO lead_search(rowid, search) VALUES (NEW.number, NEW.search); END"
        )
        op.execute(
            "CREATE TRIGGER lead_search_delete AFTER DELETE ON leads BEGIN"
            " INSERT INTO lead_search(lead_search, rowid, search)"
            " VALUES ('delete', OLD.number, OLD.search); END"
        )
    elif op.get_bind().scalar(_HAS_TRIGRAMS):
        op.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        op.execute("CREATE INDEX ix_leads_search_trigrams ON leads USING gin (search gin_trgm_ops)")


def downgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.execute("DROP TABLE lead_search")
    else:
        op.drop_constraint("fk_neighborhoods_pioneer_id", "neighborhoods", type_="foreignkey")
    op.drop_table("schedules")
    op.drop_table("jobs")
    op.drop_table("audit_entries")
    op.drop_table("leads")
    op.drop_table("lead_import_rejects")
    op.drop_table("lead_import_files")
    op.drop_table("lead_imports")
    op.drop_table("business_quotes")
    op.drop_table("fleet_quotes")
    op.drop_table("neighborhood_redirects")
    op.drop_table("waitlist_submissions")
    op.drop_table("neighborhoods")
