"""Choosing the staff's password."""

import secrets

from fuel_app.db import staff
from fuel_app.domain.staff import PASSWORD_MAX
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.signals import STAFF, signals
from fuel_app.providers import passwords


def prepare() -> str | None:
    """Make sure that there is a password; returns one that was made just now, to be shown once."""
    if passwords.stored_hash():
        return None
    password = secrets.token_urlsafe(15)
    return password if passwords.create(password) else None


async def change(password: str) -> int:
    """Store a new password, as its hash. Returns how many sessions have ended with the old one.

    Raises:
        InvalidForm: If it is empty or too long, or if the settings name one, which counts.
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
