"""Queries on people and their roles."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Exists, exists, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules import Role
from fuel_app.accounts.tables import Person, PersonRole

_id, _email = col(Person.id), col(Person.email)
_not_deleted = col(Person.deleted_at).is_(None)
_active = col(Person.deactivated_at).is_(None) & _not_deleted


def _holds(role: Role) -> Exists:
    return exists().where(col(PersonRole.person_id) == _id, col(PersonRole.role) == role.value)


async def has_admin(session: AsyncSession) -> bool:
    """Return whether an active admin exists."""
    there = select(_id).where(_active, _holds(Role.ADMIN))
    return bool(await session.scalar(there.limit(1)))


async def admins(session: AsyncSession, ids: Iterable[str]) -> set[str]:
    """Return the admins among people, active or not."""
    held = col(PersonRole.person_id), col(PersonRole.role)
    found = select(held[0]).where(held[0].in_(ids), held[1] == Role.ADMIN.value)
    return set(await session.scalars(found))


async def has_customers(session: AsyncSession) -> bool:
    """Return whether a customer exists who is not deleted."""
    there = select(_id).where(_not_deleted, _holds(Role.CUSTOMER))
    return bool(await session.scalar(there.limit(1)))


async def by_email(session: AsyncSession, email: str) -> Person | None:
    """Return the active person with this normalised e-mail."""
    return await session.scalar(select(Person).where(_email == email, _active))


async def holder(session: AsyncSession, email: str) -> Person | None:
    """Return the person who holds this e-mail, active or not: no one else can have it."""
    return await session.scalar(select(Person).where(_email == email, _not_deleted))


async def active_or_closed(session: AsyncSession, email: str) -> Person | None:
    """Return the person with this e-mail who is active, or has closed the account for now."""
    restorable = col(Person.delete_at).is_not(None) & _not_deleted
    return await session.scalar(select(Person).where(_email == email, _active | restorable))


async def by_id(session: AsyncSession, person_id: str, *, lock: bool = False) -> Person | None:
    """Return an active person; `lock` keeps others from changing it in this transaction."""
    found = select(Person).where(_id == person_id, _active)
    # What refers to the person (a booking, a message) need not wait.
    return await session.scalar(found.with_for_update(key_share=True) if lock else found)


async def by_ids(session: AsyncSession, ids: Iterable[str]) -> list[Person]:
    """Return active people; unknown ids are left out."""
    return list(await session.scalars(select(Person).where(_id.in_(ids), _active)))


async def set_email(session: AsyncSession, person: Person, email: str, now: datetime) -> bool:
    """Give a locked person another verified e-mail. Return False if another person has it."""
    is_taken = await session.scalar(select(_id).where(_email == email, _id != person.id))
    if is_taken:
        return False
    try:
        async with session.begin_nested():
            person.email, person.email_verified_at = email, now
            await session.flush()
    except IntegrityError:  # taken a moment ago
        await session.refresh(person)
        return False
    return True


async def roles(session: AsyncSession, person_id: str) -> frozenset[Role]:
    held = select(col(PersonRole.role)).where(col(PersonRole.person_id) == person_id)
    return frozenset(Role(role) for role in await session.scalars(held))


async def with_role(session: AsyncSession, role: Role) -> list[Person]:
    """Return the active people with a role, by name."""
    by_name = col(Person.first_name), col(Person.last_name), _id
    found = select(Person).where(_active, _holds(role)).order_by(*by_name)
    return list(await session.scalars(found))


async def add_roles(session: AsyncSession, person_id: str, given: Iterable[Role]) -> None:
    """Give a person roles that they do not have yet."""
    before = await roles(session, person_id)
    for role in set(given) - before:
        session.add(PersonRole(person_id=person_id, role=role.value))
    await session.flush()


async def names(session: AsyncSession, ids: Iterable[str]) -> dict[str, str]:
    """Return people's names by id, for the audit log; unknown ids are left out."""
    columns = select(_id, col(Person.first_name), col(Person.last_name))
    found = await session.execute(columns.where(_id.in_(set(ids))))
    return {row[0]: f"{row[1]} {row[2]}".strip() or "a deleted account" for row in found}
