"""Health and readiness endpoints."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any

import structlog
from alembic.script import ScriptDirectory
from sqlalchemy import text
from starlette.requests import Request
from starlette.responses import JSONResponse

from fuel_app.kit.db.session import reading
from fuel_app.kit.http import FRESH
from fuel_app.kit.signals import redis
from fuel_app.server.reflex import shutdown
from fuel_app.settings import ROOT

log = structlog.get_logger()

TIMEOUT_S = 2
_CURRENT = text("SELECT version_num FROM alembic_version")


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
    """Pass if no migration is missing.

    A database that is ahead of this code passes too: during an upgrade the old processes serve on
    while the new ones come up.
    """
    async with reading() as session:
        current = await session.scalar(_CURRENT)
    head, revisions = _known_migrations()
    return current is not None and (current == head or current not in revisions)


@cache
def _known_migrations() -> tuple[str | None, frozenset[str]]:
    """Return the newest migration of this code, and all of them."""
    scripts = ScriptDirectory(str(ROOT / "alembic"))
    return scripts.get_current_head(), frozenset(one.revision for one in scripts.walk_revisions())


async def _redis() -> bool:
    connections: Any = redis()
    return await connections.ping()


async def health(_request: Request) -> JSONResponse:
    """Answer 200 for as long as the process lives."""
    return JSONResponse({"status": "ok"}, headers=FRESH)


async def ready(_request: Request) -> JSONResponse:
    """Answer 200 when every check passes, else 503 with what failed."""
    if shutdown.has_begun():
        return JSONResponse({"status": "stopping"}, 503, headers=FRESH)
    checked = await check()
    is_ready = all(checked.values())
    status = "ready" if is_ready else "unavailable"
    return JSONResponse({"status": status, **checked}, 200 if is_ready else 503, headers=FRESH)
