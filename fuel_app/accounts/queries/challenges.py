"""Queries on challenges: codes and links that are used once."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules import GOOD_FOR, TRIES, Purpose
from fuel_app.accounts.tables import Challenge
from fuel_app.kit import secrets

_id, _purpose = col(Challenge.id), col(Challenge.purpose)
_expires, _tries, _used = (
    col(Challenge.expires_at),
    col(Challenge.tries_left),
    col(Challenge.used_at),
)
_KEPT = timedelta(days=1)  # after it has expired


async def issue(
    session: AsyncSession,
    purpose: Purpose,
    now: datetime,
    *,
    person_id: str | None = None,
    sign_up_id: str | None = None,
    data: dict[str, Any] | None = None,
    replaces: bool = True,
) -> str:
    """Open a challenge and return its id. It replaces the owner's open ones of this purpose."""
    if replaces and (person_id or sign_up_id):
        theirs = delete(Challenge).where(*_owned(purpose, person_id, sign_up_id), _used.is_(None))
        await session.execute(theirs)
    row = Challenge(
        purpose=purpose.value,
        person_id=person_id,
        sign_up_id=sign_up_id,
        data=data or {},
        created_at=now,
        expires_at=now + GOOD_FOR[purpose],
        tries_left=TRIES,
    )
    session.add(row)
    await session.flush()
    return row.id


async def reveal(session: AsyncSession, challenge_id: str, now: datetime) -> Challenge | None:
    """Return an unused challenge whose message is being sent: its time begins now."""
    unused = update(Challenge).where(_id == challenge_id, _used.is_(None))
    found = await session.scalar(unused.values(expires_at=_expires).returning(Challenge))
    if found:
        found.expires_at = now + GOOD_FOR[Purpose(found.purpose)]
        await session.flush()
    return found


async def spend_code(
    session: AsyncSession,
    purpose: Purpose,
    typed: object,
    now: datetime,
    *,
    person_id: str | None = None,
    sign_up_id: str | None = None,
) -> Challenge | None:
    """Use the owner's open challenge up, if the code is right; else count the try.

    Commit in both cases: refuse after the transaction. None is a wrong, used or expired code.
    """
    open_ones = (*_owned(purpose, person_id, sign_up_id), _used.is_(None), _expires > now)
    tried = update(Challenge).where(*open_ones, _tries > 0).values(tries_left=_tries - 1)
    challenge_id = await session.scalar(tried.returning(_id))
    given = typed.strip().replace(" ", "") if isinstance(typed, str) and len(typed) < 20 else ""
    if challenge_id is None or not secrets.same(given, secrets.code(purpose, challenge_id)):
        return None
    return await _spend(session, challenge_id, now)


async def by_link(
    session: AsyncSession, purpose: Purpose, token: object, now: datetime
) -> Challenge | None:
    """Return the open challenge of a link, without using it up: mail scanners open links."""
    row_id = secrets.row_of(purpose, token)
    found = select(Challenge).where(_id == (row_id or ""), _purpose == purpose.value)
    return await session.scalar(found.where(_used.is_(None), _expires > now))


async def spend_link(
    session: AsyncSession, purpose: Purpose, token: object, now: datetime
) -> Challenge | None:
    """Use a link's challenge up. None if it is unknown, used or expired."""
    found = await by_link(session, purpose, token, now)
    return await _spend(session, found.id, now) if found else None


async def spend(
    session: AsyncSession, purpose: Purpose, challenge_id: str, now: datetime
) -> Challenge | None:
    """Use a challenge up that the server itself remembers, such as that of a passkey."""
    found = select(_id).where(_id == challenge_id, _purpose == purpose.value, _expires > now)
    known = await session.scalar(found)
    return await _spend(session, known, now) if known else None


async def waiting(session: AsyncSession, purpose: Purpose, *, person_id: str) -> Challenge | None:
    """Return a person's newest challenge that was not used, even if its time is over."""
    unused = select(Challenge).where(*_owned(purpose, person_id, None), _used.is_(None))
    return await session.scalar(unused.order_by(_id.desc()).limit(1))


async def open_one(
    session: AsyncSession, purpose: Purpose, challenge_id: str, now: datetime
) -> Challenge | None:
    """Return an open challenge that the server itself remembers."""
    found = select(Challenge).where(_id == challenge_id, _purpose == purpose.value, _tries > 0)
    return await session.scalar(found.where(_used.is_(None), _expires > now))


async def count_try(
    session: AsyncSession, purpose: Purpose, challenge_id: str, now: datetime
) -> bool:
    """Count a try. Return False if the challenge is over; commit in both cases."""
    open_ones = (_id == challenge_id, _purpose == purpose.value, _used.is_(None), _expires > now)
    tried = update(Challenge).where(*open_ones, _tries > 0).values(tries_left=_tries - 1)
    return await session.scalar(tried.returning(_id)) is not None


async def drop(session: AsyncSession, purpose: Purpose, *, person_id: str) -> None:
    """Delete a person's open challenges of a purpose."""
    await session.execute(delete(Challenge).where(*_owned(purpose, person_id, None)))


async def drop_all(session: AsyncSession, person_id: str) -> None:
    """Delete every challenge of a person."""
    await session.execute(delete(Challenge).where(col(Challenge.person_id) == person_id))


async def drop_by_email(session: AsyncSession, purpose: Purpose, email: str) -> None:
    """Delete the unused challenges that were sent to an e-mail."""
    sent_to = col(Challenge.data)["email"].as_string() == email
    await session.execute(
        delete(Challenge).where(_purpose == purpose.value, _used.is_(None), sent_to)
    )


async def drop_by_inviter(session: AsyncSession, person_id: str) -> None:
    """Delete the open invitations that a person has sent."""
    theirs = col(Challenge.data)["by"].as_string() == person_id
    await session.execute(
        delete(Challenge).where(_purpose == Purpose.INVITE.value, _used.is_(None), theirs)
    )


async def _spend(session: AsyncSession, challenge_id: str, now: datetime) -> Challenge | None:
    unused = update(Challenge).where(_id == challenge_id, _used.is_(None))
    return await session.scalar(unused.values(used_at=now).returning(Challenge))


def _owned(purpose: Purpose, person_id: str | None, sign_up_id: str | None) -> tuple[Any, ...]:
    owner = (
        col(Challenge.person_id) == person_id
        if person_id
        else col(Challenge.sign_up_id) == sign_up_id
    )
    return _purpose == purpose.value, owner


async def remove_expired(session: AsyncSession, now: datetime, limit: int) -> int:
    """Delete some challenges that expired a day ago. Return how many."""
    some = select(_id).where(_expires < now - _KEPT).limit(limit)
    gone = delete(Challenge).where(_id.in_(some)).returning(_id)
    return len((await session.scalars(gone)).all())
