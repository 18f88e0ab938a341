"""Say on a booking what a free first fill was used for, and until when its card may be replaced."""

import sqlalchemy as sa
from alembic import op

from fuel_app.kit.db.tables import UtcTime

revision = "0012_booking_payments"
down_revision = "0011_notified_arrivals"
branch_labels = None
depends_on = None


def upgrade() -> None:
    used = sa.Column("free_fill_used", sa.String(20), nullable=False, server_default="")
    op.add_column("bookings", used)
    op.add_column("bookings", sa.Column("card_due_at", UtcTime(), nullable=True))


def downgrade() -> None:
    op.drop_column("bookings", "card_due_at")
    op.drop_column("bookings", "free_fill_used")
