"""Index the messages of a batch, by which they are counted."""

import sqlalchemy as sa
from alembic import op

revision = "0033_batches_of_messages"
down_revision = "0033_announcements"
branch_labels = None
depends_on = None

_NAME, _COLUMNS = "ix_messages_batch_id_state", ["batch_id", "state"]
_OF_BATCH = sa.text("batch_id IS NOT NULL")


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        op.create_index(_NAME, "messages", _COLUMNS, sqlite_where=_OF_BATCH)
        return
    with op.get_context().autocommit_block():
        op.execute("SET lock_timeout = 0")  # it waits for writers, and blocks none of them
        op.drop_index(_NAME, "messages", if_exists=True, postgresql_concurrently=True)
        op.create_index(
            _NAME,
            "messages",
            _COLUMNS,
            postgresql_concurrently=True,
            postgresql_where=_OF_BATCH,
        )
        op.execute("RESET lock_timeout")


def downgrade() -> None:
    op.drop_index(_NAME, "messages")
