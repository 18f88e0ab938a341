"""Limits of what staff without the admin role give: to a customer, and in all, in 24 hours.

Everything by which money is given counts: refunds, waivers, credit by hand, late fees waived with a
booking. It is summed from their rows, under the locks of the payer and of who gives.
"""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import directory
from fuel_app.billing.queries import accounts as queries
from fuel_app.billing.service.figures import REFUND_LIMIT, STAFF_LIMIT
from fuel_app.billing.tables import Payer
from fuel_app.kit import clock, figures
from fuel_app.kit.db.rows import get_row
from fuel_app.kit.limits import WITHIN, Room


async def locked_room(session: AsyncSession, actor: Actor, payer_id: str) -> Room | None:
    """Return what an actor may still give a payer; None for any amount.

    Both stay locked until the commit, so that what is given at once is counted one by one.
    """
    await get_row(session, Payer, payer_id, lock=True)
    if actor.may(Role.ADMIN):
        return None
    await directory.lock(session, actor.person_id)
    return await room(session, actor, payer_id)


async def room(session: AsyncSession, actor: Actor, payer_id: str) -> Room | None:
    """Return what an actor may give a payer now: what is less of both limits."""
    if actor.may(Role.ADMIN):
        return None
    since = clock.now() - WITHIN
    values = await figures.values(session)
    own = await queries.given_by(session, str(actor), since)
    given = await queries.given_to(session, payer_id, since)
    unlimited = await directory.unlimited(session, [each.actor for each in given])
    counted = [each for each in given if each.actor not in unlimited]
    return min(
        Room.of(REFUND_LIMIT, values[REFUND_LIMIT.name], counted, "for this customer"),
        Room.of(STAFF_LIMIT, values[STAFF_LIMIT.name], own, "for you to give"),
        key=lambda each: each.left,
    )
