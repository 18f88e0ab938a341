"""One log line for every HTTP request and for every event: what, how long, with what outcome. The
same is counted for monitoring.

Never who, nor what they typed.
"""

import asyncio
import re
import time
from functools import partial
from typing import Any

import structlog
from prometheus_client import Histogram
from reflex.app import App
from reflex.middleware.middleware import Middleware
from reflex.state import BaseState, StateUpdate
from reflex_base.event import Event
from reflex_base.event.context import EventContext
from reflex_base.registry import RegistrationContext
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuel_app import routes
from fuel_app.kit.metrics import EVENTS, REQUESTS, WEBSOCKETS
from fuel_app.server import shutdown
from fuel_app.server.logs import new_request_id
from fuel_app.server.metrics import route_of
from fuel_app.settings import settings

log = structlog.get_logger()

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
# Addresses that name somebody's group are logged as their pattern.
_JOIN_LINK = re.compile(rf"({routes.JOIN_NEIGHBORHOOD})/+[^/]+")


class RequestLog:
    """Gives each request an id, logs one line for it, and turns an error of ours into a 500."""

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
                log.exception("http.error")
                if not status:
                    await PlainTextResponse("Internal Server Error", 500)(scope, receive, counting)
                elif not whole:  # too late for another answer: the server cuts it off
                    raise
            finally:
                seconds = time.perf_counter() - started
                REQUESTS.labels(route_of(scope["path"]), status).observe(seconds)
                log.info(
                    "http.request",
                    method=scope["method"],
                    path=_JOIN_LINK.sub(r"\1/{id}", scope["path"]),
                    status=status,
                    ms=_in_ms(seconds),
                    bytes=size,
                )


def _request_id(headers: Headers) -> str:
    """The proxy's id where there is a proxy that we trust, else a new one."""
    given = headers.get("x-request-id", "") if settings.trusted_proxy_hops else ""
    return given if _REQUEST_ID.fullmatch(given) else new_request_id()


class EventLog(Middleware):
    """Logs one line when an event has ended, whether plain, yielding or in the background.

    The framework calls nothing afterwards, but runs each event as a task of its own.
    """

    async def preprocess(self, app: App, state: BaseState, event: Event) -> StateUpdate | None:
        structlog.contextvars.bind_contextvars(request_id=EventContext.get().txid)
        if task := asyncio.current_task():
            in_background = _stays_in_background(event)
            shutdown.note(task, in_background=in_background)
            name = event.name.rpartition("____")[2]
            timer = None if in_background else EVENTS
            task.add_done_callback(partial(_log_event, name, time.perf_counter(), timer))
        return None


def _stays_in_background(event: Event) -> bool:
    known = RegistrationContext.get().event_handlers.get(event.name)
    return known is not None and known.handler.is_background


def _log_event(name: str, started: float, timer: Histogram | None, task: asyncio.Task[Any]) -> None:
    seconds = time.perf_counter() - started
    outcome = "cancelled" if task.cancelled() else "failed" if task.exception() else "done"
    if timer:
        timer.labels(name, outcome).observe(seconds)
    log.info("event.handled", handler=name, outcome=outcome, ms=_in_ms(seconds))


def _in_ms(seconds: float) -> float:
    return round(1000 * seconds, 1)
