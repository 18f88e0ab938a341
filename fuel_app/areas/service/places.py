"""Suggestions for a half-typed place, and where each ZIP is."""

import asyncio
from collections.abc import Mapping

import structlog
from cachetools import TTLCache

from fuel_app.areas.providers import OfflineGeocoder, geocoder, places, zip_positions
from fuel_app.areas.rules.places import LEAST_TYPED, LONGEST_TYPED, Coordinates, Located
from fuel_app.kit import contact
from fuel_app.kit.errors import TooManyRequests
from fuel_app.kit.throttle import GEOCODINGS, SUGGESTIONS, throttle

log = structlog.get_logger()

_recent: TTLCache[str, list[str]] = TTLCache(maxsize=2048, ttl=300)  # seconds


async def prepare() -> None:
    """Load what the first suggestion needs."""
    await places().prepare()


async def suggest(text: object, *, session: str, address: str) -> list[str]:
    """Return completions of the text; none for a network address over its rate limit.

    The `session` is a token that groups one visitor's keystrokes.
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
    _recent[question] = await places().suggest(typed, session)
    return _recent[question]


async def zip_places() -> Mapping[str, Coordinates]:
    """Return the position of every ZIP in use; none if the table cannot be read."""
    try:
        return await asyncio.to_thread(zip_positions)
    except Exception:  # the map goes without circles
        log.exception("zip_places.unreadable")
        return {}


async def locate(address: str, zip_code: str, *, by: str) -> Located | None:
    """Return where a whole address is, at worst the centre of its ZIP; None for an unknown ZIP.

    Above the rate limit of the person `by`, the centre is the answer.
    """
    try:
        await throttle().spend(GEOCODINGS, by)
    except TooManyRequests:
        return await centre(zip_code)
    return await geocoder().locate(address, zip_code)


async def centre(zip_code: str) -> Located | None:
    """Return the centre of a ZIP; None for an unknown one."""
    return await OfflineGeocoder().locate("", zip_code)
