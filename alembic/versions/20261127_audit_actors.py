"""Find what an actor did within some hours, for the limit on changes for callers."""

from alembic import op

revision = "0018_audit_actors"
down_revision = "0017_dispute_deadlines"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_audit_entries_actor_at", "audit_entries", ["actor", "at"])


def downgrade() -> None:
    op.drop_index("ix_audit_entries_actor_at", table_name="audit_entries")
