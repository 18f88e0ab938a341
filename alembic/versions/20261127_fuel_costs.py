"""Add what a gallon of fuel costs the company, beside each price."""

import sqlalchemy as sa
from alembic import op

revision = "0016_fuel_costs"
down_revision = "0015_sums_of_entries"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("fuel_prices", sa.Column("cost_mills", sa.Integer(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("fuel_prices") as batch:
        batch.drop_column("cost_mills")
