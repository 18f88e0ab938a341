"""Add what a refill has loaded, and where a stop was when its route was timed."""

import sqlalchemy as sa
from alembic import op

revision = "0024_loaded_gallons"
down_revision = "0021_mapped_imports"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("route_stops", sa.Column("loaded", sa.JSON(), nullable=True))
    op.add_column("route_stops", sa.Column("lat", sa.Float(), nullable=True))
    op.add_column("route_stops", sa.Column("lng", sa.Float(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("route_stops") as batch:
        for name in ("loaded", "lat", "lng"):
            batch.drop_column(name)
