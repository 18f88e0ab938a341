"""Give quotes an owner, a next step, a lost reason, and notes."""

import sqlalchemy as sa
from alembic import op

revision = "0034_sales_desk"
down_revision = "0032_due_bookings"
branch_labels = None
depends_on = None

_BLANK = {"server_default": "", "nullable": False}
_COLUMNS = ("owner_id", "next_step", "next_step_on", "lost_reason", "lost_note")


def upgrade() -> None:
    op.add_column("leads", sa.Column("owner_id", sa.String(36), nullable=True))
    op.add_column("leads", sa.Column("next_step", sa.String(200), **_BLANK))
    op.add_column("leads", sa.Column("next_step_on", sa.Date(), nullable=True))
    op.add_column("leads", sa.Column("lost_reason", sa.String(20), **_BLANK))
    op.add_column("leads", sa.Column("lost_note", sa.String(500), **_BLANK))
    op.create_table(
        "lead_notes",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("lead_id", sa.String(36), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("outcome", sa.String(20), nullable=False),
        sa.Column("text", sa.String(2000), nullable=False),
        sa.Column("author", sa.String(100), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind IN ('call', 'mail', 'note')", name=op.f("ck_lead_notes_kind_known")
        ),
        sa.ForeignKeyConstraint(
            ["lead_id"], ["leads.id"], name=op.f("fk_lead_notes_lead_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lead_notes")),
    )
    op.create_index("ix_lead_notes_lead_id_id", "lead_notes", ["lead_id", "id"])


def downgrade() -> None:
    op.drop_table("lead_notes")
    for column in _COLUMNS:
        op.drop_column("leads", column)
