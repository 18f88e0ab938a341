"""People in the database, and what is written about them."""

from typing import Any

from sqlalchemy import select
from sqlmodel import SQLModel

from fuel_app.accounts.rules import Role
from fuel_app.accounts.tables import Person, PersonRole
from fuel_app.kit import clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.outbox import Message
from tests.staff import QUICK

EMAIL = "ada@example.com"
PASSWORD = "a plain gull 7 over the bay!"


async def a_person(
    *roles: Role, email: str = EMAIL, password: str | None = PASSWORD, **more: Any
) -> Person:
    """Store a person, by default a customer with `PASSWORD`."""
    more = {"first_name": "Ada", "last_name": "Lovelace", "email_verified_at": clock.now()} | more
    person = Person(email=email, password_hash=password and QUICK.hash(password), **more)
    async with transaction() as session:
        session.add(person)
        await session.flush()
        for role in roles or (Role.CUSTOMER,):
            session.add(PersonRole(person_id=person.id, role=role.value))
    return person


async def rows(table: type[SQLModel], **having: Any) -> list[Any]:
    async with reading() as session:
        return list(await session.scalars(select(table).filter_by(**having)))


async def messages(kind: str) -> list[Message]:
    return await rows(Message, kind=kind)


async def history(person_id: str) -> list[tuple[str, dict[str, Any] | None]]:
    """Return the kinds and values of a person's Login History, oldest first."""
    entries = await rows(AuditEntry, noun="person", subject_id=person_id)
    entries.sort(key=lambda entry: entry.number)
    return [(entry.kind, entry.after) for entry in entries]
