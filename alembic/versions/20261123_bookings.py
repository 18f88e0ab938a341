"""Create bookings, slots, prices, vehicles, addresses, subscriptions and the ledger."""

import sqlalchemy as sa
from alembic import op

revision = "0003_bookings"
down_revision = "0002_people"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "proposed_prices",
        sa.Column("grade", sa.String(10), nullable=False),
        sa.Column("week", sa.Date(), nullable=False),
        sa.Column("mills", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(100), nullable=False),
        sa.Column("fetched_at", _TIME, nullable=False),
        sa.CheckConstraint(
            "grade IN ('regular', 'plus', 'premium', 'diesel')",
            name=op.f("ck_proposed_prices_grade_known"),
        ),
        sa.PrimaryKeyConstraint("grade", "week", name=op.f("pk_proposed_prices")),
    )
    op.create_table(
        "addresses",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("street", sa.String(200), nullable=False),
        sa.Column("unit", sa.String(30), nullable=False),
        sa.Column("city", sa.String(100), nullable=False),
        sa.Column("state", sa.String(2), nullable=False),
        sa.Column("zip_code", sa.String(5), nullable=False),
        sa.Column("gate_code", sa.String(30), nullable=False),
        sa.Column("notes", sa.String(1000), nullable=False),
        sa.Column("spot", sa.String(30), nullable=False),
        sa.Column("lat", sa.Float(), nullable=False),
        sa.Column("lng", sa.Float(), nullable=False),
        sa.Column("is_approximate", sa.Boolean(), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.CheckConstraint(
            "spot IN ('Driveway', 'Open parking lot', 'Street')",
            name=op.f("ck_addresses_spot_known"),
        ),
        sa.CheckConstraint(
            "lat BETWEEN -90 AND 90 AND lng BETWEEN -180 AND 180",
            name=op.f("ck_addresses_on_earth"),
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_addresses_person_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_addresses")),
    )
    op.create_index("ix_addresses_person_id_id", "addresses", ["person_id", "id"], unique=False)
    op.create_index(
        "uq_addresses_person_id_default",
        "addresses",
        ["person_id"],
        unique=True,
        sqlite_where=sa.text("is_default"),
        postgresql_where=sa.text("is_default"),
    )

    op.create_table(
        "area_exceptions",
        sa.Column("area_id", sa.String(36), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("opens", sa.Integer(), nullable=False),
        sa.Column("capacity", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(100), nullable=False),
        sa.CheckConstraint("capacity >= 0", name=op.f("ck_area_exceptions_capacity_not_negative")),
        sa.CheckConstraint("opens BETWEEN -1 AND 23", name=op.f("ck_area_exceptions_opens_known")),
        sa.ForeignKeyConstraint(
            ["area_id"], ["areas.id"], name=op.f("fk_area_exceptions_area_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("area_id", "day", "opens", name=op.f("pk_area_exceptions")),
    )
    op.create_table(
        "area_windows",
        sa.Column("area_id", sa.String(36), nullable=False),
        sa.Column("weekday", sa.Integer(), nullable=False),
        sa.Column("opens", sa.Integer(), nullable=False),
        sa.Column("closes", sa.Integer(), nullable=False),
        sa.Column("capacity", sa.Integer(), nullable=False),
        sa.CheckConstraint("capacity > 0", name=op.f("ck_area_windows_capacity_positive")),
        sa.CheckConstraint(
            "opens >= 0 AND opens < closes AND closes <= 24",
            name=op.f("ck_area_windows_hours_in_order"),
        ),
        sa.CheckConstraint("weekday BETWEEN 0 AND 6", name=op.f("ck_area_windows_weekday_known")),
        sa.ForeignKeyConstraint(
            ["area_id"], ["areas.id"], name=op.f("fk_area_windows_area_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("area_id", "weekday", "opens", name=op.f("pk_area_windows")),
    )
    op.create_table(
        "bookings",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("key", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=True),
        sa.Column("guest_email", sa.String(254), nullable=False),
        sa.Column("contact", sa.JSON(), nullable=False),
        sa.Column("terms_version", sa.String(20), nullable=False),
        sa.Column("area_id", sa.String(36), nullable=False),
        sa.Column("slot_id", sa.String(60), nullable=False),
        sa.Column("starts_at", _TIME, nullable=False),
        sa.Column("ends_at", _TIME, nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("vehicle_id", sa.String(36), nullable=True),
        sa.Column("vehicle", sa.JSON(), nullable=False),
        sa.Column("place", sa.JSON(), nullable=False),
        sa.Column("grade", sa.String(10), nullable=False),
        sa.Column("price_mills", sa.Integer(), nullable=False),
        sa.Column("estimated_milligallons", sa.Integer(), nullable=False),
        sa.Column("pays_by", sa.String(12), nullable=False),
        sa.Column("period", sa.Date(), nullable=True),
        sa.Column("fee_cents", sa.Integer(), nullable=False),
        sa.Column("tax_cents", sa.Integer(), nullable=False),
        sa.Column("free_cap_cents", sa.Integer(), nullable=True),
        sa.Column("late_fee_agreed_cents", sa.Integer(), nullable=False),
        sa.Column("late_fee_cents", sa.Integer(), nullable=False),
        sa.Column("ended_by", sa.String(10), nullable=False),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.Column("filled_milligallons", sa.Integer(), nullable=True),
        sa.Column("total_cents", sa.Integer(), nullable=True),
        sa.Column("completed_at", _TIME, nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.CheckConstraint(
            "(pays_by IN ('allowance', 'guest_fill')) = (period IS NOT NULL)",
            name=op.f("ck_bookings_period_of_allowance"),
        ),
        sa.CheckConstraint(
            "grade IN ('regular', 'plus', 'premium', 'diesel')",
            name=op.f("ck_bookings_grade_known"),
        ),
        sa.CheckConstraint(
            "pays_by IN ('allowance', 'fee', 'free_fill', 'guest_fill')",
            name=op.f("ck_bookings_pays_by_known"),
        ),
        sa.CheckConstraint(
            "state IN ('booked', 'dispatched', 'en_route', 'arrived', 'fueling', 'weather_hold', 'completed', 'cancelled', 'failed')",
            name=op.f("ck_bookings_state_known"),
        ),
        sa.CheckConstraint("starts_at < ends_at", name=op.f("ck_bookings_window_in_order")),
        sa.ForeignKeyConstraint(
            ["area_id"], ["areas.id"], name=op.f("fk_bookings_area_id"), ondelete="RESTRICT"
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_bookings_person_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bookings")),
        sa.UniqueConstraint("key", name=op.f("uq_bookings_key")),
    )
    op.create_index(
        "ix_bookings_area_id_starts_at", "bookings", ["area_id", "starts_at"], unique=False
    )
    op.create_index("ix_bookings_guest_email", "bookings", ["guest_email"], unique=False)
    op.create_index(
        "ix_bookings_person_id_starts_at", "bookings", ["person_id", "starts_at"], unique=False
    )
    op.create_index("ix_bookings_slot_id", "bookings", ["slot_id"], unique=False)

    op.create_table(
        "fuel_prices",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("area_id", sa.String(36), nullable=False),
        sa.Column("grade", sa.String(10), nullable=False),
        sa.Column("mills", sa.Integer(), nullable=False),
        sa.Column("effective_at", _TIME, nullable=False),
        sa.Column("source", sa.String(100), nullable=False),
        sa.Column("set_by", sa.String(100), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.CheckConstraint(
            "grade IN ('regular', 'plus', 'premium', 'diesel')",
            name=op.f("ck_fuel_prices_grade_known"),
        ),
        sa.CheckConstraint("mills > 0", name=op.f("ck_fuel_prices_mills_positive")),
        sa.ForeignKeyConstraint(
            ["area_id"], ["areas.id"], name=op.f("fk_fuel_prices_area_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fuel_prices")),
    )
    op.create_index(
        "ix_fuel_prices_area_id_grade_effective_at",
        "fuel_prices",
        ["area_id", "grade", "effective_at"],
        unique=False,
    )

    op.create_table(
        "ledger_balances",
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("period", sa.Date(), nullable=False),
        sa.Column("bucket", sa.String(10), nullable=False),
        sa.Column("balance", sa.Integer(), nullable=False),
        sa.CheckConstraint("balance >= 0", name=op.f("ck_ledger_balances_balance_not_negative")),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
            name=op.f("fk_ledger_balances_person_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("person_id", "period", "bucket", name=op.f("pk_ledger_balances")),
    )
    op.create_table(
        "ledger_entries",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("key", sa.String(120), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("period", sa.Date(), nullable=False),
        sa.Column("bucket", sa.String(10), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("fills", sa.Integer(), nullable=False),
        sa.Column("booking_id", sa.String(36), nullable=True),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.CheckConstraint(
            "bucket IN ('plan', 'guest')", name=op.f("ck_ledger_entries_bucket_known")
        ),
        sa.CheckConstraint(
            "kind IN ('granted', 'rolled', 'reserved', 'used', 'released', 'expired', 'adjusted')",
            name=op.f("ck_ledger_entries_kind_known"),
        ),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
            name=op.f("fk_ledger_entries_person_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ledger_entries")),
        sa.UniqueConstraint("key", name=op.f("uq_ledger_entries_key")),
    )
    op.create_index("ix_ledger_entries_booking_id", "ledger_entries", ["booking_id"], unique=False)
    op.create_index(
        "ix_ledger_entries_person_id_period_id",
        "ledger_entries",
        ["person_id", "period", "id"],
        unique=False,
    )

    op.create_table(
        "subscriptions",
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("plan_id", sa.String(20), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("started_at", _TIME, nullable=True),
        sa.Column("wording", sa.String(200), nullable=False),
        sa.Column("anchor", sa.Date(), nullable=True),
        sa.Column("period_starts", sa.Date(), nullable=True),
        sa.Column("period_ends", sa.Date(), nullable=True),
        sa.Column("cancel_at_period_end", sa.Boolean(), nullable=False),
        sa.Column("pending_plan_id", sa.String(20), nullable=True),
        sa.Column("created_at", _TIME, nullable=False),
        sa.CheckConstraint(
            "(state = 'incomplete') = (started_at IS NULL)",
            name=op.f("ck_subscriptions_started_unless_incomplete"),
        ),
        sa.CheckConstraint(
            "plan_id IN ('solo', 'family', 'big-family')", name=op.f("ck_subscriptions_plan_known")
        ),
        sa.CheckConstraint(
            "state IN ('incomplete', 'active', 'past_due', 'cancelled')",
            name=op.f("ck_subscriptions_state_known"),
        ),
        sa.CheckConstraint(
            "(started_at IS NULL) = (period_starts IS NULL) AND (period_starts IS NULL) = (period_ends IS NULL)",
            name=op.f("ck_subscriptions_period_when_started"),
        ),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
            name=op.f("fk_subscriptions_person_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_subscriptions")),
    )
    op.create_index(
        "ix_subscriptions_plan_id_person_id",
        "subscriptions",
        ["plan_id", "person_id"],
        unique=False,
    )
    op.create_index(
        "ix_subscriptions_state_period_ends",
        "subscriptions",
        ["state", "period_ends"],
        unique=False,
    )

    op.create_table(
        "vehicles",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("make", sa.String(40), nullable=False),
        sa.Column("model", sa.String(40), nullable=False),
        sa.Column("year", sa.String(4), nullable=False),
        sa.Column("color", sa.String(30), nullable=False),
        sa.Column("license_plate", sa.String(12), nullable=False),
        sa.Column("plate_state", sa.String(2), nullable=False),
        sa.Column("grade", sa.String(10), nullable=False),
        sa.Column("tank_tenths", sa.Integer(), nullable=False),
        sa.Column("fuel_door", sa.String(20), nullable=False),
        sa.Column("image", sa.Text(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.CheckConstraint(
            "fuel_door IN ('Unlocked', 'Button inside the car', 'Key', 'Unlocks with the doors')",
            name=op.f("ck_vehicles_fuel_door_known"),
        ),
        sa.CheckConstraint(
            "grade IN ('regular', 'plus', 'premium', 'diesel')",
            name=op.f("ck_vehicles_grade_known"),
        ),
        sa.CheckConstraint(
            "tank_tenths BETWEEN 10 AND 2000", name=op.f("ck_vehicles_tank_plausible")
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_vehicles_person_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vehicles")),
    )
    op.create_index("ix_vehicles_license_plate", "vehicles", ["license_plate"], unique=False)
    op.create_index("ix_vehicles_person_id_id", "vehicles", ["person_id", "id"], unique=False)

    op.create_table(
        "booking_events",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("booking_id", sa.String(36), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("state", sa.String(20), nullable=False),
        sa.Column("actor", sa.String(100), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("note", sa.String(500), nullable=False),
        sa.ForeignKeyConstraint(
            ["booking_id"],
            ["bookings.id"],
            name=op.f("fk_booking_events_booking_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_booking_events")),
    )
    op.create_index(
        "ix_booking_events_booking_id_number",
        "booking_events",
        ["booking_id", "number"],
        unique=False,
    )

    op.create_table(
        "free_fills",
        sa.Column("person_id", sa.String(36), nullable=False),
        sa.Column("license_plate", sa.String(12), nullable=False),
        sa.Column("phone", sa.String(10), nullable=False),
        sa.Column("booking_id", sa.String(36), nullable=False),
        sa.ForeignKeyConstraint(
            ["booking_id"],
            ["bookings.id"],
            name=op.f("fk_free_fills_booking_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"], ["people.id"], name=op.f("fk_free_fills_person_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("person_id", name=op.f("pk_free_fills")),
        sa.UniqueConstraint("booking_id", name=op.f("uq_free_fills_booking_id")),
        sa.UniqueConstraint("license_plate", name=op.f("uq_free_fills_license_plate")),
        sa.UniqueConstraint("phone", name=op.f("uq_free_fills_phone")),
    )
    op.create_table(
        "slot_places",
        sa.Column("slot_id", sa.String(60), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("hold_id", sa.String(36), nullable=True),
        sa.Column("held_until", _TIME, nullable=True),
        sa.Column("held_for", sa.String(64), nullable=False),
        sa.Column("booking_id", sa.String(36), nullable=True),
        sa.CheckConstraint(
            "(hold_id IS NULL) = (held_until IS NULL)", name=op.f("ck_slot_places_held_until_set")
        ),
        sa.CheckConstraint(
            "hold_id IS NULL OR booking_id IS NULL", name=op.f("ck_slot_places_held_or_booked")
        ),
        sa.CheckConstraint("place > 0", name=op.f("ck_slot_places_place_positive")),
        sa.ForeignKeyConstraint(
            ["booking_id"],
            ["bookings.id"],
            name=op.f("fk_slot_places_booking_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("slot_id", "place", name=op.f("pk_slot_places")),
        sa.UniqueConstraint("booking_id", name=op.f("uq_slot_places_booking_id")),
        sa.UniqueConstraint("hold_id", name=op.f("uq_slot_places_hold_id")),
    )
    op.create_index(
        op.f("ix_slot_places_held_for"),
        "slot_places",
        ["held_for"],
        sqlite_where=sa.text("hold_id IS NOT NULL"),
        postgresql_where=sa.text("hold_id IS NOT NULL"),
    )
    op.add_column(
        "areas",
        sa.Column(
            "grades", sa.String(60), nullable=False, server_default="regular,plus,premium,diesel"
        ),
    )
    op.add_column(
        "areas",
        sa.Column("streets_allowed", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.add_column(
        "areas",
        sa.Column("tax_basis_points", sa.Integer(), nullable=False, server_default="0"),
    )
    op.add_column(
        "sign_ups", sa.Column("comes_from", sa.JSON(), nullable=False, server_default="{}")
    )
    op.add_column(
        "waitlist_submissions",
        sa.Column("free_fill_whole", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.execute("UPDATE waitlist_submissions SET free_fill_whole = true")
    _move_plans()
    _add_default_windows()


def _move_plans() -> None:
    """Move each customer's chosen plan into a subscription that is not started."""
    op.execute(
        "INSERT INTO subscriptions (person_id, plan_id, state, wording, cancel_at_period_end,"
        " created_at) SELECT person_id, plan_id, plan_state, '', false, created_at FROM customers"
    )
    op.drop_index("ix_customers_plan_id_created_at_person_id", "customers")
    with op.batch_alter_table("customers") as customers:
        customers.drop_constraint(op.f("ck_customers_plan_known"), type_="check")
        customers.drop_constraint(op.f("ck_customers_plan_state_known"), type_="check")
        customers.add_column(sa.Column("submission_id", sa.String(36), nullable=True))
        customers.add_column(
            sa.Column("has_test_card", sa.Boolean(), nullable=False, server_default=sa.false())
        )
        customers.create_unique_constraint("uq_customers_submission_id", ["submission_id"])
        customers.create_foreign_key(
            "fk_customers_submission_id",
            "waitlist_submissions",
            ["submission_id"],
            ["id"],
            ondelete="SET NULL",
        )
        customers.drop_column("plan_id")
        customers.drop_column("plan_state")


def _add_default_windows() -> None:
    """Give the areas that exist the windows of a new one: Monday to Saturday."""
    for weekday in range(6):
        for opens in (8, 10, 14):
            op.execute(
                "INSERT INTO area_windows (area_id, weekday, opens, closes, capacity)"  # noqa: S608
                f" SELECT id, {weekday}, {opens}, {opens + 2}, 6 FROM areas"
            )


def downgrade() -> None:
    op.drop_column("waitlist_submissions", "free_fill_whole")
    op.drop_column("sign_ups", "comes_from")
    for column in ("tax_basis_points", "streets_allowed", "grades"):
        op.drop_column("areas", column)
    with op.batch_alter_table("customers") as customers:
        customers.drop_constraint("fk_customers_submission_id", type_="foreignkey")
        customers.drop_constraint("uq_customers_submission_id", type_="unique")
        customers.drop_column("has_test_card")
        customers.drop_column("submission_id")
        plan = {"nullable": False}
        customers.add_column(sa.Column("plan_id", sa.String(20), server_default="solo", **plan))
        customers.add_column(
            sa.Column("plan_state", sa.String(20), server_default="incomplete", **plan)
        )
        customers.create_check_constraint(
            op.f("ck_customers_plan_known"), "plan_id IN ('solo', 'family', 'big-family')"
        )
        customers.create_check_constraint(
            op.f("ck_customers_plan_state_known"), "plan_state IN ('incomplete')"
        )
    op.create_index(
        "ix_customers_plan_id_created_at_person_id",
        "customers",
        ["plan_id", "created_at", "person_id"],
    )
    op.execute(
        "UPDATE customers SET plan_id = (SELECT plan_id FROM subscriptions"
        " WHERE subscriptions.person_id = customers.person_id)"
    )
    for table in (
        *("slot_places", "free_fills", "booking_events", "bookings", "vehicles", "addresses"),
        *("subscriptions", "ledger_entries", "ledger_balances", "fuel_prices", "proposed_prices"),
        *("area_windows", "area_exceptions"),
    ):
        op.drop_table(table)
