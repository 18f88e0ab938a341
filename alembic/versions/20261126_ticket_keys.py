"""Note the ticket of each stored fill; ask about those that share one.

A migration of its own: the tables' locks are released before the rows are read. On PostgreSQL each
part is committed by itself, and a second run goes on with what is left. It takes no column of a fill
that the release before may be changing, and one that is recorded meanwhile is not compared.
"""

import uuid
from collections import defaultdict

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql, sqlite

revision = "0014_ticket_keys"
down_revision = "0013_fill_questions"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_PART = 1000


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _note_tickets(op.get_bind())
    else:
        with op.get_context().autocommit_block():
            _note_tickets(op.get_bind())


def _note_tickets(connection: sa.Connection) -> None:
    """Note the meter and ticket of each fill that a route has; ask about each repetition."""
    columns = ("id", "ticket_key", "completed_at")
    bookings = sa.table("bookings", *map(sa.column, columns), sa.column("ticket", sa.JSON))
    stops = sa.table("route_stops", sa.column("booking_id"), sa.column("shift_id"))
    shifts = sa.table("shifts", *map(sa.column, ("id", "truck_id", "technician_id")))
    trucks = sa.table("trucks", sa.column("id"), sa.column("meter_number"))
    found = (
        sa.select(
            bookings.c.id,
            bookings.c.ticket,
            sa.type_coerce(bookings.c.completed_at, _TIME),
            trucks.c.meter_number,
            shifts.c.technician_id,
        )
        .join(stops, stops.c.booking_id == bookings.c.id)
        .join(shifts, shifts.c.id == stops.c.shift_id)
        .join(trucks, trucks.c.id == shifts.c.truck_id)
        .where(bookings.c.completed_at.is_not(None))
        .order_by(bookings.c.completed_at, bookings.c.id)
    )
    keys, fills = [], defaultdict(list)
    for booking_id, ticket, at, meter, technician_id in connection.execute(found):
        number = "".join(ticket.get("number", "").split()).upper()
        if meter and number:
            key = f"{meter}:{number}"
            keys.append({"of_id": booking_id, "key": key})
            fills[key].append({"booking_id": booking_id, "person_id": technician_id, "at": at})
    noted = (
        sa.update(bookings)
        .where(bookings.c.id == sa.bindparam("of_id"), bookings.c.ticket_key == "")
        .values(ticket_key=sa.bindparam("key"))
    )
    repeated = [
        fill
        | {"id": str(uuid.uuid5(uuid.NAMESPACE_OID, f"ticket:{fill['booking_id']}"))}
        | {"kind": "ticket", "ticket": {}, "ticket_key": key}
        | dict.fromkeys(("why", "answer", "answered_by", "reason"), "")
        for key, same in fills.items()
        for fill in same[1:]
    ]
    questions = sa.table(
        "fill_questions",
        *map(sa.column, ("id", "kind", "booking_id", "person_id", "ticket_key")),
        *map(sa.column, ("why", "answer", "answered_by", "reason")),
        sa.column("at", _TIME),
        sa.column("ticket", sa.JSON),
    )
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    asked = insert(questions).on_conflict_do_nothing()  # by its id
    for statement, rows in ((noted, keys), (asked, repeated)):
        for first in range(0, len(rows), _PART):
            connection.execute(statement, rows[first : first + _PART])


def downgrade() -> None:
    """Leave the notes: the columns go with the migration before."""
