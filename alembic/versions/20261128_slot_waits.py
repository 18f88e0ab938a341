"""Add the customers who wait for a place in a full window."""

import sqlalchemy as sa
from alembic import op

from fuel_app.kit.db.tables import UtcTime

revision = "0031_slot_waits"
down_revision = "0028_terms_with_card"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "slot_waits",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("slot_id", sa.String(60), nullable=False),
        sa.Column("starts_at", UtcTime(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("offered_until", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
            name=op.f("fk_slot_waits_person_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_slot_waits")),
        sa.UniqueConstraint("person_id", "slot_id", name=op.f("uq_slot_waits_person_id_slot_id")),
    )
    op.create_index(op.f("ix_slot_waits_slot_id"), "slot_waits", ["slot_id"])


def downgrade() -> None:
    op.drop_table("slot_waits")
