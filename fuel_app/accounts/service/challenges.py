"""The secrets of challenges, for the message that brings them to their owner."""

from dataclasses import dataclass

from fuel_app.accounts.queries import challenges
from fuel_app.accounts.tables import Challenge
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import reading, transaction


@dataclass(frozen=True, slots=True)
class Revealed:
    """An unused challenge with its secrets: never store or log them."""

    code: str
    token: str
    person_id: str | None


async def reveal(challenge_id: str) -> Revealed | None:
    """Return a challenge whose message is being sent: its time begins now.

    None if it is unknown, used, or replaced by a newer one.
    """
    async with transaction() as session:
        found = await challenges.reveal(session, challenge_id, clock.now())
    return _revealed(found) if found else None


async def peek(challenge_id: str) -> Revealed | None:
    """Return an open challenge; its time goes on."""
    async with reading() as session:
        found = await session.get(Challenge, challenge_id)
    is_open = found and found.used_at is None and found.expires_at > clock.now()
    return _revealed(found) if found and is_open else None


def _revealed(row: Challenge) -> Revealed:
    code, token = secrets.code(row.purpose, row.id), secrets.token(row.purpose, row.id)
    return Revealed(code, token, row.person_id)
