"""Queries on customers' own accounts."""

from typing import Any

from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.tables import SignUp
from fuel_app.customers.tables import StoredCustomer

_person = col(StoredCustomer.person_id)


async def find(session: AsyncSession, person_id: str) -> StoredCustomer | None:
    """Return a person's customer account."""
    return await session.scalar(select(StoredCustomer).where(_person == person_id))


async def change(session: AsyncSession, person_id: str, **values: Any) -> None:
    """Change a person's customer account."""
    theirs = update(StoredCustomer).where(_person == person_id)
    await session.execute(theirs.values(**values))


async def applicant(session: AsyncSession, sign_up_id: str) -> SignUp | None:
    """Return a sign-up that is not verified yet."""
    return await session.scalar(select(SignUp).where(col(SignUp.id) == sign_up_id))
