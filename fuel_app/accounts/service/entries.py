"""Parts of the services on staff: who may do it, new people, changes of roles."""

from collections.abc import Collection
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import sign_ups, staff
from fuel_app.accounts.queries.login_history import record
from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.accounts.rules.staff import (
    EmailHasAccount,
    FirstAdmin,
    NewAccount,
    PersonGone,
    stored_roles,
)
from fuel_app.accounts.tables import Person
from fuel_app.kit import clock
from fuel_app.kit.ids import well_formed_id


async def admins_for(session: AsyncSession, actor: Actor) -> frozenset[str]:
    """Return the active admins, locked. Refuse an actor who is none of them (any more)."""
    actor.require(Role.ADMIN)
    admins = await staff.lock_admins(session)
    if actor.is_shared or (actor.person_id and actor.person_id not in admins):
        raise NotAllowed
    return admins


async def person_of(session: AsyncSession, person_id: object) -> Person:
    """Return and lock a person, deactivated or not. Raises PersonGone."""
    found = await staff.person(session, well_formed_id(person_id) or "")
    if found is None:
        raise PersonGone
    return found


async def new_person(
    session: AsyncSession, form: NewAccount | FirstAdmin, email: str, password_hash: str
) -> Person:
    """Store a person with a verified e-mail.

    Raises:
        EmailHasAccount: If another person has it.
    """
    now = clock.now()
    person = Person(
        email=email,
        first_name=form.first_name,
        last_name=form.last_name,
        password_hash=password_hash,
        password_changed_at=now,
        email_verified_at=now,
    )
    if not await sign_ups.add_person(session, person):
        raise EmailHasAccount
    return person


async def note_roles(
    session: AsyncSession,
    actor: str,
    person_id: str,
    before: Collection[Role],
    after: Collection[Role],
    **more: Any,
) -> None:
    """Write a change of roles to the audit log."""
    held, given = {"roles": stored_roles(before)}, {"roles": stored_roles(after)} | more
    await record(session, "roles_changed", person_id, actor=actor, before=held, after=given)
