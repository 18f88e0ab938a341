"""Staff sign-in, sessions and the password."""

import secrets
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from fuel_app.accounts import providers as passwords
from fuel_app.accounts import queries as staff
from fuel_app.accounts.providers import tickets
from fuel_app.accounts.rules import IDLE, PASSWORD_MAX, TICKET_S, Session, hashed, label, new_token
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm, TooManyRequests, WrongPassword
from fuel_app.kit.signals import STAFF, signals
from fuel_app.kit.throttle import STAFF_LOGINS, throttle

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A new session, and the ticket by which its cookie is fetched."""

    session_id: str
    ticket: str


async def sign_in(password: object, *, address: str) -> SignedIn:
    """Open a session.

    Raises:
        WrongPassword: If it is not the staff password, or none is set.
        TooManyRequests: After 5 wrong ones from one address in 15 minutes.
    """
    try:
        async with throttle().failing(STAFF_LOGINS, address):
            await _check(password)
    except (WrongPassword, TooManyRequests) as refusal:
        log.warning("staff.sign_in_refused", reason=type(refusal).__name__)
        raise
    now = clock.now()
    async with transaction() as session:
        # A placeholder: the browser's token is made when it hands in the ticket.
        session_id = await staff.add(
            session, hashed(new_token()), now=now, expires=now + timedelta(seconds=TICKET_S)
        )
    log.info("staff.signed_in", session=label(session_id))
    return SignedIn(session_id, await tickets().issue(session_id))


async def _check(password: object) -> None:
    typed = password if isinstance(password, str) and len(password) <= PASSWORD_MAX else ""
    if not await passwords.is_right(typed):
        raise WrongPassword


async def redeem(ticket: str) -> str | None:
    """Return the token for the browser's cookie; None if the ticket is unknown, used or expired."""
    session_id = await tickets().redeem(ticket)
    if session_id is None:
        return None
    token, now = new_token(), clock.now()
    async with transaction() as session:
        given = await staff.hand_over(
            session, session_id, hashed(token), now=now, expires=now + IDLE
        )
    return token if given else None


async def find(session_id: str) -> Session | None:
    """Return and extend the session, if it is open."""
    return await _find(id=session_id)


async def find_by_token(token: str) -> Session | None:
    """Return and extend the session of the browser with this cookie, if it is open."""
    return await _find(token_hash=hashed(token))


async def _find(**key: str) -> Session | None:
    now = clock.now()
    async with reading() as session:
        found = await staff.find(session, now=now, **key)
    if found is None or not found.wants_renewal(now):
        return found
    try:
        async with transaction() as session:
            await staff.renew(session, found.id, now=now, expires=now + IDLE)
    except Exception:  # the next event retries
        log.exception("staff.renewal_failed")
        return found
    return replace(found, last_seen_at=now, expires_at=now + IDLE)


async def sign_out(session_id: str) -> None:
    """End a session in every tab at once."""
    async with transaction() as session:
        ended = await staff.end(session, session_id)
    if ended:
        log.info("staff.signed_out", session=label(session_id))
        await signals().publish(STAFF)


def ensure_password() -> str | None:
    """Make a password unless there is one. Return a new one, to be shown once."""
    if passwords.stored_hash():
        return None
    password = secrets.token_urlsafe(15)
    return password if passwords.create(password) else None


async def change_password(password: str) -> int:
    """Store a new password, as its hash. Return how many sessions it has ended.

    Raises:
        InvalidForm: If it is empty or too long, or if the settings name one.
    """
    if passwords.is_set_by_settings():
        problem = "The settings name the staff's password (FUEL_STAFF_PASSWORD...): change it there"
        raise InvalidForm({"password": problem})
    if not 0 < len(password) <= PASSWORD_MAX:
        raise InvalidForm({"password": f"A password has 1 to {PASSWORD_MAX} characters"})
    passwords.replace(password)
    async with transaction() as session:
        ended = await staff.end_all(session)
    await signals().publish(STAFF)
    return ended
