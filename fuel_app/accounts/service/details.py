"""A person's own name, e-mail and phone, read and changed in the caller's transaction."""

from collections.abc import Collection, Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import people
from fuel_app.accounts.rules.details import CODES_TO_PHONE, AccountGone, Details
from fuel_app.accounts.tables import Person
from fuel_app.kit.errors import InvalidForm


async def read(session: AsyncSession, person_id: str, *, lock: bool = False) -> Details:
    """Return a person's details; `lock` keeps them as they are in this transaction.

    Raises:
        AccountGone
    """
    return _details(await _person(session, person_id, lock=lock))


async def read_all(session: AsyncSession, ids: Collection[str]) -> dict[str, Details]:
    """Return people's details by id; unknown ids are left out."""
    return {person.id: _details(person) for person in await people.by_ids(session, ids)}


def _details(person: Person) -> Details:
    return Details(
        first_name=person.first_name,
        last_name=person.last_name,
        email=person.email or "",
        phone=person.phone,
        email_verified=person.email_verified_at is not None,
        phone_verified=person.phone_verified_at is not None,
        password_since=person.password_changed_at or person.created_at,
    )


async def change(session: AsyncSession, person_id: str, given: Mapping[str, str]) -> list[str]:
    """Change a person's name and phone. Return the names of those that differ.

    Another phone is not verified.

    Raises:
        AccountGone
        InvalidForm: If the phone differs, and gets the codes of the second factor.
    """
    person = await _person(session, person_id, lock=True)
    changed = [name for name, value in given.items() if getattr(person, name) != value]
    if "phone" in changed:
        if person.sms_codes:
            raise InvalidForm({"phone": CODES_TO_PHONE})
        person.phone_verified_at = None
    for name in changed:
        setattr(person, name, given[name])
    return changed


async def _person(session: AsyncSession, person_id: str, *, lock: bool) -> Person:
    person = await people.by_id(session, person_id, lock=lock)
    if person is None:
        raise AccountGone
    return person
