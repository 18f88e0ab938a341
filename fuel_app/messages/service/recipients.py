"""Addresses that mail reaches."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.messages.queries import recipients


async def joined(session: AsyncSession, address: str) -> None:
    """Forget that an address has refused mail or unsubscribed: its owner has just read some, and
    has a person's switches from now on."""
    await recipients.forgive(session, address)
    await recipients.resubscribe(session, address)
