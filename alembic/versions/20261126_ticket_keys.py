"""Note the meter and ticket of each stored fill; ask about those that share one.

A migration of its own: the tables' locks are released before the rows are read.
"""

import uuid
from collections import defaultdict
from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0014_ticket_keys"
down_revision = "0013_fill_questions"
branch_labels = None
depends_on = None

_TIME = sa.DateTime(timezone=True)
_CHUNK = 1000


def upgrade() -> None:
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
    """Leave the notes: the columns go with the migration before."""
