"""People as other packages see them: names of actors, technicians, whether customers exist."""

from collections.abc import Iterable

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import people
from fuel_app.accounts.rules import SHARED_PASSWORD, SYSTEM_NAME, Role
from fuel_app.kit.db.session import reading
from fuel_app.kit.ids import well_formed_id


async def names(actors: Iterable[str]) -> dict[str, str]:
    """Return the name of each actor of the audit log; 'shared password' and 'system' are names."""
    async with reading() as session:
        return await names_in(session, actors)


async def names_in(session: AsyncSession, actors: Iterable[str]) -> dict[str, str]:
    """Return the name of each actor, as the caller's transaction sees it."""
    wanted = set(actors)
    ids = {actor for actor in wanted if well_formed_id(actor)}
    known = await people.names(session, ids) if ids else {}
    return {actor: known.get(actor, "somebody" if actor in ids else actor) for actor in wanted}


async def has_customers(session: AsyncSession) -> bool:
    """Return whether a customer exists, as the caller's transaction sees it."""
    return await people.has_customers(session)


async def unlimited(session: AsyncSession, actors: Iterable[str]) -> set[str]:
    """Return those actors of the audit log who have an admin's rights, active or not."""
    wanted = set(actors)
    ids = {actor for actor in wanted if well_formed_id(actor)}
    admins = await people.admins(session, ids) if ids else set()
    return admins | wanted.intersection({SYSTEM_NAME, SHARED_PASSWORD})


async def lock(session: AsyncSession, person_id: str) -> None:
    """Keep others from locking a person until the commit."""
    await people.by_id(session, person_id, lock=True)


async def technicians(session: AsyncSession) -> dict[str, str]:
    """Return the names of the active technicians by their ids, in order."""
    found = await people.with_role(session, Role.TECHNICIAN)
    return {each.id: f"{each.first_name} {each.last_name}".strip() for each in found}
