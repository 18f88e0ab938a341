"""Add the series of visits that repeat."""

import sqlalchemy as sa
from alembic import op

revision = "0030_repeats"
down_revision = "0031_slot_waits"
branch_labels = None
depends_on = None

_STATES = "state IN ('active', 'paused', 'ended')"
_ENDS = "ended IN ('', 'customer', 'plan', 'card', 'cars', 'account')"


def upgrade() -> None:
    op.create_table(
        "series",
        sa.Column("place", sa.JSON(), nullable=False),
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("weeks", sa.Integer(), nullable=False),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("next_day", sa.Date(), nullable=False),
        sa.Column("opens", sa.Integer(), nullable=False),
        sa.Column("closes", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.Column("ended", sa.String(10), nullable=False),
        sa.Column("wording", sa.String(400), nullable=False),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(_STATES, name=op.f("ck_series_state_known")),
        sa.CheckConstraint(_ENDS, name=op.f("ck_series_ended_known")),
        sa.CheckConstraint(
            "(state = 'ended') = (ended <> '')", name=op.f("ck_series_ended_has_reason")
        ),
        sa.CheckConstraint("weeks IN (1, 2, 4)", name=op.f("ck_series_weeks_known")),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_series_person_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_series")),
    )
    op.create_index(op.f("ix_series_person_id"), "series", ["person_id"])
    op.create_index(op.f("ix_series_state"), "series", ["state"])
    op.create_table(
        "series_cars",
        sa.Column("vehicle_id", sa.String(36), nullable=False),
        sa.Column("series_id", sa.String(36), nullable=False),
        sa.ForeignKeyConstraint(
            ["series_id"], ["series.id"], name=op.f("fk_series_cars_series_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("vehicle_id", name=op.f("pk_series_cars")),
    )
    op.create_index(op.f("ix_series_cars_series_id"), "series_cars", ["series_id"])
    op.create_table(
        "series_visits",
        sa.Column("booking_id", sa.String(36), nullable=False),
        sa.Column("series_id", sa.String(36), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.ForeignKeyConstraint(
            ["booking_id"],
            ["bookings.id"],
            name=op.f("fk_series_visits_booking_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["series_id"],
            ["series.id"],
            name=op.f("fk_series_visits_series_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("booking_id", name=op.f("pk_series_visits")),
        sa.UniqueConstraint("series_id", "day", name=op.f("uq_series_visits_series_id_day")),
    )


def downgrade() -> None:
    for table in ("series_visits", "series_cars", "series"):
        op.drop_table(table)
