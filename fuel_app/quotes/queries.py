"""Queries on quote requests."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.leads import queries as lead_rows
from fuel_app.quotes import tables
from fuel_app.quotes.rules import BusinessQuote, FleetQuote


async def add(session: AsyncSession, quote: FleetQuote | BusinessQuote) -> str:
    """Store a request and return its id."""
    table = tables.FleetQuote if isinstance(quote, FleetQuote) else tables.BusinessQuote
    row = table(**quote.model_dump())
    session.add(row)
    await session.flush()
    await lead_rows.add(session, listed(row))
    return row.id


def listed(row: tables.FleetQuote | tables.BusinessQuote) -> dict[str, Any]:
    """Return the request's row in the staff's list."""
    return lead_rows.row(
        "fleet" if isinstance(row, tables.FleetQuote) else "business",
        id=row.id,
        status=row.status,
        lead_source=row.lead_source,
        created_at=row.created_at,
        name=row.contact_name,
        company=row.company_name,
        email=row.email,
        phone=row.phone,
    )
