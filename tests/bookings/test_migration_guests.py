"""The migration by which staff find guests: those who have booked before are found, too."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy.engine import Connection

from tests.conftest import alembic_config
from tests.dispatch.test_migration_tickets import NOON, _insert
from tests.kit.test_db_migrations import look

BEFORE = "0021_search_of_leads"
ZOE = {
    "first_name": "Zoë",
    "last_name": "O'Neil",
    "email": "zoe@example.com",
    "phone": "9415550177",
}
CAR = {"license_plate": "gul-123"}
PLACE = {"street": "1 Main St.", "zip_code": "34236"}


def _former_release(connection: Connection) -> None:
    """Store a guest's booking, one that is a customer's by now, and a customer's own."""
    _insert(connection, "people", id="ada", phone="", email="ada@example.com")
    _insert(connection, "areas", id="area", name="Sarasota", status="open")
    for key, email, person_id in (
        ("g", "zoe@example.com", None),
        ("a", "ada@example.com", "ada"),
        ("c", "", "ada"),
    ):
        _insert(
            connection,
            "bookings",
            id=key,
            key=key,
            area_id="area",
            person_id=person_id,
            guest_email=email,
            contact=ZOE if email else {},
            vehicle=CAR,
            place=PLACE,
            grade="regular",
            pays_by="fee",
            state="booked",
            starts_at=NOON,
            ends_at=NOON + timedelta(hours=2),
            period=None,
        )


def _found(connection: Connection) -> dict[str, str]:
    rows = connection.execute(sa.text("SELECT id, guest_search FROM bookings"))
    return {row[0]: row[1] for row in rows}


@pytest.mark.parametrize(
    "engine_name", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
)
def test_guests_of_the_former_release_are_found(empty_database_url):
    config = alembic_config(empty_database_url)
    command.upgrade(config, BEFORE)
    look(empty_database_url, _former_release)
    command.upgrade(config, "0020_search_of_guests")
    zoe = "zoe oneil zoe example com 9415550177 gul123 1 main st 34236"
    assert look(empty_database_url, _found) == {"g": zoe, "a": "", "c": ""}
    command.downgrade(config, BEFORE)
