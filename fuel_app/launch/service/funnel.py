"""The funnel of invitations, by area, wave day and neighborhood."""

from fuel_app.accounts.rules import Actor, Role
from fuel_app.kit.db.session import reading
from fuel_app.launch.queries import funnel as queries
from fuel_app.launch.rules.funnel import Funnel


async def read(*, actor: Actor) -> Funnel:
    """Return the whole funnel."""
    actor.require(Role.ADMIN)
    async with reading() as session:
        return Funnel(
            await queries.by_area(session),
            await queries.by_day(session),
            await queries.by_neighborhood(session),
        )
