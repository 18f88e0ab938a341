"""Whether this process lives, and whether it can do its work, for monitors and load balancers."""

from starlette.requests import Request
from starlette.responses import JSONResponse

from fuel_app.services import readiness
from fuel_app.web import shutdown

_FRESH = {"Cache-Control": "no-store"}


async def health(_request: Request) -> JSONResponse:
    """200 as long as the process answers at all; asks nobody else."""
    return JSONResponse({"status": "ok"}, headers=_FRESH)


async def ready(_request: Request) -> JSONResponse:
    """200 when the database, its migrations and Redis are as they should be; else 503."""
    if shutdown.has_begun():
        return JSONResponse({"status": "stopping"}, 503, headers=_FRESH)
    works = await readiness.check()
    is_ready = all(works.values())
    status = "ready" if is_ready else "unavailable"
    return JSONResponse({"status": status, **works}, 200 if is_ready else 503, headers=_FRESH)
