"""People as messages reach them."""

from dataclasses import dataclass

from fuel_app.accounts.queries import people
from fuel_app.kit.db.session import reading


@dataclass(frozen=True, slots=True)
class Recipient:
    """The addresses to which a person's messages go."""

    person_id: str
    email: str
    phone: str  # verified, else empty
    first_name: str


async def find(person_id: str) -> Recipient | None:
    """Return a person; None if their account is deleted or deactivated."""
    async with reading() as session:
        person = await people.by_id(session, person_id)
    if person is None:
        return None
    phone = person.phone if person.phone_verified_at else ""
    return Recipient(person.id, person.email or "", phone, person.first_name)


async def owner_of(email: str) -> str | None:
    """Return the id of the active person with this e-mail."""
    async with reading() as session:
        person = await people.by_email(session, email)
    return person.id if person else None


async def holder_of(email: str) -> str | None:
    """Return the id of the person with this e-mail, whose account may be closed."""
    async with reading() as session:
        person = await people.holder(session, email)
    return person.id if person else None
