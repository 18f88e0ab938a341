"""Queries that remove a person's data."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.queries.login_history import NOUN
from fuel_app.accounts.tables import (
    Challenge,
    Passkey,
    Person,
    PersonRole,
    RecoveryCode,
    SignUp,
    StoredSession,
)
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.tables import new_id

_OWNED = (StoredSession, Challenge, Passkey, RecoveryCode, PersonRole)
# What stays: when, which texts were accepted, and that there was a person.
KEPT = (
    *("id", "created_at", "deactivated_at", "delete_at", "deleted_at"),
    *("terms_version", "privacy_version", "terms_accepted_at"),
)


async def due(session: AsyncSession, now: datetime, most: int) -> list[Person]:
    """Return and lock some people whose time has come, once."""
    found = select(Person).where(col(Person.delete_at) <= now, col(Person.deleted_at).is_(None))
    some = found.order_by(col(Person.delete_at)).limit(most).with_for_update(skip_locked=True)
    return list(await session.scalars(some))


async def emptied(session: AsyncSession, person_ids: Collection[str]) -> set[str]:
    """Return those of these people whose accounts are emptied."""
    gone = col(Person.deleted_at).is_not(None)
    return set(
        await session.scalars(select(col(Person.id)).where(col(Person.id).in_(person_ids), gone))
    )


async def empty(session: AsyncSession, person: Person, now: datetime) -> None:
    """Empty a person's row and delete all that only they have used."""
    for table in _OWNED:
        await session.execute(delete(table).where(col(table.person_id) == person.id))
    await session.execute(delete(SignUp).where(col(SignUp.email) == (person.email or "")))
    theirs = update(AuditEntry).where(
        col(AuditEntry.noun) == NOUN, col(AuditEntry.subject_id) == person.id
    )
    await session.execute(
        theirs.values(before=None, after=None), execution_options={"synchronize_session": False}
    )
    blank = Person(id=person.id, passkey_user=new_id())
    for name in Person.model_fields:
        if name not in KEPT:
            setattr(person, name, getattr(blank, name))
    person.deleted_at = now
    await session.flush()


async def remove_some(
    session: AsyncSession,
    table: type[SignUp | StoredSession | Challenge],
    which: ColumnElement[bool],
    limit: int,
) -> int:
    """Delete some rows. Return how many."""
    some = select(col(table.id)).where(which).limit(limit)
    gone = delete(table).where(col(table.id).in_(some)).returning(col(table.id))
    return len((await session.scalars(gone)).all())
