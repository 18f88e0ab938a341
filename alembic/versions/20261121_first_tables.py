"""Waitlist submissions, neighborhoods, fleet and business quotes."""

import sqlalchemy as sa
from alembic import op

revision = "0001_first_tables"
down_revision = None
branch_labels = None
depends_on = None

# Neighborhoods and submissions point at each other. PostgreSQL wants the second table first;
# SQLite cannot add a key to a table afterwards, but takes one to a table that comes later.
PIONEER_KEY = "fk_neighborhoods_pioneer_id"


def _lead_columns() -> list[sa.Column]:
    return [
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("status", sa.String(100), nullable=False),
        sa.Column("lead_source", sa.String(100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    ]


def _quote_columns() -> list[sa.Column]:
    return [
        sa.Column("company_name", sa.String(200), nullable=False),
        sa.Column("contact_name", sa.String(100), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("phone", sa.String(40), nullable=False),
        sa.Column("service_location", sa.String(300), nullable=False),
        sa.Column("notes", sa.String(5000), nullable=False),
    ]


def _not_blank(*columns: str) -> list[sa.CheckConstraint]:
    return [
        sa.CheckConstraint(f"trim({name}) <> ''", name=f"{name}_not_blank")
        for name in ("status", "lead_source", *columns)
    ]


def _digits(column: str, length: str) -> str:
    return f"length({column}) {length} AND trim({column}, '0123456789') = ''"


def upgrade() -> None:
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    pioneer_key = sa.ForeignKeyConstraint(
        ["pioneer_id"], ["waitlist_submissions.id"], name=PIONEER_KEY, ondelete="SET NULL"
    )
    op.create_table(
        "neighborhoods",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("name_key", sa.String(200), nullable=False),
        sa.Column("zip_code", sa.String(5), nullable=False),
        sa.Column("pioneer_id", sa.String(36), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("trim(name) <> '' AND name_key <> ''", name="name_not_blank"),
        sa.CheckConstraint(_digits("zip_code", "= 5"), name="zip_digits"),
        sa.PrimaryKeyConstraint("id", name="pk_neighborhoods"),
        *([pioneer_key] if on_sqlite else []),
    )
    op.create_index("ix_neighborhoods_pioneer_id", "neighborhoods", ["pioneer_id"])
    op.create_index(
        "ix_neighborhoods_zip_code_name_key", "neighborhoods", ["zip_code", "name_key"], unique=True
    )
    op.create_table(
        "waitlist_submissions",
        *_lead_columns(),
        sa.Column("first_name", sa.String(100), nullable=False),
        sa.Column("last_name", sa.String(100), nullable=False),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("phone_number", sa.String(10), nullable=False),
        sa.Column("zip_code", sa.String(5), nullable=False),
        sa.Column("neighborhood_id", sa.String(36), nullable=True),
        sa.Column("referred_by_id", sa.String(36), nullable=True),
        sa.Column("resume_hash", sa.String(64), nullable=True),
        *_not_blank("first_name", "last_name"),
        sa.CheckConstraint("email = lower(email) AND email LIKE '%_@_%'", name="email_normalised"),
        sa.CheckConstraint(_digits("phone_number", "IN (0, 10)"), name="phone_digits"),
        sa.CheckConstraint(_digits("zip_code", "IN (0, 5)"), name="zip_digits"),
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
        "ix_waitlist_submissions_neighborhood_id_created_at_id",
        "waitlist_submissions",
        ["neighborhood_id", "created_at", "id"],
    )
    op.create_index(
        "ix_waitlist_submissions_referred_by_id", "waitlist_submissions", ["referred_by_id"]
    )
    if not on_sqlite:
        op.create_foreign_key(
            PIONEER_KEY,
            "neighborhoods",
            "waitlist_submissions",
            ["pioneer_id"],
            ["id"],
            ondelete="SET NULL",
        )
    op.create_table(
        "fleet_quotes",
        *_lead_columns(),
        *_quote_columns(),
        sa.Column("vehicle_count", sa.Integer(), nullable=False),
        sa.Column("fuel_types", sa.JSON(), nullable=False),
        sa.Column("fill_frequency", sa.String(20), nullable=False),
        sa.Column("estimated_fuel_amount", sa.Numeric(10, 1), nullable=False),
        *_not_blank("company_name", "contact_name", "email"),
        sa.CheckConstraint("vehicle_count >= 1", name="vehicle_count_positive"),
        sa.CheckConstraint("estimated_fuel_amount >= 0.1", name="fuel_amount_positive"),
        sa.CheckConstraint(
            "fill_frequency IN ('daily', 'weekly', 'bi-weekly', 'monthly', 'as-needed')",
            name="fill_frequency_known",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_fleet_quotes"),
    )
    op.create_table(
        "business_quotes",
        *_lead_columns(),
        *_quote_columns(),
        sa.Column("employee_count", sa.Integer(), nullable=False),
        sa.Column("industry", sa.String(100), nullable=False),
        *_not_blank("company_name", "contact_name", "email"),
        sa.CheckConstraint("employee_count >= 1", name="employee_count_positive"),
        sa.PrimaryKeyConstraint("id", name="pk_business_quotes"),
    )


def downgrade() -> None:
    op.drop_table("business_quotes")
    op.drop_table("fleet_quotes")
    if op.get_bind().dialect.name != "sqlite":
        op.drop_constraint(PIONEER_KEY, "neighborhoods", type_="foreignkey")
    op.drop_table("waitlist_submissions")
    op.drop_table("neighborhoods")
