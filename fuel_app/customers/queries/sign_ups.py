"""Queries on customers that have just signed up."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.customers.tables import StoredCustomer


async def add(session: AsyncSession, person_id: str, *, zip_code: str) -> StoredCustomer:
    """Store the customer account of a new person."""
    row = StoredCustomer(person_id=person_id, zip_code=zip_code)
    session.add(row)
    await session.flush()
    return row
