"""Keep a text message's id at the provider, and when it was delivered."""

import sqlalchemy as sa
from alembic import op

from fuel_app.kit.db.tables import UtcTime

revision = "0010_message_delivery"
down_revision = "0009_staff_limits"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("messages", sa.Column("provider_id", sa.String(64), nullable=True))
    op.add_column("messages", sa.Column("delivered_at", UtcTime(), nullable=True))


def downgrade() -> None:
    op.drop_column("messages", "delivered_at")
    op.drop_column("messages", "provider_id")
