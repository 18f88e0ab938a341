"""Access log: one entry and one measurement for every HTTP request, without personal data."""

import asyncio
import re
import time

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuel_app import routes
from fuel_app.kit.metrics import REQUESTS, WEBSOCKETS
from fuel_app.server.logs import new_request_id
from fuel_app.server.metrics import route_of
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
    given = headers.get("x-request-id", "") if settings.trusted_proxy_hops else ""
    return given if _REQUEST_ID.fullmatch(given) else new_request_id()
