"""Queries on quote requests."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.leads import queries as lead_rows
from fuel_app.leads.rules import LeadType, zip_in
from fuel_app.quotes import tables
from fuel_app.quotes.rules import BusinessQuote, FleetQuote


async def add(session: AsyncSession, quote: FleetQuote | BusinessQuote) -> str:
    """Store a request and return its id."""
    is_fleet = isinstance(quote, FleetQuote)
    row = (tables.FleetQuote if is_fleet else tables.BusinessQuote)(**quote.model_dump())
    session.add(row)
    await session.flush()
    await lead_rows.add(session, listed("fleet" if is_fleet else "business", dict(row)))
    return row.id


def listed(lead_type: LeadType, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request's row in the staff's list."""
    name, company = own["contact_name"], own["company_name"]
    zip_code = zip_in(own["service_location"])
    return lead_rows.row(
        lead_type, own, name=name, phone=own["phone"], company=company, zip_code=zip_code
    )
