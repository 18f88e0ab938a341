"""Sessions: opened by a sign-in, handed to the browser as a cookie, found, renewed, ended."""

from dataclasses import dataclass, replace
from datetime import timedelta

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.queries import login_history, sessions
from fuel_app.accounts.rules import (
    COOKIE_S,
    TICKET_S,
    Role,
    Session,
    hashed,
    label,
    lifetime,
    new_token,
)
from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.accounts.service.figures import TECHNICIAN_SESSION_DAYS
from fuel_app.accounts.tables import StoredSession
from fuel_app.kit import clock, figures
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.secrets import digest

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session, and the ticket by which its cookie is fetched, once, within a minute."""

    session_id: str
    ticket: str


@dataclass(frozen=True, slots=True)
class Cookie:
    """The token for the browser's cookie, and how long to keep it: None until it is closed."""

    token: str
    max_age_s: int | None


async def begin(
    session: AsyncSession,
    *,
    person_id: str | None = None,
    sign_up_id: str | None = None,
    second_factor: bool = False,
    device: str = "",
) -> SignedIn:
    """Start a session in the caller's transaction.

    With neither a person nor a sign-up it is one of the shared password.
    """
    now, ticket = clock.now(), new_token()
    row = StoredSession(
        token_hash=_of_ticket(ticket),
        person_id=person_id,
        sign_up_id=sign_up_id,
        second_factor=second_factor,
        proved_at=now if person_id else None,
        device=device,
        created_at=now,
        last_seen_at=now,
        expires_at=now + timedelta(seconds=TICKET_S),
    )
    log.info("session.opened", session=label(row.id))
    return SignedIn(await sessions.add(session, row), ticket)


async def redeem(ticket: str) -> Cookie | None:
    """Return the browser's cookie, with a token made now; None if the ticket is unknown, used or
    expired, or its session has ended."""
    spent, token, now = _of_ticket(ticket), new_token(), clock.now()
    async with reading() as session:  # an unknown one waits for no writer
        found = await sessions.find(session, now=now, token_hash=spent)
    if found is None:
        return None
    async with transaction() as session:
        expires = now + await _lifetime(session, found)
        given = await sessions.hand_over(session, spent, hashed(token), now=now, expires=expires)
    return Cookie(token, None if found.is_staff else COOKIE_S) if given else None


def _of_ticket(ticket: str) -> str:
    """Return a ticket's stored form, which stands in for the token's and is that of no token."""
    return digest("ticket", ticket).hex()


async def find(session_id: str) -> Session | None:
    """Return and extend the session, if it is open."""
    return await _find(id=session_id)


async def find_by_token(token: str) -> Session | None:
    """Return and extend the session of the browser with this cookie, if it is open."""
    return await _find(token_hash=hashed(token))


async def _find(**key: str) -> Session | None:
    now = clock.now()
    async with reading() as session:
        found = await sessions.find(session, now=now, **key)
    if found is None or not found.wants_renewal(now):
        return found
    try:
        async with transaction() as session:
            expires = now + await _lifetime(session, found)
            await sessions.renew(session, found.id, now=now, expires=expires)
    except Exception:  # the next event retries
        log.exception("session.renewal_failed")
        return found
    return replace(found, last_seen_at=now, expires_at=expires)


async def _lifetime(session: AsyncSession, of: Session) -> timedelta:
    """Return how long a session lasts without use; only a technician's depends on a figure."""
    if Role.TECHNICIAN not in of.roles:
        return lifetime(of)
    return lifetime(of, await figures.value(session, TECHNICIAN_SESSION_DAYS))


async def sign_out(session_id: str) -> None:
    """End a session in every tab at once."""
    async with transaction() as session:
        found = await sessions.find(session, now=clock.now(), id=session_id)
        if found is None:
            return
        here = Visitor(device=await sessions.end(session, session_id) or "")
        if found.person_id:
            await login_history.note(session, login_history.SIGNED_OUT, found.person_id, here)
    log.info("session.ended", session=label(session_id))
