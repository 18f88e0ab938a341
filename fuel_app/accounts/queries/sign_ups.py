"""Queries on pending sign-ups."""

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.tables import Person, SignUp
from fuel_app.kit.db.session import insert_new

_id, _accepted = col(SignUp.id), col(SignUp.terms_accepted_at)


async def by_id(session: AsyncSession, sign_up_id: str, *, lock: bool = False) -> SignUp | None:
    """Return a sign-up. Lock it before changing its codes or sessions."""
    found = select(SignUp).where(_id == sign_up_id)
    return await session.scalar(found.with_for_update() if lock else found)


async def replace(session: AsyncSession, row: SignUp, former_id: str) -> None:
    """Store a sign-up in place of one that was not completed."""
    await session.execute(delete(SignUp).where(_id == former_id, _accepted.is_(None)))
    session.add(row)
    await session.flush()


async def add_person(session: AsyncSession, person: Person) -> bool:
    """Store a new person. Return False if another person has the e-mail."""
    added = insert_new(session, Person).values(**person.model_dump())
    return await session.scalar(added.returning(Person.id)) is not None


async def remove(session: AsyncSession, sign_up_id: str) -> None:
    """Delete a sign-up with its sessions and codes."""
    await session.execute(delete(SignUp).where(_id == sign_up_id))
