"""Create trucks, shifts, routes, published days, actions and photos of technicians."""

import sqlalchemy as sa
from alembic import op

revision = "0005_dispatch"
down_revision = "0004_money"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    with op.batch_alter_table("bookings") as batch_op:
        batch_op.create_index(batch_op.f("ix_bookings_starts_at"), ["starts_at"], unique=False)

    op.create_table(
        "published_days",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("published_at", _TIME, nullable=False),
        sa.Column("closed_at", _TIME, nullable=True),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_published_days")),
    )
    op.create_table(
        "trucks",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("license_plate", sa.String(12), nullable=False),
        sa.Column("tanks", sa.JSON(), nullable=False),
        sa.Column("meter_number", sa.String(40), nullable=False),
        sa.Column("meter_sealed_on", sa.Date(), nullable=False),
        sa.Column("home", sa.String(200), nullable=False),
        sa.Column("home_lat", sa.Float(), nullable=False),
        sa.Column("home_lng", sa.Float(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trucks")),
        sa.UniqueConstraint("name", name=op.f("uq_trucks_name")),
    )
    op.create_table(
        "shifts",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("truck_id", sa.String(36), nullable=False),
        sa.Column("technician_id", sa.String(36), nullable=True),
        sa.Column("starts_at", _TIME, nullable=False),
        sa.Column("ends_at", _TIME, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("broken_at", _TIME, nullable=True),
        sa.Column("lat", sa.Float(), nullable=True),
        sa.Column("lng", sa.Float(), nullable=True),
        sa.Column("position_at", _TIME, nullable=True),
        sa.CheckConstraint("starts_at < ends_at", name=op.f("ck_shifts_hours_in_order")),
        sa.ForeignKeyConstraint(
            ["technician_id"],
            ["people.id"],
            name=op.f("fk_shifts_technician_id"),
            ondelete="SET NULL",
        ),
        sa.ForeignKeyConstraint(
            ["truck_id"], ["trucks.id"], name=op.f("fk_shifts_truck_id"), ondelete="RESTRICT"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_shifts")),
        sa.UniqueConstraint("day", "technician_id", name=op.f("uq_shifts_day_technician_id")),
        sa.UniqueConstraint("day", "truck_id", name=op.f("uq_shifts_day_truck_id")),
    )
    with op.batch_alter_table("shifts", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_shifts_position_at"),
            ["position_at"],
            unique=False,
            sqlite_where=sa.text("position_at IS NOT NULL"),
            postgresql_where=sa.text("position_at IS NOT NULL"),
        )

    op.create_table(
        "technician_actions",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=True),
        sa.Column("stop_id", sa.String(36), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("received_at", _TIME, nullable=False),
        sa.Column("refused", sa.String(300), nullable=False),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
            name=op.f("fk_technician_actions_person_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_technician_actions")),
        sa.UniqueConstraint("id", name=op.f("uq_technician_actions_id")),
    )
    with op.batch_alter_table("technician_actions", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_technician_actions_stop_id"), ["stop_id"], unique=False
        )

    op.create_table(
        "fill_photos",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("booking_id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=True),
        sa.Column("taken_at", _TIME, nullable=False),
        sa.Column("file", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["booking_id"],
            ["bookings.id"],
            name=op.f("fk_fill_photos_booking_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_fill_photos_person_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fill_photos")),
    )
    with op.batch_alter_table("fill_photos", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_fill_photos_booking_id"), ["booking_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_fill_photos_taken_at"), ["taken_at"], unique=False)

    op.create_table(
        "route_stops",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("shift_id", sa.String(36), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("booking_id", sa.String(36), nullable=True),
        sa.Column("slot_id", sa.String(60), nullable=False),
        sa.Column("is_pinned", sa.Boolean(), nullable=False),
        sa.Column("leg_s", sa.Integer(), nullable=False),
        sa.Column("begins_at", _TIME, nullable=False),
        sa.Column("told_at", _TIME, nullable=True),
        sa.Column("driving_at", _TIME, nullable=True),
        sa.Column("arrived_at", _TIME, nullable=True),
        sa.Column("fueling_at", _TIME, nullable=True),
        sa.Column("ended_at", _TIME, nullable=True),
        sa.CheckConstraint(
            "(booking_id IS NULL) = (slot_id = '')", name=op.f("ck_route_stops_slot_of_booking")
        ),
        sa.CheckConstraint("leg_s >= 0", name=op.f("ck_route_stops_leg_not_negative")),
        sa.CheckConstraint("place > 0", name=op.f("ck_route_stops_place_positive")),
        sa.ForeignKeyConstraint(
            ["booking_id"],
            ["bookings.id"],
            name=op.f("fk_route_stops_booking_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["shift_id"], ["shifts.id"], name=op.f("fk_route_stops_shift_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_route_stops")),
        sa.UniqueConstraint("booking_id", name=op.f("uq_route_stops_booking_id")),
        sa.UniqueConstraint("shift_id", "place", name=op.f("uq_route_stops_shift_id_place")),
    )
    op.create_table(
        "unserved_bookings",
        sa.Column("booking_id", sa.String(36), nullable=False),
        sa.Column("slot_id", sa.String(60), nullable=False),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.ForeignKeyConstraint(
            ["booking_id"],
            ["bookings.id"],
            name=op.f("fk_unserved_bookings_booking_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("booking_id", name=op.f("pk_unserved_bookings")),
    )


def downgrade() -> None:
    op.drop_table("unserved_bookings")
    op.drop_table("route_stops")
    with op.batch_alter_table("fill_photos", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_fill_photos_taken_at"))
        batch_op.drop_index(batch_op.f("ix_fill_photos_booking_id"))

    op.drop_table("fill_photos")
    with op.batch_alter_table("technician_actions", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_technician_actions_stop_id"))

    op.drop_table("technician_actions")
    with op.batch_alter_table("shifts", schema=None) as batch_op:
        batch_op.drop_index(
            batch_op.f("ix_shifts_position_at"),
            sqlite_where=sa.text("position_at IS NOT NULL"),
            postgresql_where=sa.text("position_at IS NOT NULL"),
        )

    op.drop_table("shifts")
    op.drop_table("trucks")
    op.drop_table("published_days")
    with op.batch_alter_table("bookings") as batch_op:
        batch_op.drop_index(batch_op.f("ix_bookings_starts_at"))
