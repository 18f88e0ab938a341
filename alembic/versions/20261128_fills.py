"""Give each car of a booking a fill of its own, which has the booking's id where it had one car."""

import sqlalchemy as sa
from alembic import op

from fuel_app.kit.db.tables import UtcTime

revision = "0026_fills"
down_revision = "0024_loaded_gallons"
branch_labels = None
depends_on = None

_TIME = UtcTime()
_COLUMNS = (  # of bookings, which their fills have from now on
    "vehicle_id",
    "vehicle",
    "grade",
    "price_mills",
    "estimated_milligallons",
    "pays_by",
    "period",
    "fee_cents",
    "tax_cents",
    "free_cap_cents",
    "free_fill_used",
    "fee_asked_at",
    "filled_milligallons",
    "ticket",
    "ticket_key",
    "gallons_asked_at",
    "total_cents",
)
_FILLED, _CHECKED = sa.text("outcome = 'filled'"), sa.text("gallons_asked_at IS NOT NULL")
_TICKET = sa.text("ticket_key <> ''")
_GRADES = "grade IN ('regular', 'plus', 'premium', 'diesel')"
_PAYS_BY = "pays_by IN ('allowance', 'fee', 'free_fill', 'guest_fill')"
_OF_ALLOWANCE = "(pays_by IN ('allowance', 'guest_fill')) = (period IS NOT NULL)"


def _of_fill() -> list[sa.Column]:
    return [
        sa.Column("vehicle_id", sa.String(36), nullable=True),
        sa.Column("vehicle", sa.JSON(), nullable=False),
        sa.Column("grade", sa.String(10), nullable=False),
        sa.Column("price_mills", sa.Integer(), nullable=False),
        sa.Column("estimated_milligallons", sa.Integer(), nullable=False),
        sa.Column("pays_by", sa.String(12), nullable=False),
        sa.Column("period", sa.Date(), nullable=True),
        sa.Column("fee_cents", sa.Integer(), nullable=False),
        sa.Column("tax_cents", sa.Integer(), nullable=False),
        sa.Column("free_cap_cents", sa.Integer(), nullable=True),
        sa.Column("free_fill_used", sa.String(20), nullable=False),
        sa.Column("fee_asked_at", _TIME, nullable=True),
        sa.Column("filled_milligallons", sa.Integer(), nullable=True),
        sa.Column("ticket", sa.JSON(), nullable=False),
        sa.Column("ticket_key", sa.String(131), nullable=False),
        sa.Column("gallons_asked_at", _TIME, nullable=True),
        sa.Column("total_cents", sa.Integer(), nullable=True),
    ]


