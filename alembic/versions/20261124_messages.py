"""Index messages by kind, and by state with what went wrong, for the staff's list."""

from alembic import op

revision = "0007_messages"
down_revision = "0006_launch"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_messages_kind_id", "messages", ["kind", "id"])
    op.create_index("ix_messages_state_id_error", "messages", ["state", "id", "error"])
    op.drop_index("ix_messages_state_id", table_name="messages")


def downgrade() -> None:
    op.create_index("ix_messages_state_id", "messages", ["state", "id"])
    op.drop_index("ix_messages_state_id_error", table_name="messages")
    op.drop_index("ix_messages_kind_id", table_name="messages")
