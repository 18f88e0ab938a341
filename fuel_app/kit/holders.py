"""Packages that hold data of a person, and what they do as the account changes.

Those above customers register here, since customers cannot import them. All runs in the caller's
transaction.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession


@dataclass(frozen=True, slots=True)
class Holder:
    """The parts that one package takes in the life of an account.

    Args:
        verified: Attach what belongs to an e-mail that a person has verified.
        closing: End what is open as a person closes the account, or refuse.
        data_of: Return the person's data by name, for their own download.
        erase: Empty the personal data of a closed account.
    """

    verified: Callable[[AsyncSession, str, str], Awaitable[None]]
    closing: Callable[[AsyncSession, str], Awaitable[None]]
    data_of: Callable[[AsyncSession, str], Awaitable[dict[str, Any]]]
    erase: Callable[[AsyncSession, str], Awaitable[None]]


HOLDERS: list[Holder] = []


async def verified(session: AsyncSession, person_id: str, email: str) -> None:
    """Attach what belongs to an e-mail that a person has verified."""
    for each in HOLDERS:
        await each.verified(session, person_id, email)


async def closing(session: AsyncSession, person_id: str) -> None:
    """End what is open as a person closes the account.

    Raises:
        Refusal: If something has to end first.
    """
    for each in HOLDERS:
        await each.closing(session, person_id)
