"""The migration that gives each car a fill: one for each stored booking, with the booking's id."""

from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy.engine import Connection

from tests.conftest import alembic_config
from tests.dispatch.test_migration_tickets import NOON, _insert
from tests.kit.test_db_migrations import look

BEFORE, AFTER = "0024_loaded_gallons", "0026_fills"
ENDS = {"completed": "filled", "failed": "not_filled", "cancelled": "", "booked": ""}
CAR = {"make": "Toyota", "license_plate": "GUL 1"}


def _former_release(connection: Connection) -> None:
    """Store a booking of each kind, a question about one, and what it took of a plan."""
    _insert(connection, "people", id="ada", phone="", email="ada@example.com")
    _insert(connection, "areas", id="area", name="Sarasota", status="open")
    for state in ENDS:
        _insert(
            connection,
            "bookings",
            id=state,
            key=state,
            area_id="area",
            person_id="ada",
            vehicle_id="car",
            vehicle=CAR,
            place={"street": "1 Main St"},
            grade="plus",
            price_mills=3459,
            estimated_milligallons=9600,
            pays_by="allowance",
            period=NOON.date(),
            fee_cents=0,
            tax_cents=0,
            state=state,
            reason="No car was there" if state == "failed" else "",
            starts_at=NOON,
            ends_at=NOON + timedelta(hours=2),
            filled_milligallons=12_345 if state == "completed" else None,
            total_cents=4270 if state == "completed" else None,
            ticket={"number": "T-1"} if state == "completed" else {},
            ticket_key="M-1:T-1" if state == "completed" else "",
        )
    _insert(connection, "fill_questions", id="asked", kind="ticket", booking_id="completed")
    _insert(
        connection,
        "ledger_entries",
        id="entry",
        key="reserve:booked:1",
        person_id="ada",
        period=NOON.date(),
        bucket="plan",
        kind="reserved",
        fills=-1,
        booking_id="booked",
    )


def _rows(connection: Connection, statement: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in connection.execute(sa.text(statement))]


def _fills(connection: Connection) -> list[tuple[Any, ...]]:
    return _rows(
        connection,
        "SELECT id, booking_id, position, outcome, reason, filled_milligallons, total_cents,"
        " ticket_key, grade, pays_by, vehicle_id FROM fills ORDER BY id",
    )


def _belongings(connection: Connection) -> list[tuple[Any, ...]]:
    asked = _rows(connection, "SELECT fill_id FROM fill_questions")
    return asked + _rows(connection, "SELECT fill_id FROM ledger_entries")


def _former(connection: Connection) -> list[tuple[Any, ...]]:
    return _rows(
        connection,
        "SELECT id, filled_milligallons, total_cents, ticket_key, grade, pays_by, vehicle_id"
        " FROM bookings ORDER BY id",
    )


@pytest.mark.parametrize(
    "engine_name", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
)
def test_each_booking_gets_one_fill_and_gives_it_back(empty_database_url):
    config = alembic_config(empty_database_url)
    command.upgrade(config, BEFORE)
    look(empty_database_url, _former_release)
    before = look(empty_database_url, _former)
    command.upgrade(config, AFTER)
    assert look(empty_database_url, _fills) == [
        (
            state,
            state,
            1,
            ENDS[state],
            "No car was there" if state == "failed" else "",
            *((12_345, 4270, "M-1:T-1") if state == "completed" else (None, None, "")),
            "plus",
            "allowance",
            "car",
        )
        for state in sorted(ENDS)
    ]
    assert look(empty_database_url, _belongings) == [("completed",), ("booked",)]
    command.downgrade(config, BEFORE)
    assert look(empty_database_url, _former) == before
