"""Add what staff ask an admin for: amounts beyond what they may give."""

import sqlalchemy as sa
from alembic import op

revision = "0020_correction_requests"
down_revision = "0020_callers_emails"
branch_labels = None
depends_on = None

_TABLE = "correction_requests"
_OPEN = sa.text("answer = ''")
_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        _TABLE,
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("key", sa.String(36), nullable=False),
        sa.Column("way", sa.String(10), nullable=False),
        sa.Column("payer_id", sa.String(36), nullable=False),
        sa.Column("invoice_id", sa.String(36), nullable=True),
        sa.Column("amount_cents", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.Column("asked_by", sa.String(100), nullable=False),
        sa.Column("asked_at", _TIME, nullable=False),
        sa.Column("answer", sa.String(10), nullable=False),
        sa.Column("answered_by", sa.String(100), nullable=False),
        sa.Column("answered_at", _TIME, nullable=True),
        sa.CheckConstraint("way IN ('card', 'credit', 'waived', 'gift')", name="way_known"),
        sa.CheckConstraint("amount_cents > 0", name="amount_positive"),
        sa.CheckConstraint("(way = 'gift') = (invoice_id IS NULL)", name="invoice_corrected"),
        sa.CheckConstraint("answer IN ('', 'approved', 'declined')", name="answer_known"),
        sa.CheckConstraint("(answer = '') = (answered_at IS NULL)", name="answered_whole"),
        sa.ForeignKeyConstraint(
            ["payer_id"],
            ["payers.id"],
            name="fk_correction_requests_payer_id",
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["invoice_id"],
            ["invoices.id"],
            name="fk_correction_requests_invoice_id",
            ondelete="RESTRICT",
        ),
        sa.PrimaryKeyConstraint("id", name="pk_correction_requests"),
        sa.UniqueConstraint("key", name="uq_correction_requests_key"),
    )
    op.create_index("ix_correction_requests_payer_id_id", _TABLE, ["payer_id", "id"])
    op.create_index(
        "ix_correction_requests_open", _TABLE, ["id"], sqlite_where=_OPEN, postgresql_where=_OPEN
    )


def downgrade() -> None:
    op.drop_table(_TABLE)
