"""Addresses that mail reaches."""

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.messages.queries import recipients


async def reached(session: AsyncSession, address: str) -> None:
    """Send mail to an address again that has refused it: its owner has just read some."""
    await recipients.forgive(session, address)
