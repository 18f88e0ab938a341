"""Deleting one's account: closed at once, emptied some days later."""

from collections.abc import Awaitable, Callable, Collection
from datetime import datetime, timedelta
from typing import TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges, deletion, login_history, sessions
from fuel_app.accounts.rules import Actor, Session
from fuel_app.accounts.rules.factors import proved_person
from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.accounts.service import factors, staff
from fuel_app.accounts.service.figures import DELETION_DAYS
from fuel_app.accounts.tables import Person
from fuel_app.kit import clock, figures, holders, outbox
from fuel_app.kit.db.session import reading, transaction

KIND = "account_deleted"
Closing = TypeVar("Closing", bound=Callable[[AsyncSession, str, Actor], Awaitable[None]])
_CLOSINGS: list[Callable[[AsyncSession, str, Actor], Awaitable[None]]] = []


def at_closing(ends: Closing) -> Closing:
    """Register what ends with a person's account, in the transaction that closes it."""
    _CLOSINGS.append(ends)
    return ends


async def ask(by: Session, visitor: Visitor) -> datetime:
    """Close the account of this session. Return when its personal data will be removed.

    Until then the staff can reactivate it.

    Raises:
        NotAllowed, NotProved: As `proved_person` says.
        LastAdmin: If no admin would be left.
        Refusal: If something has to end first, as `holders.closing` says.
    """
    now = clock.now()
    person_id = proved_person(by, now)
    async with transaction() as session:
        await staff.keep_last_admin(session, person_id)
        person = await factors.owner(session, by)
        await holders.closing(session, person_id)
        delete_at = now + timedelta(days=await figures.value(session, DELETION_DAYS))
        person.deactivated_at, person.delete_at = now, delete_at
        # The owner of a former e-mail has to hear of it, too.
        told = {person.email, *await challenges.former_emails(session, person_id, now)}
        await challenges.drop_all(session, person_id)
        await challenges.drop_by_inviter(session, person_id)
        for ends in _CLOSINGS:
            await ends(session, person_id, by.actor)
        await outbox.withdraw(session, person_id)
        await sessions.end_of_person(session, person_id)
        await login_history.note(session, login_history.DELETION_ASKED, person_id, visitor)
        payload = {"at": delete_at.isoformat()}
        for email in sorted(filter(None, told)):
            await outbox.add(session, KIND, to=email, payload=payload)
    return delete_at


async def days() -> int:
    """Return how many days after its closing an account is emptied."""
    async with reading() as session:
        return await figures.value(session, DELETION_DAYS)


async def due(session: AsyncSession, now: datetime, most: int) -> list[Person]:
    """Return and lock some people whose accounts are to be emptied by now."""
    return await deletion.due(session, now, most)


async def emptied(session: AsyncSession, person_ids: Collection[str]) -> set[str]:
    """Return those of these people whose accounts are emptied."""
    return await deletion.emptied(session, person_ids)


async def empty(session: AsyncSession, person: Person, now: datetime) -> None:
    """Remove a person's personal data that accounts and the outbox hold; what is left is the id."""
    await outbox.erase(session, outbox.about(person.id, person.email or ""))
    await deletion.empty(session, person, now)
