"""Staff access: one shared password, checked on the server."""

import asyncio
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from fuel_app.domain.allowance import STAFF_LOGINS
from fuel_app.domain.errors import WrongPassword
from fuel_app.providers.throttle import throttle
from fuel_app.settings import settings

PASSWORD_MAX = 200


@cache
def _stored_hash() -> str:
    """The hash to compare with; with no password set, one that nothing matches."""
    if settings.staff_password_hash:
        return settings.staff_password_hash.get_secret_value()
    if settings.staff_password:
        return PasswordHasher().hash(settings.staff_password.get_secret_value())
    return ""


def _is_right(password: str) -> bool:
    try:
        return PasswordHasher().verify(_stored_hash(), password)
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return False


async def check_password(password: object, *, address: str) -> None:
    """Refuse everyone but staff. Hashing takes its time, so it runs beside the event loop.

    Raises:
        WrongPassword: If it is not the staff's password, or none is set.
        TooManyRequests: After 5 tries from one address in 15 minutes.
    """
    await throttle().spend(STAFF_LOGINS, address)
    typed = password if isinstance(password, str) and len(password) <= PASSWORD_MAX else ""
    if not await asyncio.to_thread(_is_right, typed):
        raise WrongPassword
