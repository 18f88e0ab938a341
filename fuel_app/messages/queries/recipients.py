"""Queries on switches, consents to text messages, and addresses that get no mail."""

from dataclasses import asdict, fields
from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import insert_new
from fuel_app.messages.rules.preferences import NotificationSettings
from fuel_app.messages.tables import (
    RefusedAddress,
    SmsConsent,
    StoredPreferences,
    UnsubscribedAddress,
)

_NAMES = tuple(each.name for each in fields(NotificationSettings))
_REASON_MAX = 300
_phone, _consenting = col(SmsConsent.phone), col(SmsConsent.person_id)


async def preferences(session: AsyncSession, person_id: str) -> NotificationSettings:
    row = await session.get(StoredPreferences, person_id, populate_existing=True)
    chosen = {name: getattr(row, name) for name in _NAMES} if row else {}
    return NotificationSettings(**chosen)


async def lock_preferences(session: AsyncSession, person_id: str) -> NotificationSettings:
    """Return a person's switches, locked until the transaction ends."""
    values = {"person_id": person_id} | asdict(NotificationSettings())
    await session.execute(insert_new(session, StoredPreferences).values(**values))
    theirs = select(StoredPreferences).where(col(StoredPreferences.person_id) == person_id)
    await session.execute(theirs.with_for_update())
    return await preferences(session, person_id)


async def save_preferences(
    session: AsyncSession, person_id: str, chosen: NotificationSettings
) -> None:
    theirs = update(StoredPreferences).where(col(StoredPreferences.person_id) == person_id)
    await session.execute(theirs.values(**asdict(chosen)))


async def is_refused(session: AsyncSession, address: str) -> bool:
    return await session.get(RefusedAddress, address) is not None


async def refuse(session: AsyncSession, address: str, reason: str) -> None:
    """Note that an address refuses mail."""
    row = {"address": address, "reason": reason[:_REASON_MAX]}
    await session.execute(insert_new(session, RefusedAddress).values(**row))


async def forgive(session: AsyncSession, address: str) -> None:
    """Forget that an address has refused mail."""
    await session.execute(delete(RefusedAddress).where(col(RefusedAddress.address) == address))


async def is_unsubscribed(session: AsyncSession, address: str) -> bool:
    return await session.get(UnsubscribedAddress, address) is not None


async def unsubscribe(session: AsyncSession, address: str) -> None:
    await session.execute(insert_new(session, UnsubscribedAddress).values(address=address))


async def resubscribe(session: AsyncSession, address: str) -> None:
    """Forget that an address has unsubscribed: it is a person's now, who has switches."""
    theirs = col(UnsubscribedAddress.address) == address
    await session.execute(delete(UnsubscribedAddress).where(theirs))


async def consent(session: AsyncSession, phone: str) -> SmsConsent | None:
    return await session.get(SmsConsent, phone, populate_existing=True)


async def agree(
    session: AsyncSession, phone: str, person_id: str, wording: str, now: datetime
) -> None:
    """Store a consent with its wording. A STOP stays until START, as the provider sees it too."""
    await session.execute(insert_new(session, SmsConsent).values(phone=phone, wording=""))
    theirs = update(SmsConsent).where(_phone == phone)
    await session.execute(theirs.values(person_id=person_id, wording=wording, agreed_at=now))


async def consents_of(session: AsyncSession, person_id: str) -> list[SmsConsent]:
    """Return a person's consents to text messages."""
    return list(await session.scalars(select(SmsConsent).where(_consenting == person_id)))


async def forget(session: AsyncSession, person_id: str) -> None:
    """Remove a person's switches and consents. A STOP stays, without the person."""
    switches = col(StoredPreferences.person_id) == person_id
    await session.execute(delete(StoredPreferences).where(switches))
    theirs, goes = _consenting == person_id, col(SmsConsent.stopped_at).is_(None)
    await session.execute(delete(SmsConsent).where(theirs, goes))
    await session.execute(update(SmsConsent).where(theirs).values(person_id=None, wording=""))


async def stop(session: AsyncSession, phone: str, now: datetime | None) -> None:
    """Note a phone's STOP, or with None its START."""
    await session.execute(insert_new(session, SmsConsent).values(phone=phone, wording=""))
    await session.execute(update(SmsConsent).where(_phone == phone).values(stopped_at=now))
