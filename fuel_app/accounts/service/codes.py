"""Codes by mail for those who need no account, such as a contact who accepts a proposal.

The caller keeps the challenge's id, and knows to whom the code was sent.
"""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import challenges
from fuel_app.accounts.rules import Purpose
from fuel_app.kit import clock


async def issue(session: AsyncSession, purpose: Purpose, former_id: str) -> str:
    """Open a challenge in place of a former one. Return its id, from which its code derives."""
    await challenges.drop(session, purpose, id=former_id)
    return await challenges.issue(session, purpose, clock.now())


async def spend(session: AsyncSession, purpose: Purpose, challenge_id: str, typed: object) -> bool:
    """Use a challenge up if its code is right, else count the try: commit, then refuse."""
    now = clock.now()
    return await challenges.spend_code(session, purpose, typed, now, id=challenge_id) is not None
