"""Graceful shutdown: finish what is running, and move the tabs to another process."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress

import structlog
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuel_app.kit import background
from fuel_app.kit.jobs.worker import WORKER

log = structlog.get_logger()

TIMEOUT_S = 25  # for everything
END_S = 10  # for uvicorn after that, which waits for threads; then SIGALRM ends the process
_ANSWERS_S = 5  # for events and requests that are running
_PAUSE_S = 0.03  # between two tabs
_AWAY_S = 12  # for all tabs, however many
_LEAVING_S = 1  # for the last tabs to disconnect by themselves

# Not a Socket.IO packet: the client closes a connection that it cannot parse, and reconnects. If
# the server closed it, messages that are on their way would be lost.
_GO = {"type": "websocket.send", "text": "4?"}
_EVENT = "reflex_event|"  # how Reflex names the tasks of events
_SERVICE_RESTART = {"type": "websocket.close", "code": 1012}

_answers: set[asyncio.Task] = set()  # requests and foreground events
_followers: set[asyncio.Task] = set()  # background events
_tabs: dict[asyncio.Task, Send] = {}  # open websockets
_stopping = asyncio.Event()


def has_begun() -> bool:
    return _stopping.is_set()


def note(task: asyncio.Task, *, in_background: bool = False) -> None:
    """Let a task finish before the process ends."""
    tasks = _followers if in_background else _answers
    tasks.add(task)
    task.add_done_callback(tasks.discard)


class Tabs:
    """Tracks open websockets. A stopping process answers new ones with 503, so that the proxy takes
    the next process and the tab does not notice. `also_when` is another reason to refuse them."""

    def __init__(self, app: ASGIApp, also_when: Callable[[], bool] = bool) -> None:
        self._app, self._also_when = app, also_when

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and (has_begun() or self._also_when()):
            await _refuse(scope, receive, send)
            return
        if scope["type"] == "websocket" and (task := asyncio.current_task()):
            _tabs[task] = send
            task.add_done_callback(_tabs.pop)
        await self._app(scope, receive, send)


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    if "websocket.http.response" in scope.get("extensions", {}):
        await PlainTextResponse("", 503)(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1001})


@asynccontextmanager
async def finish_first() -> AsyncIterator[None]:
    """Handle SIGTERM during the life of the process.

    uvicorn would close all websockets at once. It is stopped by SIGINT, which means the same to it,
    when nothing is left to do.
    """
    tasks = set()

    def on_sigterm() -> None:
        if not has_begun():
            _stopping.set()
            tasks.add(asyncio.create_task(_finish_and_stop()))

    with suppress(NotImplementedError):  # where there are no such signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, on_sigterm)
    yield


async def _finish_and_stop() -> None:
    try:
        await finish()
    finally:
        signal.alarm(END_S)
        os.kill(os.getpid(), signal.SIGINT)


async def finish() -> None:
    """Wait for running events, send the tabs away, then wait for the rest.

    A tab that loses its connection reconnects by itself, to another process, and gets the outcome
    of its last event there. Its background events, which follow changes, end with the connection.
    """
    began = time.monotonic()
    await WORKER.stop()
    log.info("process.stopping", running=len(_answers), in_background=len(_followers))
    await _finished(_answers, _ANSWERS_S)
    await send_away()
    until = began + TIMEOUT_S
    left = {*_answers, *_followers, *background.under_way(), *_events()}
    while left and time.monotonic() < until:
        await _finished(left, until - time.monotonic())
        left = {task for task in left | _events() if not task.done()}
    log.info("process.stopped", unfinished=len(left), s=round(time.monotonic() - began, 1))


async def send_away() -> None:
    """Have every tab disconnect and reconnect, spread over time: the other process sends each tab
    its whole state."""
    here = dict(_tabs)
    for tab in here.values():
        await _tell(tab, _GO)
        await asyncio.sleep(min(_PAUSE_S, _AWAY_S / len(here)))
    for message in (_GO, _SERVICE_RESTART):  # a tab that was just connecting has missed the first
        if not await _finished(here, _LEAVING_S):
            return
        left = (tab for task, tab in here.items() if not task.done())
        await asyncio.gather(*[_tell(tab, message) for tab in left])


def _events() -> set[asyncio.Task]:
    """Return all event tasks, with those that still wait for their tab's state."""
    return {task for task in asyncio.all_tasks() if task.get_name().startswith(_EVENT)}


async def _tell(tab: Send, message: Message) -> None:
    with suppress(Exception):  # disconnected meanwhile, or not connected yet
        await tab(message)


async def _finished(tasks: Iterable[asyncio.Task], seconds: float) -> int:
    """Wait for tasks. Return how many have not ended by then."""
    waited_for = set(tasks)
    if not waited_for:
        return 0
    return len((await asyncio.wait(waited_for, timeout=seconds))[1])
