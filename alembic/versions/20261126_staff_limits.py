"""Count what staff give: late fees that were waived, and indexes by who has given and when."""

import sqlalchemy as sa
from alembic import op

revision = "0008_staff_limits"
down_revision = "0007_messages"
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


def downgrade() -> None:
    op.drop_index("ix_credit_entries_actor_at", table_name="credit_entries")
    op.drop_index("ix_credit_notes_actor_at", table_name="credit_notes")
    op.drop_table("waived_fees")
