"""Queries on quote requests."""

from dataclasses import asdict

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.db import models
from fuel_app.domain.quotes import BusinessQuote, FleetQuote


async def add(session: AsyncSession, quote: FleetQuote | BusinessQuote) -> str:
    """Store a request and return its id."""
    table = models.FleetQuote if isinstance(quote, FleetQuote) else models.BusinessQuote
    row = table(**asdict(quote))
    session.add(row)
    await session.flush()
    return row.id
