"""Create questions about fills; note each fill's ticket, and ask about those that share one."""

import uuid
from collections import defaultdict
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0013_fill_questions"
down_revision = "0012_booking_payments"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_OPEN, _CHECKED = sa.text("answer = ''"), sa.text("gallons_asked_at IS NOT NULL")
_TICKET = sa.text("ticket_key <> ''")
_CHUNK = 1000


def upgrade() -> None:
    with op.batch_alter_table("bookings") as batch_op:
        batch_op.add_column(
            sa.Column("ticket_key", sa.String(80), nullable=False, server_default="")
        )
        batch_op.add_column(sa.Column("gallons_asked_at", _TIME, nullable=True))
    op.create_index(
        "ix_bookings_person_id_checked",
        "bookings",
        ["person_id"],
        sqlite_where=_CHECKED,
        postgresql_where=_CHECKED,
    )
    op.create_index(
        "ix_bookings_ticket_key",
        "bookings",
        ["ticket_key"],
        sqlite_where=_TICKET,
        postgresql_where=_TICKET,
    )
    with op.batch_alter_table("fill_photos") as batch_op:
        batch_op.add_column(
            sa.Column("is_beside", sa.Boolean(), nullable=False, server_default=sa.false())
        )
    op.create_table(
        "fill_questions",
        sa.Column(
            "number",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            autoincrement=True,
            nullable=False,
        ),
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("booking_id", sa.String(36), nullable=False),
        sa.Column("person_id", sa.String(36), nullable=True),
        sa.Column("milligallons", sa.Integer(), nullable=True),
        sa.Column("ticket", sa.JSON(), nullable=False),
        sa.Column("ticket_key", sa.String(80), nullable=False),
        sa.Column("why", sa.String(200), nullable=False),
        sa.Column("at", _TIME, nullable=False),
        sa.Column("asked_at", _TIME, nullable=False),
        sa.Column("answer", sa.String(10), nullable=False),
        sa.Column("answered_by", sa.String(100), nullable=False),
        sa.Column("answered_at", _TIME, nullable=True),
        sa.Column("reason", sa.String(200), nullable=False),
        sa.CheckConstraint(
            "kind IN ('kept', 'gallons', 'ticket')", name=op.f("ck_fill_questions_kind_known")
        ),
        sa.ForeignKeyConstraint(
            ["booking_id"],
            ["bookings.id"],
            name=op.f("fk_fill_questions_booking_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["person_id"],
            ["people.id"],
            name=op.f("fk_fill_questions_person_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_fill_questions")),
        sa.UniqueConstraint("id", name=op.f("uq_fill_questions_id")),
    )
    op.create_index("ix_fill_questions_booking_id", "fill_questions", ["booking_id"])
    op.create_index(
        "ix_fill_questions_open",
        "fill_questions",
        ["number"],
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )
    op.create_index(
        "ix_fill_questions_ticket_key",
        "fill_questions",
        ["ticket_key"],
        sqlite_where=_TICKET,
        postgresql_where=_TICKET,
    )
    _note_tickets(op.get_bind())


def _note_tickets(connection: sa.Connection) -> None:
    """Note the meter and ticket of each fill that a route has; ask about each repetition."""
    columns = ("id", "ticket_key", "completed_at")
    bookings = sa.table("bookings", *map(sa.column, columns), sa.column("ticket", sa.JSON))
    stops = sa.table("route_stops", sa.column("booking_id"), sa.column("shift_id"))
    shifts = sa.table("shifts", *map(sa.column, ("id", "truck_id", "technician_id")))
    trucks = sa.table("trucks", sa.column("id"), sa.column("meter_number"))
    found = (
        sa.select(bookings.c.id, bookings.c.ticket, trucks.c.meter_number, shifts.c.technician_id)
        .join(stops, stops.c.booking_id == bookings.c.id)
        .join(shifts, shifts.c.id == stops.c.shift_id)
        .join(trucks, trucks.c.id == shifts.c.truck_id)
        .where(bookings.c.completed_at.is_not(None))
        .order_by(bookings.c.completed_at, bookings.c.id)
    )
    changes, fills = [], defaultdict(list)
    for booking_id, ticket, meter, technician_id in connection.execute(found):
        number = "".join(ticket.get("number", "").split()).upper()
        if meter and number:
            key = f"{meter}:{number}"
            values = {"of_id": booking_id, "key": key, "with_meter": ticket | {"meter": meter}}
            changes.append(values)
            fills[key].append((booking_id, technician_id))
    changed = (
        sa.update(bookings)
        .where(bookings.c.id == sa.bindparam("of_id"))
        .values(ticket_key=sa.bindparam("key"), ticket=sa.bindparam("with_meter", type_=sa.JSON))
    )
    now = datetime.now(UTC)
    repeated = [
        {
            "id": str(uuid.uuid4()),
            "kind": "ticket",
            "booking_id": booking_id,
            "person_id": technician_id,
            "ticket": {},
            "ticket_key": key,
            "at": now,
            "asked_at": now,
        }
        | dict.fromkeys(("why", "answer", "answered_by", "reason"), "")
        for key, same in fills.items()
        for booking_id, technician_id in same[1:]
    ]
    questions = sa.table(
        "fill_questions",
        *map(sa.column, ("id", "kind", "booking_id", "person_id", "ticket_key")),
        *map(sa.column, ("why", "answer", "answered_by", "reason")),
        *(sa.column(name, _TIME) for name in ("at", "asked_at")),
        sa.column("ticket", sa.JSON),
    )
    for statement, rows in ((changed, changes), (sa.insert(questions), repeated)):
        for first in range(0, len(rows), _CHUNK):
            connection.execute(statement, rows[first : first + _CHUNK])


def downgrade() -> None:
    op.drop_table("fill_questions")
    with op.batch_alter_table("fill_photos") as batch_op:
        batch_op.drop_column("is_beside")
    op.drop_index("ix_bookings_ticket_key", table_name="bookings")
    op.drop_index("ix_bookings_person_id_checked", table_name="bookings")
    with op.batch_alter_table("bookings") as batch_op:
        batch_op.drop_column("gallons_asked_at")
        batch_op.drop_column("ticket_key")
