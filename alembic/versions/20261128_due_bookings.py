"""Add due bookings and the seats that they propose."""

import sqlalchemy as sa
from alembic import op

revision = "0032_due_bookings"
down_revision = "0036_status_of_leads"
branch_labels = None
depends_on = None

_ENDS = "'customer', 'plan', 'car', 'account'"
_STATES = f"'open', 'confirmed', 'skipped', 'lapsed', 'booked', 'repeats', 'filled', {_ENDS}"


def upgrade() -> None:
    op.create_table(
        "due_bookings",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("vehicle_id", sa.String(36), nullable=False),
        sa.Column("ended", sa.String(10), nullable=False),
        sa.Column("wording", sa.String(400), nullable=False),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(f"ended IN ('', {_ENDS})", name=op.f("ck_due_bookings_ended_known")),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
            name=op.f("fk_due_bookings_person_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_due_bookings")),
    )
    op.create_index(op.f("ix_due_bookings_person_id"), "due_bookings", ["person_id"])
    _create_unique("ix_due_bookings_car_on", "due_bookings", "ended = ''")
    op.create_table(
        "seat_proposals",
        sa.Column("place", sa.JSON(), nullable=False),
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("due_booking_id", sa.String(36), nullable=False),
        sa.Column("vehicle_id", sa.String(36), nullable=False),
        sa.Column("car", sa.String(90), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_day", sa.Date(), nullable=False),
        sa.Column("slot_id", sa.String(60), nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state", sa.String(10), nullable=False),
        sa.CheckConstraint(f"state IN ({_STATES})", name=op.f("ck_seat_proposals_state_known")),
        sa.ForeignKeyConstraint(
            ["due_booking_id"],
            ["due_bookings.id"],
            name=op.f("fk_seat_proposals_due_booking_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seat_proposals")),
    )
    op.create_index(
        op.f("ix_seat_proposals_due_booking_id_since"),
        "seat_proposals",
        ["due_booking_id", "since"],
    )
    _create_unique("ix_seat_proposals_car_open", "seat_proposals", "state = 'open'")


def _create_unique(name: str, table: str, where: str) -> None:
    """Make a car unique among the rows that are on, or open."""
    only = sa.text(where)
    op.create_index(
        name, table, ["vehicle_id"], unique=True, sqlite_where=only, postgresql_where=only
    )


def downgrade() -> None:
    for table in ("seat_proposals", "due_bookings"):
        op.drop_table(table)
