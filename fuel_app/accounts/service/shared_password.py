"""The staff's shared password: in use until the first admin exists."""

import secrets

import structlog

from fuel_app.accounts import providers as passwords
from fuel_app.accounts.queries import people, staff
from fuel_app.accounts.queries import sessions as stored
from fuel_app.accounts.rules import SHARED_PASSWORD_MAX
from fuel_app.accounts.rules.sign_in import Visitor
from fuel_app.accounts.service import sessions
from fuel_app.accounts.service.sessions import SignedIn
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.errors import InvalidForm, TooManyRequests, WrongPassword
from fuel_app.kit.throttle import STAFF_LOGINS, throttle

log = structlog.get_logger()


async def sign_in(password: object, visitor: Visitor) -> SignedIn:
    """Open a session.

    Raises:
        WrongPassword: If it is not the staff password, none is set, or an admin exists.
        TooManyRequests: After 5 wrong ones from one address in 15 minutes.
    """
    typed = password if isinstance(password, str) and len(password) <= SHARED_PASSWORD_MAX else ""
    try:
        async with throttle().failing(STAFF_LOGINS, visitor.address):
            if not await passwords.is_right(typed):
                raise WrongPassword
            async with transaction() as session:
                if await staff.lock_admins(session):
                    raise WrongPassword
                return await sessions.begin(session, device=visitor.device)
    except (WrongPassword, TooManyRequests) as refusal:
        log.warning("staff.sign_in_refused", reason=type(refusal).__name__)
        raise


async def is_retired() -> bool:
    """Return whether a named admin exists, so that staff sign in on /sign-in."""
    async with reading() as session:
        return await people.has_admin(session)


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
    if not 0 < len(password) <= SHARED_PASSWORD_MAX:
        raise InvalidForm({"password": f"A password has 1 to {SHARED_PASSWORD_MAX} characters"})
    passwords.replace(password)
    async with transaction() as session:
        return await stored.end_all_shared(session)
