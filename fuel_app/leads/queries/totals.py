"""How many leads there are: read, not counted (see `models/totals.py`)."""

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.leads.tables import LeadTotal


async def count(session: AsyncSession, lead_type: str = "") -> int:
    """
    Args:
        lead_type: Empty for every type.
    """
    found = select(func.sum(col(LeadTotal.leads)))
    if lead_type:
        found = found.where(col(LeadTotal.type) == lead_type)
    return int(await session.scalar(found) or 0)
