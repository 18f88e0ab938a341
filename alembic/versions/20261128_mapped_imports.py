"""Keep a file of leads while its columns are mapped, and what else it says of a lead as a note."""

import sqlalchemy as sa
from alembic import op

revision = "0021_mapped_imports"
down_revision = "0023_push_subscriptions"
branch_labels = None
depends_on = None


def upgrade() -> None:
    note = sa.Column("notes", sa.String(5000), server_default="", nullable=False)
    op.add_column("waitlist_submissions", note)
    op.add_column("lead_imports", sa.Column("places", sa.JSON(), nullable=True))
    keeps = sa.Column("keeps_rest", sa.Boolean(), server_default=sa.false(), nullable=False)
    op.add_column("lead_imports", keeps)
    op.create_table(
        "lead_import_uploads",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("actor", sa.String(36), nullable=False),
        sa.Column("file_name", sa.String(200), nullable=False),
        sa.Column("compressed", sa.LargeBinary(), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_lead_import_uploads"),
    )
    op.create_index("ix_lead_import_uploads_actor", "lead_import_uploads", ["actor"])


def downgrade() -> None:
    op.drop_table("lead_import_uploads")
    op.drop_column("lead_imports", "keeps_rest")
    op.drop_column("lead_imports", "places")
    op.drop_column("waitlist_submissions", "notes")
