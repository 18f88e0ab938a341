"""Queries on what messages hold about one person."""

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.messages.tables import (
    RefusedAddress,
    SmsConsent,
    StoredPreferences,
    UnsubscribedAddress,
)

_owner = col(SmsConsent.person_id)


async def consents(session: AsyncSession, person_id: str) -> list[SmsConsent]:
    """Return a person's consents to text messages."""
    return list(await session.scalars(select(SmsConsent).where(_owner == person_id)))


async def empty(session: AsyncSession, person_id: str, email: str) -> None:
    """Remove a person's switches and consents. A STOP stays, without the person."""
    await session.execute(
        delete(StoredPreferences).where(col(StoredPreferences.person_id) == person_id)
    )
    await session.execute(
        delete(SmsConsent).where(_owner == person_id, col(SmsConsent.stopped_at).is_(None))
    )
    await session.execute(
        update(SmsConsent).where(_owner == person_id).values(person_id=None, wording="")
    )
    for table in (RefusedAddress, UnsubscribedAddress):
        await session.execute(delete(table).where(col(table.address) == email))
