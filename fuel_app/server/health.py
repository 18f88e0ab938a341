"""Health and readiness endpoints."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import structlog
from sqlalchemy import text
from starlette.requests import Request
from starlette.responses import JSONResponse

from fuel_app.kit.db import migrations
from fuel_app.kit.db.session import reading
from fuel_app.kit.redis import redis
from fuel_app.server.reflex import shutdown

log = structlog.get_logger()

TIMEOUT_S = 2


async def check() -> Mapping[str, bool]:
    """Check the database, its migrations and, where configured, Redis."""
    checks = {"database": _database, "migrations": _migrations}
    if redis():
        checks["redis"] = _redis
    answers = await asyncio.gather(*map(_passes, checks.values()))
    return dict(zip(checks, answers, strict=True))


async def _passes(check: Callable[[], Awaitable[bool]]) -> bool:
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await check()
    except Exception as error:  # whatever it is, the answer is the same
        log.error(
            "readiness.check_failed", check=check.__name__.strip("_"), kind=type(error).__name__
        )
        return False


async def _database() -> bool:
    async with reading() as session:
        return await session.scalar(text("SELECT 1")) == 1


async def _migrations() -> bool:
    async with reading() as session:
        return await migrations.at_head(session)


async def _redis() -> bool:
    connections = redis()
    return connections is not None and bool(await connections.ping())  # type: ignore[misc]


_FRESH = {"Cache-Control": "no-store"}


async def health(_request: Request) -> JSONResponse:
    """Answer 200 for as long as the process lives."""
    return JSONResponse({"status": "ok"}, headers=_FRESH)


async def ready(_request: Request) -> JSONResponse:
    """Answer 200 when every check passes, else 503 with what failed."""
    if shutdown.has_begun():
        return JSONResponse({"status": "stopping"}, 503, headers=_FRESH)
    checked = await check()
    is_ready = all(checked.values())
    status = "ready" if is_ready else "unavailable"
    return JSONResponse({"status": status, **checked}, 200 if is_ready else 503, headers=_FRESH)
