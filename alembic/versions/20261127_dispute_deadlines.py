"""Until when a disputed payment's evidence is taken; of earlier disputes Stripe knows it alone."""

import sqlalchemy as sa
from alembic import op

from fuel_app.kit.db.tables import UtcTime

revision = "0017_dispute_deadlines"
down_revision = "0016_fuel_costs"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("payments", sa.Column("dispute_due_at", UtcTime(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("payments") as batch:
        batch.drop_column("dispute_due_at")
