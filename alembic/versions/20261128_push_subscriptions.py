"""Add the browsers that show notifications, and the channel of messages to them."""

import sqlalchemy as sa
from alembic import op

from fuel_app.kit.db.tables import UtcTime

revision = "0023_push_subscriptions"
down_revision = "0020_correction_requests"
branch_labels = None
depends_on = None

_CHECK = "ck_messages_channel_known"
_FORMER, _KNOWN = "channel IN ('mail', 'sms')", "channel IN ('mail', 'sms', 'push')"


def upgrade() -> None:
    op.create_table(
        "push_subscriptions",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("session_id", sa.String(36), nullable=False),
        sa.Column("endpoint", sa.String(1000), nullable=False),
        sa.Column("p256dh", sa.String(100), nullable=False),
        sa.Column("auth", sa.String(40), nullable=False),
        sa.Column("device", sa.String(100), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("last_used_at", UtcTime(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
            name=op.f("fk_push_subscriptions_person_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["sessions.id"],
            name=op.f("fk_push_subscriptions_session_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_push_subscriptions")),
        sa.UniqueConstraint("endpoint", name=op.f("uq_push_subscriptions_endpoint")),
    )
    # A person's devices; and those of a session that ends.
    for column in ("person_id", "session_id"):
        op.create_index(op.f(f"ix_push_subscriptions_{column}"), "push_subscriptions", [column])
    _check(_KNOWN)


def downgrade() -> None:
    op.execute("DELETE FROM messages WHERE channel = 'push'")
    _check(_FORMER)
    op.drop_table("push_subscriptions")


def _check(words: str) -> None:
    with op.batch_alter_table("messages") as table:
        table.drop_constraint(op.f(_CHECK), type_="check")
        table.create_check_constraint(op.f(_CHECK), words)
