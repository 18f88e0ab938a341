"""Queries on challenges: codes and links that are used once."""

from datetime import datetime
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.accounts.rules import GOOD_FOR, TRIES, Purpose
from fuel_app.accounts.tables import Challenge
from fuel_app.kit import secrets

_id, _purpose, _person = col(Challenge.id), col(Challenge.purpose), col(Challenge.person_id)
_expires, _used = col(Challenge.expires_at), col(Challenge.used_at)
_tries = col(Challenge.tries_left)


async def issue(
    session: AsyncSession,
    purpose: Purpose,
    now: datetime,
    *,
    data: dict[str, Any] | None = None,
    replaces: bool = True,
    **owner: str,
) -> str:
    """Open a challenge and return its id. It replaces the owner's open ones of this purpose.

    Args:
        owner: The `person_id` or the `sign_up_id`; none for a challenge without an owner yet.
    """
    if replaces and owner:
        former = delete(Challenge).where(*_owned(purpose, owner), _used.is_(None))
        await session.execute(former)
    row = Challenge(
        purpose=purpose.value,
        data=data or {},
        created_at=now,
        expires_at=now + GOOD_FOR[purpose],
        tries_left=TRIES,
        **owner,  # type: ignore[arg-type]
    )
    session.add(row)
    await session.flush()
    return row.id


async def reveal(session: AsyncSession, challenge_id: str, now: datetime) -> Challenge | None:
    """Return an unused challenge whose message is being sent: its time begins now."""
    unused = update(Challenge).where(_id == challenge_id, _used.is_(None))
    challenge = await session.scalar(unused.values(expires_at=_expires).returning(Challenge))
    if challenge:
        challenge.expires_at = now + GOOD_FOR[Purpose(challenge.purpose)]
        await session.flush()
    return challenge


async def spend_code(
    session: AsyncSession, purpose: Purpose, typed: object, now: datetime, **owner: str
) -> Challenge | None:
    """Use the owner's open challenge up, if the code is right; else count the try.

    Commit in both cases: refuse after the transaction. None is a wrong, used or expired code.
    """
    challenge_id = await _count_try(session, *_owned(purpose, owner), *_open(purpose, now))
    digits = typed.strip().replace(" ", "") if isinstance(typed, str) and len(typed) < 20 else ""
    if challenge_id is None or not secrets.same(digits, secrets.code(purpose, challenge_id)):
        return None
    return await spend(session, purpose, challenge_id, now)


async def by_link(
    session: AsyncSession, purpose: Purpose, token: object, now: datetime
) -> Challenge | None:
    """Return the open challenge of a link, without using it up: mail scanners open links."""
    row_id = secrets.row_of(purpose, token) or ""
    return await session.scalar(select(Challenge).where(_id == row_id, *_open(purpose, now)))


async def spend_link(
    session: AsyncSession, purpose: Purpose, token: object, now: datetime
) -> Challenge | None:
    """Use a link's challenge up. None if it is unknown, used or expired."""
    challenge = await by_link(session, purpose, token, now)
    return await spend(session, purpose, challenge.id, now) if challenge else None


async def spend(
    session: AsyncSession, purpose: Purpose, challenge_id: str, now: datetime
) -> Challenge | None:
    """Use an open challenge up. Of two at once, one gets it."""
    unused = update(Challenge).where(_id == challenge_id, *_open(purpose, now))
    return await session.scalar(unused.values(used_at=now).returning(Challenge))


async def waiting(session: AsyncSession, purpose: Purpose, **owner: str) -> Challenge | None:
    """Return the owner's newest challenge that was not used, even if its time is over."""
    unused = select(Challenge).where(*_owned(purpose, owner), _used.is_(None))
    return await session.scalar(unused.order_by(_id.desc()).limit(1))


async def open_one(
    session: AsyncSession, purpose: Purpose, challenge_id: str, now: datetime
) -> Challenge | None:
    """Return an open challenge that the server itself remembers."""
    query = select(Challenge).where(_id == challenge_id, *_open(purpose, now), _tries > 0)
    return await session.scalar(query)


async def count_try(
    session: AsyncSession, purpose: Purpose, challenge_id: str, now: datetime
) -> bool:
    """Count a try. Return False if the challenge is over; commit in both cases."""
    return await _count_try(session, _id == challenge_id, *_open(purpose, now)) is not None


async def drop(session: AsyncSession, purpose: Purpose, **owner: str) -> None:
    """Delete the owner's challenges of a purpose."""
    await session.execute(delete(Challenge).where(*_owned(purpose, owner)))


async def drop_all(session: AsyncSession, person_id: str) -> None:
    """Delete every challenge of a person."""
    await session.execute(delete(Challenge).where(_person == person_id))


async def drop_by_email(session: AsyncSession, purpose: Purpose, email: str) -> None:
    """Delete the unused challenges that were sent to an e-mail."""
    sent_to = col(Challenge.data)["email"].as_string() == email
    await session.execute(
        delete(Challenge).where(_purpose == purpose.value, _used.is_(None), sent_to)
    )


async def drop_by_inviter(session: AsyncSession, person_id: str) -> None:
    """Delete the open invitations that a person has sent."""
    sent_by = col(Challenge.data)["by"].as_string() == person_id
    await session.execute(
        delete(Challenge).where(_purpose == Purpose.INVITE.value, _used.is_(None), sent_by)
    )


async def invitations(session: AsyncSession, now: datetime) -> list[Challenge]:
    """Return the open invitations, the newest first."""
    opened = select(Challenge).where(*_open(Purpose.INVITE, now)).order_by(_id.desc())
    return list(await session.scalars(opened))


async def former_emails(session: AsyncSession, person_id: str, now: datetime) -> list[str]:
    """Return the e-mails whose owners could still undo a change."""
    undos = select(Challenge).where(_person == person_id, *_open(Purpose.EMAIL_UNDO, now))
    return [each.data["email"] for each in await session.scalars(undos)]


async def withdraw(session: AsyncSession, challenge_id: str) -> bool:
    """Delete an invitation that was not used. Return False if there is none such."""
    ended = delete(Challenge).where(_purpose == Purpose.INVITE.value, _used.is_(None))
    return await session.scalar(ended.where(_id == challenge_id).returning(_id)) is not None


async def _count_try(session: AsyncSession, *which: Any) -> str | None:
    tried = update(Challenge).where(*which, _tries > 0).values(tries_left=_tries - 1)
    return await session.scalar(tried.returning(_id))


def _owned(purpose: Purpose, owner: dict[str, str]) -> tuple[Any, ...]:
    owned = (col(getattr(Challenge, name)) == owner_id for name, owner_id in owner.items())
    return _purpose == purpose.value, *owned


def _open(purpose: Purpose, now: datetime) -> tuple[Any, ...]:
    return _purpose == purpose.value, _used.is_(None), _expires > now
