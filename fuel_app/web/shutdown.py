"""Stopping: what is under way is finished first, and the visitors go on at another process."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress

import structlog
from reflex.app import App
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from fuel_app.providers import background

log = structlog.get_logger(__name__)

PATIENCE_S = 25  # for everything; who stops us should wait some seconds longer
_ANSWERS_S = 5  # for the answers to what visitors have just done

_answers: set[asyncio.Task] = set()  # requests and events that somebody waits for
_followers: set[asyncio.Task] = set()  # events in the background
_stopping = asyncio.Event()


def has_begun() -> bool:
    return _stopping.is_set()


def note(task: asyncio.Task, *, in_background: bool = False) -> None:
    """Have a task finished before the process ends."""
    tasks = _followers if in_background else _answers
    tasks.add(task)
    task.add_done_callback(tasks.discard)


class NoNewTabs:
    """A process that is about to stop sends new websockets elsewhere: with a 503 the proxy asks
    the next process, and the tab does not notice."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket" or not has_begun():
            await self._app(scope, receive, send)
        elif "websocket.http.response" in scope.get("extensions", {}):
            await PlainTextResponse("", 503)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1001})


@asynccontextmanager
async def finish_first(app: App) -> AsyncIterator[None]:
    """Around the life of the process.

    The server cuts websockets off when it is told to stop and asks nobody. So SIGTERM is ours; when
    nothing is left to do, the server is stopped by SIGINT, which means the same to it.
    """
    tasks = set()

    def told_to_stop() -> None:
        if not has_begun():
            _stopping.set()
            tasks.add(asyncio.create_task(_finish_and_stop(app)))

    with suppress(NotImplementedError):  # where there are no such signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told_to_stop)
    yield


async def _finish_and_stop(app: App) -> None:
    try:
        await finish(app)
    finally:
        os.kill(os.getpid(), signal.SIGINT)


async def finish(app: App) -> None:
    """Wait for what is under way, and disconnect the tabs between their answers and the rest.

    A tab that loses its connection connects again by itself, to a process that still takes
    connections, and is told there what came of its last event. Its own background events, which
    wait for changes as long as it is there, end with the connection.
    """
    began = time.monotonic()
    log.info("stop.begun", answers=len(_answers), in_background=len(_followers))
    await _finished(_answers, _ANSWERS_S)
    await _disconnect(app)
    remaining = max(0, PATIENCE_S - (time.monotonic() - began))
    left = await _finished({*_answers, *_followers, *background.under_way()}, remaining)
    log.info("stop.done", left=left, s=round(time.monotonic() - began, 1))


async def _disconnect(app: App) -> None:
    """As if the network had gone: a farewell would tell the tabs not to come back."""
    if app.sio:
        server = app.sio.eio
        closing = [asyncio.create_task(server.disconnect(tab)) for tab in list(server.sockets)]
        await _finished(closing, _ANSWERS_S)


async def _finished(tasks: Iterable[asyncio.Task], seconds: float) -> int:
    """Wait for them; returns how many have not ended by then."""
    waited_for = set(tasks)
    if not waited_for:
        return 0
    return len((await asyncio.wait(waited_for, timeout=seconds))[1])
