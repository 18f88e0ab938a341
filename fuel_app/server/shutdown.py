"""Stopping: what is under way is finished first, and the visitors go on at another process."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager, suppress

import structlog
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fuel_app.kit import background
from fuel_app.kit.jobs.worker import WORKER

log = structlog.get_logger()

PATIENCE_S = 25  # for everything
END_S = 10  # for the server after that, which waits for threads; then the system ends the process
_ANSWERS_S = 5  # for the answers to what visitors have just done
_PAUSE_S = 0.03  # between two tabs that are sent away
_AWAY_S = 12  # in which all of them are, however many there are
_LEAVING_S = 1  # for the last of them to go by themselves

# No packet of Socket.IO. A page that cannot read what it is told closes its connection and connects
# again. If we closed it, we would not hear any more what the page has said meanwhile.
_GO = {"type": "websocket.send", "text": "4?"}
_EVENT = "reflex_event|"  # how the framework names the tasks of events
_SERVICE_RESTART = {"type": "websocket.close", "code": 1012}

_answers: set[asyncio.Task] = set()  # requests and events that somebody waits for
_followers: set[asyncio.Task] = set()  # events in the background
_tabs: dict[asyncio.Task, Send] = {}  # open websockets, and how to tell them something
_stopping = asyncio.Event()


def has_begun() -> bool:
    return _stopping.is_set()


def note(task: asyncio.Task, *, in_background: bool = False) -> None:
    """Have a task finished before the process ends."""
    tasks = _followers if in_background else _answers
    tasks.add(task)
    task.add_done_callback(tasks.discard)


class Tabs:
    """Knows who is connected. A process that is about to stop sends new websockets elsewhere: with
    a 503 the proxy asks the next process, and the tab does not notice.

    Args:
        also_when: Another reason to do so.
    """

    def __init__(self, app: ASGIApp, also_when: Callable[[], bool] = bool) -> None:
        self._app, self._also_when = app, also_when

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket" and (has_begun() or self._also_when()):
            await _elsewhere(scope, receive, send)
            return
        if scope["type"] == "websocket" and (task := asyncio.current_task()):
            _tabs[task] = send
            task.add_done_callback(_tabs.pop)
        await self._app(scope, receive, send)


async def _elsewhere(scope: Scope, receive: Receive, send: Send) -> None:
    if "websocket.http.response" in scope.get("extensions", {}):
        await PlainTextResponse("", 503)(scope, receive, send)
    else:
        await send({"type": "websocket.close", "code": 1001})


@asynccontextmanager
async def finish_first() -> AsyncIterator[None]:
    """Around the life of the process.

    The server cuts websockets off when it is told to stop and asks nobody. So SIGTERM is ours; when
    nothing is left to do, the server is stopped by SIGINT, which means the same to it.
    """
    tasks = set()

    def told_to_stop() -> None:
        if not has_begun():
            _stopping.set()
            tasks.add(asyncio.create_task(_finish_and_stop()))

    with suppress(NotImplementedError):  # where there are no such signals
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, told_to_stop)
    yield


async def _finish_and_stop() -> None:
    try:
        await finish()
    finally:
        signal.alarm(END_S)
        os.kill(os.getpid(), signal.SIGINT)


async def finish() -> None:
    """Wait for what is under way, and have the tabs leave between their answers and the rest.

    A tab that loses its connection connects again by itself, to a process that still takes
    connections, and is told there what came of its last event. Its own background events, which
    wait for changes as long as it is there, end with the connection.
    """
    began = time.monotonic()
    await WORKER.stop()
    log.info("stop.begun", answers=len(_answers), in_background=len(_followers))
    await _finished(_answers, _ANSWERS_S)
    await send_away()
    until = began + PATIENCE_S
    left = {*_answers, *_followers, *background.under_way(), *_events()}
    while left and time.monotonic() < until:
        await _finished(left, until - time.monotonic())
        left = {task for task in left | _events() if not task.done()}
    log.info("stop.done", left=len(left), s=round(time.monotonic() - began, 1))


async def send_away() -> None:
    """Have every tab leave and connect again."""
    here = dict(_tabs)
    await _send_away_one_by_one(here.values())
    for message in (_GO, _SERVICE_RESTART):  # who was just connecting has missed the first
        if not await _finished(here, _LEAVING_S):
            return
        left = (tab for task, tab in here.items() if not task.done())
        await asyncio.gather(*[_tell(tab, message) for tab in left])


def _events() -> set[asyncio.Task]:
    """All that visitors have done and that is not dealt with, `note`d yet or still waiting for its
    tab's state."""
    return {task for task in asyncio.all_tasks() if task.get_name().startswith(_EVENT)}


async def _send_away_one_by_one(tabs: Collection[Send]) -> None:
    """Whoever takes them in tells each all that its state holds, and has its own visitors to
    answer."""
    pause = min(_PAUSE_S, _AWAY_S / max(1, len(tabs)))
    for tab in tabs:
        await _tell(tab, _GO)
        await asyncio.sleep(pause)


async def _tell(tab: Send, message: Message) -> None:
    with suppress(Exception):  # it has gone meanwhile, or not quite come
        await tab(message)


async def _finished(tasks: Iterable[asyncio.Task], seconds: float) -> int:
    """Wait for them; returns how many have not ended by then."""
    waited_for = set(tasks)
    if not waited_for:
        return 0
    return len((await asyncio.wait(waited_for, timeout=seconds))[1])
