"""Hooks around Reflex's events: one log entry each, and a callback when a tab connects."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import structlog
from prometheus_client import Histogram
from reflex.app import App
from reflex.middleware.middleware import Middleware
from reflex.state import BaseState, StateUpdate
from reflex_base.constants import CompileVars
from reflex_base.event import Event
from reflex_base.event.context import EventContext
from reflex_base.registry import RegistrationContext

from fuel_app.kit.metrics import EVENTS
from fuel_app.server.reflex import shutdown

log = structlog.get_logger()

_CONNECTING = (f".{CompileVars.HYDRATE}", f".{CompileVars.HYDRATE_AND_LOAD}")


def current_id() -> str | None:
    """Return the id of the event that runs, which its log entries carry."""
    try:
        return EventContext.get().txid
    except LookupError:
        return None


class EventLog(Middleware):
    """Logs one entry when an event has ended, whether plain, yielding or in the background.

    Reflex calls nothing afterwards, but runs each event as a task of its own.
    """

    async def preprocess(self, app: App, state: BaseState, event: Event) -> StateUpdate | None:
        structlog.contextvars.bind_contextvars(request_id=current_id())
        if task := asyncio.current_task():
            in_background = _is_background(event)
            shutdown.note(task, in_background=in_background)
            name = event.name.rpartition("____")[2]
            timer = None if in_background else EVENTS
            task.add_done_callback(partial(_log_event, name, time.perf_counter(), timer))
        return None


class ConnectHook(Middleware):
    """Calls back before a connecting tab is sent its state.

    Args:
        callback: Gets the tab's state, and whether the page was open already.
    """

    def __init__(self, callback: Callable[[Any, bool], Awaitable[None]]) -> None:
        self._callback = callback

    async def preprocess(self, app: App, state: BaseState, event: Event) -> StateUpdate | None:
        if event.name.endswith(_CONNECTING):
            # Only a page that has just been loaded sends the hashes of its build.
            await self._callback(state, not event.payload.get("hashes"))
        return None


def _is_background(event: Event) -> bool:
    registered = RegistrationContext.get().event_handlers.get(event.name)
    return registered is not None and registered.handler.is_background


def _log_event(name: str, started: float, timer: Histogram | None, task: asyncio.Task[Any]) -> None:
    seconds = time.perf_counter() - started
    outcome = "cancelled" if task.cancelled() else "failed" if task.exception() else "done"
    if timer:
        timer.labels(name, outcome).observe(seconds)
    log.info("event.handled", handler=name, outcome=outcome, ms=round(1000 * seconds, 1))
