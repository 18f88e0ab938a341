"""Add the fills that customers have made elsewhere."""

import sqlalchemy as sa
from alembic import op

revision = "0029_fills_elsewhere"
down_revision = "0026_fills"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "fills_elsewhere",
        sa.Column("vehicle_id", sa.String(36), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
            name=op.f("fk_fills_elsewhere_person_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("vehicle_id", "day", name=op.f("pk_fills_elsewhere")),
    )
    op.create_index(op.f("ix_fills_elsewhere_person_id"), "fills_elsewhere", ["person_id"])


def downgrade() -> None:
    op.drop_table("fills_elsewhere")
