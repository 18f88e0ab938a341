"""The migration that notes tickets: fills that share one stay, and the office is asked."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from alembic import command
from sqlalchemy.engine import Connection

from tests.conftest import alembic_config
from tests.kit.test_db_migrations import look

BEFORE = "0012_booking_payments"
NOON = datetime(2026, 11, 20, 17, tzinfo=UTC)
_VALUES = {
    sa.Integer: 1,
    sa.Float: 1.0,
    sa.Boolean: True,
    sa.Date: date(2026, 11, 20),
    sa.DateTime: NOON,
    sa.JSON: {},
}


def _insert(connection: Connection, into: str, **given: Any) -> None:
    """Insert a row; columns that need a value and are not given get one of their type."""
    table = sa.Table(into, sa.MetaData(), autoload_with=connection)
    values = dict(given)
    for column in table.columns:
        if column.name not in values and not column.nullable and column.server_default is None:
            if column.autoincrement is True:
                continue
            kind = next((k for k in _VALUES if isinstance(column.type, k)), None)
            most = getattr(column.type, "length", None)
            values[column.name] = _VALUES[kind] if kind else column.name[:most]
    connection.execute(sa.insert(table).values(**values))


def _a_booking(connection: Connection, number: int, shift: str, ticket: str) -> None:
    starts = NOON + timedelta(minutes=number)
    _insert(
        connection,
        "bookings",
        id=f"booking-{number}",
        key=f"key-{number}",
        area_id="area",
        state="completed",
        pays_by="fee",
        grade="regular",
        starts_at=starts,
        ends_at=starts + timedelta(hours=2),
        completed_at=starts,
        ticket={"number": ticket, "meter_start": 0, "meter_end": 0},
    )
    _insert(
        connection,
        "route_stops",
        id=f"stop-{number}",
        shift_id=shift,
        place=number,
        booking_id=f"booking-{number}",
        slot_id="slot",
    )


def _company(connection: Connection) -> None:
    _insert(connection, "areas", id="area", status="open")
    for number in (1, 2):
        truck = f"truck-{number}"
        _insert(connection, "trucks", id=truck, name=truck, meter_number=f"M-{number}")
        _insert(
            connection,
            "shifts",
            id=f"shift-{number}",
            truck_id=truck,
            starts_at=NOON,
            ends_at=NOON + timedelta(hours=8),
        )
    fills = (("shift-1", "T-1"), ("shift-1", "t - 1"), ("shift-1", "T-2"), ("shift-2", "T-1"))
    for number, (shift, ticket) in enumerate((*fills, ("shift-2", "")), start=1):
        _a_booking(connection, number, shift, ticket)


def _found(connection: Connection) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    noted = sa.text("SELECT id, ticket_key FROM bookings ORDER BY id")
    asked = sa.text(
        "SELECT kind, q.booking_id, q.ticket_key, answer, q.at = completed_at AS same"
        " FROM fill_questions q JOIN bookings b ON b.id = q.booking_id"
    )
    return (
        [tuple(row) for row in connection.execute(noted)],
        [tuple(row) for row in connection.execute(asked)],
    )


def _tickets(connection: Connection) -> list[str]:
    """Return what the release before reads and may be changing meanwhile."""
    return [
        str(ticket)
        for (ticket,) in connection.execute(sa.text("SELECT ticket FROM bookings ORDER BY id"))
    ]


def _half_done(connection: Connection) -> None:
    connection.execute(sa.text("UPDATE bookings SET ticket_key = '' WHERE id = 'booking-2'"))
    connection.execute(sa.text("DELETE FROM fill_questions"))


def test_fills_with_one_ticket_of_a_meter_stay_and_are_asked_about(empty_database_url):
    config = alembic_config(empty_database_url)
    command.upgrade(config, BEFORE)
    look(empty_database_url, _company)
    before = look(empty_database_url, _tickets)
    command.upgrade(config, "0014_ticket_keys")
    noted, asked = look(empty_database_url, _found)
    assert noted == [
        ("booking-1", "M-1:T-1"),
        ("booking-2", "M-1:T-1"),
        ("booking-3", "M-1:T-2"),
        ("booking-4", "M-2:T-1"),
        ("booking-5", ""),
    ]
    assert asked == [("ticket", "booking-2", "M-1:T-1", "", True)]
    assert look(empty_database_url, _tickets) == before
    look(empty_database_url, _half_done)  # as after a run that was killed between two parts
    command.stamp(config, "0013_fill_questions")
    command.upgrade(config, "0014_ticket_keys")
    assert look(empty_database_url, _found) == (noted, asked)
    command.downgrade(config, BEFORE)
