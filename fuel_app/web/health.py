"""Whether the site can do its work, for monitors and load balancers."""

import asyncio

import structlog
from starlette.requests import Request
from starlette.responses import JSONResponse

from fuel_app.services import waitlist

log = structlog.get_logger(__name__)

PATIENCE_S = 2


async def health(_request: Request) -> JSONResponse:
    """200 with the waitlist's length, or 503 when the database does not answer in time."""
    no_store = {"Cache-Control": "no-store"}
    try:
        async with asyncio.timeout(PATIENCE_S):
            count = await waitlist.count()
    except Exception as error:  # whatever it is, the answer is the same
        log.error("health.unavailable", error=type(error).__name__)
        return JSONResponse({"status": "unavailable"}, 503, headers=no_store)
    return JSONResponse({"status": "ok", "waitlist": count}, headers=no_store)
