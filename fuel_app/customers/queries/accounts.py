"""Queries on customers' own accounts."""

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.customers.tables import CustomerNote, StoredCustomer

_person = col(StoredCustomer.person_id)


async def find(session: AsyncSession, person_id: str) -> StoredCustomer | None:
    """Return a person's customer account."""
    return await session.scalar(select(StoredCustomer).where(_person == person_id))


async def notes(session: AsyncSession, person_id: str) -> list[CustomerNote]:
    """Return the staff's notes about a customer, the oldest first."""
    theirs = select(CustomerNote).where(col(CustomerNote.person_id) == person_id)
    return list(await session.scalars(theirs.order_by(col(CustomerNote.id))))


async def empty(session: AsyncSession, person_id: str) -> None:
    """Remove the personal data of a customer: the address, and what the staff noted."""
    theirs = update(StoredCustomer).where(_person == person_id)
    await session.execute(theirs.values(address="", city="", state="", zip_code=""))
    await session.execute(delete(CustomerNote).where(col(CustomerNote.person_id) == person_id))
