"""The `/metrics` endpoint, in Prometheus' format."""

import asyncio
import re
from collections.abc import Callable
from secrets import compare_digest

import structlog
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.requests import Request
from starlette.responses import Response

from fuel_app import routes
from fuel_app.kit.http import FRESH, Endpoint
from fuel_app.kit.jobs import service as jobs
from fuel_app.settings import settings

log = structlog.get_logger(__name__)

Guard = Callable[[Endpoint], Endpoint]

_ADDRESSES = {
    value for name, value in vars(routes).items() if name.isupper() and isinstance(value, str)
}
_BELOW_A_JOIN_LINK = (routes.share_card, routes.join_code, routes.flyer)
_PATTERNS = {
    re.compile(re.sub(r"\\?[{\[]\w+\\?[}\]]", "[^/]+", re.escape(address))): address
    for address in (*_ADDRESSES, *(below("[neighborhood_id]") for below in _BELOW_A_JOIN_LINK))
    if "[" in address or "{" in address
}


def route_of(path: str) -> str:
    """Return a path's route, from a fixed set however many paths are requested."""
    clean = path.rstrip("/") or "/"
    if clean in _ADDRESSES:
        return clean
    if path.startswith(("/assets/", "/fonts/")):
        return "files"
    return next((name for known, name in _PATTERNS.items() if known.fullmatch(clean)), "other")


def metrics(guard: Guard) -> Endpoint:
    """Return the endpoint, open to the settings' token and to whom `guard` lets through."""
    guarded = guard(_answer)

    async def answer(request: Request) -> Response:
        return await (_answer if _has_token(request) else guarded)(request)

    return answer


def _has_token(request: Request) -> bool:
    token, given = settings.metrics_token, request.headers.get("authorization", "")
    if token is None:
        return False
    return compare_digest(given.encode(), f"Bearer {token.get_secret_value()}".encode())


async def _answer(_request: Request) -> Response:
    try:
        await jobs.measure()
    except Exception:  # the database is gone: all else can still be read
        log.exception("metrics.jobs_unavailable")
    text = await asyncio.to_thread(generate_latest, _registry())
    return Response(text, headers=FRESH, media_type=CONTENT_TYPE_LATEST)


def _registry() -> CollectorRegistry:
    """Return this process's metrics, or the sum over workers that share a port."""
    every_worker = CollectorRegistry()
    try:
        MultiProcessCollector(every_worker)
    except ValueError:  # a single worker
        return REGISTRY
    return every_worker
