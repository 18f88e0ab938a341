"""Password hashes, and the shared password of the settings or the data folder."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from fuel_app.kit.secrets import write_once, written
from fuel_app.settings import DATA_DIR, settings

FILE = DATA_DIR / "staff-password"
Result = TypeVar("Result")

# A check takes much memory and CPU: two at a time.
_hashing = ThreadPoolExecutor(2, thread_name_prefix="passwords")


@cache
def _from_settings() -> str:
    if settings.staff_password_hash:
        return settings.staff_password_hash.get_secret_value()
    if settings.staff_password:
        return PasswordHasher().hash(settings.staff_password.get_secret_value())
    return ""


def is_set_by_settings() -> bool:
    return bool(_from_settings())


def stored_hash() -> str:
    """Return the hash in force, empty if there is none; the file may change at run time."""
    try:
        return _from_settings() or FILE.read_text().strip()
    except FileNotFoundError:
        return ""


def create(password: str) -> bool:
    """Store a shared password unless one is stored. Of several processes, one succeeds."""
    return write_once(FILE, f"{PasswordHasher().hash(password)}\n")


def replace(password: str) -> None:
    """Replace the stored shared password."""
    written(FILE, f"{PasswordHasher().hash(password)}\n").replace(FILE)


async def is_right(password: str) -> bool:
    """Check the shared password, in a thread: hashing is slow."""
    return await _in_thread(_verify, stored_hash(), password)


# OWASP's parameters for Argon2id: 19 MB, two passes, about 15 ms. Above the spread of one
# machine, a stronger hash only makes a burst of sign-ins slower.
HASHER = PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1)


# Of a password that no one knows: the first unknown e-mail would wait for a hash made then.
_UNKNOWNS = (
    "$argon2id$v=19$m=19456,t=2,p=1$7HnpBDzj7oXFkJ9ah+SSlw$wtJN5o"
    "zG2s8oF15dJ5knIcgxe2MDw7r2oxyJ4WnRv40"
)


async def hash_password(password: str) -> str:
    """Return the hash of a person's password."""
    return await _in_thread(HASHER.hash, password)


async def matches(stored: str | None, password: str) -> bool:
    """Check a person's password; without a stored hash it takes as long and is wrong."""
    right = await _in_thread(_verify, stored or _UNKNOWNS, password)
    return right and stored is not None


async def _in_thread(function: Callable[..., Result], *values: str) -> Result:
    return await asyncio.get_running_loop().run_in_executor(_hashing, function, *values)


def _verify(stored: str, password: str) -> bool:
    try:
        return PasswordHasher().verify(stored, password)
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return False
