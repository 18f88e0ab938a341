"""Whether this process can do its work: what it leans on, asked one by one."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import structlog
from sqlalchemy import text
from starlette.requests import Request
from starlette.responses import JSONResponse

from fuel_app.kit.db import migrations
from fuel_app.kit.db.session import reading
from fuel_app.kit.redis import redis
from fuel_app.server import shutdown

log = structlog.get_logger()

PATIENCE_S = 2


async def check() -> Mapping[str, bool]:
    """Whether each thing answers in time; Redis only where there is one."""
    questions = {"database": _database, "migrations": _migrations}
    if redis():
        questions["redis"] = _redis
    answers = await asyncio.gather(*map(_works, questions.values()))
    return dict(zip(questions, answers, strict=True))


async def _works(question: Callable[[], Awaitable[bool]]) -> bool:
    try:
        async with asyncio.timeout(PATIENCE_S):
            return await question()
    except Exception as error:  # whatever it is, the answer is the same
        log.error(
            "readiness.check_failed", check=question.__name__.strip("_"), kind=type(error).__name__
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
    """200 as long as the process answers at all; asks nobody else."""
    return JSONResponse({"status": "ok"}, headers=_FRESH)


async def ready(_request: Request) -> JSONResponse:
    """200 when the database, its migrations and Redis are as they should be; else 503."""
    if shutdown.has_begun():
        return JSONResponse({"status": "stopping"}, 503, headers=_FRESH)
    works = await check()
    is_ready = all(works.values())
    status = "ready" if is_ready else "unavailable"
    return JSONResponse({"status": status, **works}, 200 if is_ready else 503, headers=_FRESH)
