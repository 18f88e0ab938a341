"""Late fees that staff waived, what staff gave by time; when outcomes were last asked for; failures
of jobs apart from kills.
"""

import sqlalchemy as sa
from alembic import op

revision = "0009_staff_limits"
down_revision = "0008_fuel_doors"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "waived_fees",
        sa.Column("booking_id", sa.String(36), nullable=False),
        sa.Column("payer_id", sa.String(36), nullable=False),
        sa.Column("amount_cents", sa.Integer(), nullable=False),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("amount_cents > 0", name=op.f("ck_waived_fees_amount_positive")),
        sa.ForeignKeyConstraint(
            ["payer_id"],
            ["payers.id"],
            name=op.f("fk_waived_fees_payer_id"),
            ondelete="RESTRICT",
        ),
        sa.PrimaryKeyConstraint("booking_id", name=op.f("pk_waived_fees")),
    )
    op.create_index("ix_waived_fees_payer_id", "waived_fees", ["payer_id"])
    op.create_index("ix_waived_fees_actor_at", "waived_fees", ["actor", "at"])
    op.create_index("ix_credit_notes_actor_at", "credit_notes", ["actor", "at"])
    op.create_index("ix_credit_entries_actor_at", "credit_entries", ["actor", "at"])
    for table in ("payments", "refunds"):
        op.add_column(table, sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("jobs", sa.Column("failures", sa.Integer(), server_default="0", nullable=False))
    op.execute("UPDATE jobs SET failures = attempts WHERE ended_at IS NULL AND error IS NOT NULL")


def downgrade() -> None:
    for table, name in (("jobs", "failures"), ("refunds", "tried_at"), ("payments", "tried_at")):
        with op.batch_alter_table(table) as batch_op:
            batch_op.drop_column(name)
    op.drop_index("ix_credit_entries_actor_at", table_name="credit_entries")
    op.drop_index("ix_credit_notes_actor_at", table_name="credit_notes")
    op.drop_table("waived_fees")
