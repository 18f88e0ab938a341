"""The staff password, from the settings or a file in the data folder, and one-time tickets."""

import asyncio
import os
import secrets
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Protocol

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from redis.asyncio import Redis

from fuel_app.accounts.rules import TICKET_S
from fuel_app.kit.redis import redis
from fuel_app.settings import DATA_DIR, settings

FILE = DATA_DIR / "staff-password"

# A check takes 64 MB and much CPU: two at a time.
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
    """Store a password unless one is stored. Of several processes, one succeeds."""
    new = _written(password)
    try:
        FILE.hardlink_to(new)
    except FileExistsError:
        return False
    finally:
        new.unlink()
    return True


def replace(password: str) -> None:
    """Replace the stored password."""
    _written(password).replace(FILE)


def _written(password: str) -> Path:
    """Write a complete file of mode 600 beside the real one."""
    FILE.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=FILE.parent, prefix=f"{FILE.name}.")
    with os.fdopen(handle, "w") as file:
        file.write(f"{PasswordHasher().hash(password)}\n")
    return Path(name)


async def is_right(password: str) -> bool:
    """Check the password, in a thread: hashing is slow."""
    return await asyncio.get_running_loop().run_in_executor(_hashing, _matches, password)


def _matches(password: str) -> bool:
    try:
        return PasswordHasher().verify(stored_hash(), password)
    except (VerificationError, InvalidHashError, UnicodeEncodeError):
        return False


_PREFIX = "fuel:ticket:"


class Tickets(Protocol):
    async def issue(self, value: str) -> str:
        """Return a ticket for `value`."""
        ...

    async def redeem(self, ticket: str) -> str | None:
        """Return the ticket's value, once; None if it is unknown, used or expired."""
        ...


class MemoryTickets:
    """Tickets of a single process."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[float, str]] = {}  # good until, value

    async def issue(self, value: str) -> str:
        now = time.monotonic()
        self._open = {ticket: held for ticket, held in self._open.items() if held[0] > now}
        ticket = secrets.token_urlsafe(32)
        self._open[ticket] = (now + TICKET_S, value)
        return ticket

    async def redeem(self, ticket: str) -> str | None:
        good_until, value = self._open.pop(ticket, (0.0, ""))
        return value if good_until > time.monotonic() else None


class SharedTickets:
    """Tickets that several processes share through Redis."""

    def __init__(self, connections: Redis) -> None:
        self._redis = connections

    async def issue(self, value: str) -> str:
        ticket = secrets.token_urlsafe(32)
        await self._redis.set(_PREFIX + ticket, value, ex=TICKET_S)
        return ticket

    async def redeem(self, ticket: str) -> str | None:
        return await self._redis.getdel(_PREFIX + ticket)


@cache
def tickets() -> Tickets:
    """Return this process's tickets, by the settings."""
    connections = redis()
    return SharedTickets(connections) if connections else MemoryTickets()
