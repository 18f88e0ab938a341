"""Create the notified arrivals of bookings, by channel; find technicians' actions by their time;
note who timed a shift's plan.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011_notified_arrivals"
down_revision = "0010_message_delivery"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notified_arrivals",
        sa.Column("booking_id", sa.String(36), nullable=False),
        sa.Column("channel", sa.String(10), nullable=False),
        sa.Column("slot_id", sa.String(60), nullable=False),
        sa.Column("begins_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["booking_id"],
            ["bookings.id"],
            name=op.f("fk_notified_arrivals_booking_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("booking_id", "channel", name=op.f("pk_notified_arrivals")),
    )
    timed_by = sa.Column("timed_by", sa.String(20), nullable=False, server_default="")
    op.add_column("shifts", timed_by)
    op.create_index("ix_technician_actions_received_at", "technician_actions", ["received_at"])


def downgrade() -> None:
    op.drop_index("ix_technician_actions_received_at", table_name="technician_actions")
    op.drop_column("shifts", "timed_by")
    op.drop_table("notified_arrivals")
