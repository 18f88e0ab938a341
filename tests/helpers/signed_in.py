"""People who are signed in, each with an e-mail of its own."""

from itertools import count
from typing import Any

from sqlalchemy import select
from sqlmodel import col

from fuel_app.accounts.queries import people
from fuel_app.accounts.rules import Role, Session
from fuel_app.accounts.service import sessions
from fuel_app.accounts.tables import Person
from fuel_app.kit import clock
from fuel_app.kit.audit import AuditEntry
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.outbox import Message

_numbers = count(1)


async def a_person(*roles: Role, **differs: Any) -> str:
    """Store a person with a verified e-mail. Return the id."""
    known = {
        "email": f"person.{next(_numbers)}@example.com",
        "first_name": "Ada",
        "last_name": "Lovelace",
        "phone": "9415550123",
        "email_verified_at": clock.now(),
    }
    async with transaction() as session:
        person = Person(**known | differs)
        session.add(person)
        await session.flush()
        await people.add_roles(session, person.id, roles or (Role.CUSTOMER,))
    return person.id


async def cookie_for(
    person_id: str, *, second_factor: bool = False, device: str = "Chrome on Windows"
) -> str:
    """Sign a person in. Return the token of the cookie."""
    async with transaction() as session:
        opened = await sessions.start(
            session, person_id=person_id, second_factor=second_factor, device=device
        )
    cookie = await sessions.redeem_ticket(opened.ticket)
    assert cookie
    return cookie.token


async def session_of(person_id: str, **differs: Any) -> Session:
    """Sign a person in. Return the session."""
    return await seen(await cookie_for(person_id, **differs))


async def seen(token: str) -> Session:
    session = await sessions.find_by_token(token)
    assert session
    return session


async def person_row(person_id: str) -> Person:
    async with reading() as session:
        return (await session.scalars(select(Person).where(col(Person.id) == person_id))).one()


async def messages_of(person_id: str) -> list[Message]:
    theirs = select(Message).where(col(Message.person_id) == person_id)
    async with reading() as session:
        return list(await session.scalars(theirs.order_by(col(Message.id))))


async def history_of(person_id: str) -> list[tuple[str, str]]:
    """Return kind and what of each entry of the Login History, the oldest first."""
    theirs = select(AuditEntry).where(col(AuditEntry.subject_id) == person_id)
    async with reading() as session:
        entries = await session.scalars(theirs.order_by(col(AuditEntry.number)))
        return [(entry.kind, (entry.after or {}).get("what", "")) for entry in entries]
