"""The migration that makes leads searchable by ZIP code and without punctuation."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy.engine import Connection

from fuel_app.leads.rules import search_text, zip_in
from tests.conftest import alembic_config
from tests.kit.test_db_migrations import look

BEFORE = "0019_search_of_people"
AT = datetime(2026, 3, 8, tzinfo=UTC)
LOCATION = "12345 Main St, Sarasota, FL 34108-1234"


def _insert(connection: Connection, table: str, **values: object) -> None:
    metadata = sa.MetaData()
    metadata.reflect(connection, only=[table])
    connection.execute(sa.insert(metadata.tables[table]), {**values, "created_at": AT})


def _former_release(connection: Connection) -> None:
    """Store somebody who waits and a fleet, as the release before did."""
    lead = {"status": "Not Contacted", "lead_source": "Inbound"}
    named = {"email": "tim@example.com", "zip_code": "34236", "phone_number": ""}
    _insert(
        connection,
        "waitlist_submissions",
        id="a",
        first_name="Tim",
        last_name="O’Neil",  # noqa: RUF001
        **named,
        **lead,
    )
    quote = {"vehicle_count": 3, "fuel_types": [], "fill_frequency": "daily", "notes": ""}
    about = {"company_name": "Łódź Taxi", "contact_name": "Jan", "email": "jan@example.com"}
    where = {"phone": "(941) 555-0101", "service_location": LOCATION, "estimated_fuel_amount": 5}
    _insert(connection, "fleet_quotes", id="b", **quote, **about, **where, **lead)
    listed = {**lead, "shown_status": "pending", "name_key": "x", "revision": 0, "search": "old"}
    for own_id, kind, name, company, email, phone in (
        ("a", "waitlist", "Tim O’Neil", "", "tim@example.com", ""),  # noqa: RUF001
        ("b", "fleet", "Jan", "Łódź Taxi", "jan@example.com", "(941) 555-0101"),
    ):
        own = {"type": kind, "name": name, "company": company, "email": email, "phone": phone}
        _insert(connection, "leads", id=own_id, **own, **listed)


def _leads(connection: Connection) -> list[tuple[str, str]]:
    rows = connection.execute(sa.text("SELECT zip_code, search FROM leads ORDER BY id"))
    return [(row[0], row[1]) for row in rows]


def _found(connection: Connection) -> list[str]:
    match = "search LIKE '%oneil%'"
    if connection.dialect.name == "sqlite":
        match = "number IN (SELECT rowid FROM lead_search WHERE lead_search MATCH '\"oneil\"')"
    return list(connection.scalars(sa.text(f"SELECT id FROM leads WHERE {match}")))


@pytest.mark.parametrize(
    "engine_name", ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]
)
def test_stored_leads_are_found_as_new_ones_are(empty_database_url):
    config = alembic_config(empty_database_url)
    command.upgrade(config, BEFORE)
    look(empty_database_url, _former_release)
    command.upgrade(config, "head")
    assert zip_in(LOCATION) == "34108"
    assert look(empty_database_url, _leads) == [
        ("34236", search_text("Tim O’Neil", "", "tim@example.com", "", "34236")),  # noqa: RUF001
        ("34108", search_text("Jan", "Łódź Taxi", "jan@example.com", "(941) 555-0101", "34108")),
    ]
    assert look(empty_database_url, _found) == ["a"]
    command.downgrade(config, BEFORE)
    assert look(empty_database_url, _found) == ["a"]
