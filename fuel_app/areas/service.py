"""Suggestions for a half-typed place."""

from cachetools import TTLCache

from fuel_app.areas.providers import places
from fuel_app.areas.rules import LEAST_TYPED, LONGEST_TYPED
from fuel_app.kit import contact
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.throttle import SUGGESTIONS, throttle

_recent: TTLCache[str, list[str]] = TTLCache(maxsize=2048, ttl=300)  # seconds


async def prepare() -> None:
    """Return once suggestions come without delay."""
    await places().prepare()


async def suggest(text: object, *, session: str, address: str) -> list[str]:
    """What the text may become; nothing for an address that asks too often.

    Args:
        session: A token that holds one person's keystrokes together.
        address: The visitor's network address, for fair use.
    """
    typed = contact.text(text)
    if not LEAST_TYPED <= len(typed) <= LONGEST_TYPED:
        return []
    question = typed.casefold()
    if question in _recent:
        return _recent[question]
    try:
        await throttle().spend(SUGGESTIONS, address)
    except TooManyRequests:
        return []
    found = _recent[question] = await places().suggest(typed, session)
    return found
