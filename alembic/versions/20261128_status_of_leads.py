"""Add the index by which the staff's list is narrowed to a stored status."""

from alembic import op

revision = "0036_status_of_leads"
down_revision = "0035_companies"
branch_labels = None
depends_on = None

_NAME = "ix_leads_status_created_at_number_type"


def upgrade() -> None:
    op.create_index(_NAME, "leads", ["status", "created_at", "number", "type"])


def downgrade() -> None:
    op.drop_index(_NAME, "leads")
