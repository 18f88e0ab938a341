"""Where each ZIP code is, for the map: read once, when first asked."""

import asyncio
import logging
from collections.abc import Mapping
from functools import cache
from threading import Lock

from fuel_app.providers import us_post

log = logging.getLogger(__name__)

_read = cache(us_post.positions)
_once = Lock()  # whoever asks while it is read waits for it, instead of reading it too


async def zip_places() -> Mapping[str, tuple[float, float]]:
    """Latitude and longitude of every ZIP in use; none at all if they cannot be read."""
    try:
        return await asyncio.to_thread(_read_once)
    except Exception:  # the table goes on without the map's circles
        log.exception("zip_places.unreadable")
        return {}


def _read_once() -> Mapping[str, tuple[float, float]]:
    with _once:
        return _read()
