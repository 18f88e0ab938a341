"""Asking a routing service over HTTP. Neither keys nor positions get into logs or errors."""

import logging
from typing import Any

import httpx

from fuel_app.providers.routing.base import Unavailable

# Its lines hold whole addresses, and those hold where customers live.
logging.getLogger("httpx").setLevel(logging.WARNING)

PATIENCE = httpx.Timeout(4, connect=2)  # seconds


async def ask(client: httpx.AsyncClient, method: str, address: str, **more: Any) -> tuple[int, Any]:
    """The HTTP status and the JSON of an answer.

    Raises:
        Unavailable: If nothing comes, or nothing that is JSON.
    """
    try:
        answer = await client.request(method, address, **more)
    except httpx.TimeoutException:
        raise Unavailable("TIMEOUT", passing=True) from None
    except httpx.HTTPError:
        raise Unavailable("UNREACHABLE", passing=True) from None
    try:
        return answer.status_code, answer.json()
    except (ValueError, RecursionError):
        raise unreadable(answer.status_code) from None


def unreadable(status: int) -> Unavailable:
    """What it means that an answer with this HTTP status says nothing else."""
    if status == 200:
        return Unavailable("INVALID_RESPONSE", passing=False)
    return Unavailable(f"HTTP_{status}", passing=status >= 500 or status == 429)
