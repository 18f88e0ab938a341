"""Queries on second factors: the authenticator app's steps, passkeys and recovery codes."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.tables import Passkey, Person, RecoveryCode

_last_step = col(Person.totp_last_step)
_owner, _hash = col(RecoveryCode.person_id), col(RecoveryCode.code_hash)
_credential = col(Passkey.credential_id)


async def use_step(session: AsyncSession, person_id: str, step: int) -> bool:
    """Note that a code of this time step is used. Return False if it, or a later one, was."""
    unused = update(Person).where(col(Person.id) == person_id, _last_step < step)
    used = unused.values(totp_last_step=step).returning(col(Person.id))
    return await session.scalar(used) is not None


async def use_recovery_code(session: AsyncSession, person_id: str, code_hash: str) -> bool:
    """Delete a recovery code. Return False if there is none such."""
    theirs = delete(RecoveryCode).where(_owner == person_id, _hash == code_hash)
    return await session.scalar(theirs.returning(_hash)) is not None


async def count_recovery_codes(session: AsyncSession, person_id: str) -> int:
    theirs = select(func.count()).select_from(RecoveryCode).where(_owner == person_id)
    return await session.scalar(theirs) or 0


async def replace_recovery_codes(
    session: AsyncSession, person_id: str, hashes: Iterable[str]
) -> None:
    await session.execute(delete(RecoveryCode).where(_owner == person_id))
    session.add_all(RecoveryCode(person_id=person_id, code_hash=each) for each in hashes)
    await session.flush()


async def passkeys(session: AsyncSession, person_id: str) -> list[Passkey]:
    """Return a person's passkeys, the oldest first."""
    theirs = select(Passkey).where(col(Passkey.person_id) == person_id)
    return list(await session.scalars(theirs.order_by(col(Passkey.created_at), col(Passkey.id))))


async def passkey(session: AsyncSession, credential_id: str) -> Passkey | None:
    return await session.scalar(select(Passkey).where(_credential == credential_id))


async def remove_passkey(session: AsyncSession, person_id: str, passkey_id: str) -> bool:
    """Delete a passkey. Return False if this person has none such."""
    theirs = delete(Passkey).where(
        col(Passkey.id) == passkey_id, col(Passkey.person_id) == person_id
    )
    return await session.scalar(theirs.returning(col(Passkey.id))) is not None


async def use_passkey(
    session: AsyncSession, passkey_id: str, *, sign_count: int, backed_up: bool, now: datetime
) -> bool:
    """Note that a passkey was used. Return False if it is gone."""
    theirs = update(Passkey).where(col(Passkey.id) == passkey_id)
    used = theirs.values(sign_count=sign_count, backed_up=backed_up, last_used_at=now)
    return await session.scalar(used.returning(col(Passkey.id))) is not None
