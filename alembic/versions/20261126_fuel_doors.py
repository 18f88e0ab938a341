"""Give a vehicle's fuel door room for the longest choice."""

import sqlalchemy as sa
from alembic import op

revision = "0008_fuel_doors"
down_revision = "0007_messages"
branch_labels = None
depends_on = None

_KNOWN = "fuel_door IN ('Unlocked', 'Button inside the car', 'Key', 'Unlocks with the doors')"


def upgrade() -> None:
    _change(20, 30)


def downgrade() -> None:
    _change(30, 20)


def _change(before: int, after: int) -> None:
    # PostgreSQL would keep the check in another wording than that of a new database.
    with op.batch_alter_table("vehicles") as table:
        table.drop_constraint(op.f("ck_vehicles_fuel_door_known"), type_="check")
        table.alter_column(
            "fuel_door",
            existing_type=sa.String(before),
            type_=sa.String(after),
            existing_nullable=False,
        )
        table.create_check_constraint(op.f("ck_vehicles_fuel_door_known"), _KNOWN)
