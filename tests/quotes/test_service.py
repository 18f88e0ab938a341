"""A fleet or a business asks for a quote."""

from datetime import UTC, datetime
from typing import TypeVar

import pytest
import sqlalchemy as sa

from fuel_app.accounts.rules import Role
from fuel_app.kit import clock
from fuel_app.kit.db import session
from fuel_app.kit.errors import TooManyRequests
from fuel_app.messages.rules.content import content_of
from fuel_app.quotes import service as quotes
from fuel_app.quotes.tables import BusinessQuote, FleetQuote
from tests.factories import business_quote, fleet_quote
from tests.helpers.people import a_person, messages

Row = TypeVar("Row", FleetQuote, BusinessQuote)

HERE = "203.0.113.1"
ELSEWHERE = "203.0.113.2"


async def stored(table: type[Row], quote_id: str) -> Row:
    async with session.reading() as looking:
        return await looking.get_one(table, quote_id)


async def test_a_fleet_quote_is_stored_for_the_staff(database):
    asked = fleet_quote(fuel_types=["gasoline", "diesel"], notes="Gate 12\nBack lot")
    row = await stored(FleetQuote, await quotes.request(asked, address=HERE))
    assert (row.status, row.lead_source) == ("Not Contacted", "Inbound")
    assert (row.vehicle_count, row.fuel_types) == (3, ["gasoline", "diesel"])
    assert (row.fill_frequency, row.estimated_fuel_amount) == ("weekly", 40.5)
    assert (row.phone, row.notes) == ("9415550123", "Gate 12\nBack lot")


async def test_a_business_quote_is_stored_for_the_staff(database):
    row = await stored(BusinessQuote, await quotes.request(business_quote(), address=HERE))
    assert (row.company_name, row.contact_name) == ("Analytical Engines", "Ada Lovelace")
    assert (row.employee_count, row.industry, row.notes) == (12, "Construction", "")


async def test_each_admin_is_mailed_once_and_not_at_night(database, monkeypatch):
    night = datetime(2026, 11, 24, 3, tzinfo=UTC)  # Monday, 10 PM
    monkeypatch.setattr(clock, "now", lambda: night)
    ada = await a_person(Role.ADMIN)
    await a_person(Role.DISPATCHER, email="dora@example.com")
    await a_person(Role.ADMIN, email="gone@example.com", deactivated_at=night)
    quote_id = await quotes.request(fleet_quote(), address=HERE)
    (mail,) = await messages("new_quote")
    assert (mail.person_id, mail.key) == (ada.id, f"new_quote:{quote_id}:{ada.id}:mail")
    assert mail.send_at == datetime(2026, 11, 24, 13, tzinfo=UTC)
    content = content_of(mail.kind, mail.payload)
    assert content.lead == "Analytical Engines asks for a fleet quote: 3 vehicles, weekly."
    assert content.facts[0] == ("Answer due by", "Nov 24, 2026, 5:00 PM")
    assert content.button
    assert content.button.path == f"/submissions?lead={quote_id}"


async def test_business_quote_says_its_employees(sqlite_database):
    await a_person(Role.ADMIN)
    await quotes.request(business_quote(), address=HERE)
    (mail,) = await messages("new_quote")
    assert mail.payload["size"] == "12 employees, Construction"


async def test_ten_requests_an_hour_are_enough_for_one_address(sqlite_database):
    for _ in range(5):
        await quotes.request(fleet_quote(), address=HERE)
        await quotes.request(business_quote(), address=HERE)
    with pytest.raises(TooManyRequests, match="Try again in 60 minutes"):
        await quotes.request(fleet_quote(), address=HERE)
    await quotes.request(fleet_quote(), address=ELSEWHERE)
    async with session.reading() as looking:
        assert await looking.scalar(sa.select(sa.func.count()).select_from(FleetQuote)) == 6
