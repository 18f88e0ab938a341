"""Access log and metrics: one entry and one measurement a request; the `/metrics` endpoint."""

import asyncio
import re
import time
from collections.abc import Callable
from secrets import compare_digest

import structlog
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuel_app import routes
from fuel_app.kit.http import FRESH, Endpoint
from fuel_app.kit.jobs import service as jobs
from fuel_app.kit.metrics import REQUESTS, WEBSOCKETS
from fuel_app.server.logs import new_request_id
from fuel_app.server.reflex import shutdown
from fuel_app.settings import settings

log = structlog.get_logger()

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
# Addresses that name a neighborhood or hold a token are logged as their pattern.
_LINK = re.compile(rf"({'|'.join((routes.JOIN_NEIGHBORHOOD, *routes.LINK_PAGES))})/+[^/]+")


class RequestLog:
    """Gives each request an id, logs it, and answers 500 for an unexpected error."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            with WEBSOCKETS.track_inprogress():
                await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if task := asyncio.current_task():
            shutdown.note(task)
        started, status, size, whole = time.perf_counter(), 0, 0, False
        request_id = _request_id(Headers(scope=scope))

        async def counting(message: Message) -> None:
            nonlocal status, size, whole
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                status, size = message["status"], int(headers.get("content-length", 0))
            await send(message)
            whole = message["type"] == "http.response.body" and not message.get("more_body")

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, counting)
            except Exception:
                log.exception("request.failed")
                if not status:
                    await PlainTextResponse("Internal Server Error", 500)(scope, receive, counting)
                elif not whole:  # too late for another answer: uvicorn closes the connection
                    raise
            finally:
                seconds = time.perf_counter() - started
                REQUESTS.labels(route_of(scope["path"]), status).observe(seconds)
                log.info(
                    "request.answered",
                    method=scope["method"],
                    path=_LINK.sub(r"\1/{id}", scope["path"]),
                    status=status,
                    ms=round(1000 * seconds, 1),
                    bytes=size,
                )


def _request_id(headers: Headers) -> str:
    """Return a trusted proxy's id, else a new one."""
    sent = headers.get("x-request-id", "") if settings.trusted_proxy_hops else ""
    return sent if _REQUEST_ID.fullmatch(sent) else new_request_id()


metrics_log = structlog.get_logger(__name__)

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
    return next((name for pattern, name in _PATTERNS.items() if pattern.fullmatch(clean)), "other")


def metrics(guard: Guard) -> Endpoint:
    """Return the endpoint, open to the settings' token and to whom `guard` lets through."""
    guarded = guard(_answer)

    async def answer(request: Request) -> Response:
        return await (_answer if _has_token(request) else guarded)(request)

    return answer


def _has_token(request: Request) -> bool:
    token, sent = settings.metrics_token, request.headers.get("authorization", "")
    if token is None:
        return False
    return compare_digest(sent.encode(), f"Bearer {token.get_secret_value()}".encode())


async def _answer(_request: Request) -> Response:
    try:
        await jobs.measure()
    except Exception:  # the database is gone: all else can still be read
        metrics_log.exception("metrics.jobs_unavailable")
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
