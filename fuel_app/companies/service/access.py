"""Permission in a company: its own people by their role, staff as its owners would."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, NotAllowed, Role
from fuel_app.companies import queries
from fuel_app.companies.rules.companies import NOUN, CompanyGone
from fuel_app.companies.rules.people import Action, CompanyRole, Membership
from fuel_app.kit import audit, clock
from fuel_app.kit.db.session import publish, reading, transaction
from fuel_app.kit.ids import well_formed_id
from fuel_app.kit.signals import COMPANIES


async def allow(
    session: AsyncSession, actor: Actor, company_id: object, action: Action
) -> Membership:
    """Return the actor's place in a company.

    Dispatchers have that of an owner, in a closed company too: they settle what is left.

    Raises:
        CompanyGone: If the actor has no part in such a company.
        NotAllowed: If the role does not reach the action.
    """
    known_id = well_formed_id(company_id) or ""
    if actor.may(Role.DISPATCHER):
        company = await queries.find(session, known_id)
        return Membership(company.id, company.name, actor.person_id, CompanyRole.OWNER)
    found = await queries.find_membership(session, actor.person_id, known_id)
    if found is None:
        raise CompanyGone
    found.require(action)
    return found


async def allow_change(
    session: AsyncSession, actor: Actor, company_id: object, action: Action
) -> Membership:
    """Lock a company, then return the actor's place in it as `allow` does.

    Who is removed while this waits for the lock is refused. Raises as `allow` does; NotAllowed for
    a closed company, too.
    """
    await queries.find(session, well_formed_id(company_id) or "", lock=True)
    who = await allow(session, actor, company_id, action)
    await queries.require_open(session, who.company_id)
    return who


async def list_memberships(person_id: str) -> list[Membership]:
    """Return a person's companies, the one that they last turned to first."""
    async with reading() as session:
        return await queries.memberships(session, person_id)


async def find_membership(person_id: str, company_id: object) -> Membership | None:
    """Return a person's place in a company, or in the one that they last turned to.

    Args:
        company_id: Empty for that one; an id of a company that is not theirs finds nothing.
    """
    known_id = well_formed_id(company_id)
    async with reading() as session:
        if known_id:
            return await queries.find_membership(session, person_id, known_id)
        return next(iter(await queries.memberships(session, person_id)), None)


async def choose(actor: Actor, company_id: object) -> Membership:
    """Turn to another one of the person's companies. Raises NotAllowed."""
    async with transaction() as session:
        found = await queries.find_membership(
            session, actor.person_id, well_formed_id(company_id) or ""
        )
        member = found and await queries.find_member(session, found.company_id, actor.person_id)
        if found is None or member is None:
            raise NotAllowed
        member.chosen_at = clock.now()
    return found


async def record(
    session: AsyncSession,
    kind: str,
    actor: object,
    company_id: str,
    after: dict[str, Any],
    before: dict[str, Any] | None = None,
) -> str:
    """Write a change of a company to the audit log, and tell the screens that show it.

    Return the action's id, by which it can be undone.
    """
    action = audit.Action(NOUN, kind, str(actor))
    await audit.record(session, action, [audit.Change(company_id, before, after)])
    publish(session, COMPANIES)
    return action.id