def upgrade() -> None:
    op.create_table(
        "fills",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("booking_id", sa.String(36), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        *_of_fill(),
        sa.Column("outcome", sa.String(10), nullable=False),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.CheckConstraint("position > 0", name=op.f("ck_fills_position_positive")),
        sa.CheckConstraint(
            "outcome IN ('', 'filled', 'not_filled')", name=op.f("ck_fills_outcome_known")
        ),
        sa.CheckConstraint(_PAYS_BY, name=op.f("ck_fills_pays_by_known")),
        sa.CheckConstraint(_GRADES, name=op.f("ck_fills_grade_known")),
        sa.CheckConstraint(_OF_ALLOWANCE, name=op.f("ck_fills_period_of_allowance")),
        sa.ForeignKeyConstraint(
            ["booking_id"], ["bookings.id"], name=op.f("fk_fills_booking_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fills")),
        sa.UniqueConstraint("booking_id", "position", name=op.f("uq_fills_booking_id_position")),
    )
    bookings = sa.table("bookings", *map(sa.column, ("id", "state", "reason", *_COLUMNS)))
    fills = sa.table("fills", *map(sa.column, _filled_columns()))
    outcome = sa.case(
        (bookings.c.state == "completed", "filled"),
        (bookings.c.state == "failed", "not_filled"),
        else_="",
    )
    reason = sa.case((bookings.c.state == "failed", bookings.c.reason), else_="")
    same = [bookings.c[each] for each in _COLUMNS]
    rows = sa.select(bookings.c.id, bookings.c.id, sa.literal(1), outcome, reason, *same)
    op.execute(sa.insert(fills).from_select([*_filled_columns()], rows))
    for name, columns, having in (
        ("ix_fills_vehicle_id_filled", ["vehicle_id"], _FILLED),
        ("ix_fills_booking_id_checked", ["booking_id"], _CHECKED),
        ("ix_fills_ticket_key", ["ticket_key"], _TICKET),
    ):
        op.create_index(name, "fills", columns, sqlite_where=having, postgresql_where=having)
    op.drop_index("ix_bookings_person_id_checked", table_name="bookings")
    op.drop_index("ix_bookings_ticket_key", table_name="bookings")
    with op.batch_alter_table("bookings") as batch:
        for each in ("pays_by_known", "grade_known", "period_of_allowance"):
            batch.drop_constraint(op.f(f"ck_bookings_{each}"), type_="check")
        for each in _COLUMNS:
            batch.drop_column(each)
    with op.batch_alter_table("fill_questions") as batch:
        batch.add_column(sa.Column("fill_id", sa.String(36), nullable=True))
        batch.create_foreign_key(
            op.f("fk_fill_questions_fill_id"), "fills", ["fill_id"], ["id"], ondelete="CASCADE"
        )
    op.execute("UPDATE fill_questions SET fill_id = booking_id")
    op.add_column("ledger_entries", sa.Column("fill_id", sa.String(36), nullable=True))
    op.execute("UPDATE ledger_entries SET fill_id = booking_id")
    op.drop_index("ix_ledger_entries_booking_id", table_name="ledger_entries")
    op.create_index("ix_ledger_entries_fill_id", "ledger_entries", ["fill_id"])


def _filled_columns() -> tuple[str, ...]:
    return ("id", "booking_id", "position", "outcome", "reason", *_COLUMNS)


def downgrade() -> None:
    """Give each booking its first fill back; what other cars took is lost."""
    op.drop_index("ix_ledger_entries_fill_id", table_name="ledger_entries")
    op.create_index("ix_ledger_entries_booking_id", "ledger_entries", ["booking_id"])
    op.drop_column("ledger_entries", "fill_id")
    with op.batch_alter_table("fill_questions") as batch:
        batch.drop_constraint(op.f("fk_fill_questions_fill_id"), type_="foreignkey")
        batch.drop_column("fill_id")
    with op.batch_alter_table("bookings") as batch:
        for column in _of_fill():
            column.nullable = True
            batch.add_column(column)
    fills = sa.table("fills", *map(sa.column, _filled_columns()))
    bookings = sa.table("bookings", *map(sa.column, ("id", *_COLUMNS)))
    first = sa.and_(fills.c.booking_id == bookings.c.id, fills.c.position == 1)
    op.execute(
        sa.update(bookings).values(
            {each: sa.select(fills.c[each]).where(first).scalar_subquery() for each in _COLUMNS}
        )
    )
    with op.batch_alter_table("bookings") as batch:
        for column in _of_fill():
            if not column.nullable:
                batch.alter_column(column.name, existing_type=column.type, nullable=False)
        batch.create_check_constraint(op.f("ck_bookings_pays_by_known"), _PAYS_BY)
        batch.create_check_constraint(op.f("ck_bookings_grade_known"), _GRADES)
        batch.create_check_constraint(op.f("ck_bookings_period_of_allowance"), _OF_ALLOWANCE)
    for name, columns, having in (
        ("ix_bookings_person_id_checked", ["person_id"], _CHECKED),
        ("ix_bookings_ticket_key", ["ticket_key"], _TICKET),
    ):
        op.create_index(name, "bookings", columns, sqlite_where=having, postgresql_where=having)
    op.drop_table("fills")
