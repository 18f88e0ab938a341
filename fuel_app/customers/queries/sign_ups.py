"""Queries on customers that have just signed up."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.customers.tables import StoredCustomer


async def add(session: AsyncSession, person_id: str, *, zip_code: str) -> None:
    """Store the customer account of a new person."""
    session.add(StoredCustomer(person_id=person_id, zip_code=zip_code))
    await session.flush()
