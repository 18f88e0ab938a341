"""A stopping process finishes first what is under way."""

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from fuel_app.kit import background
from fuel_app.server.reflex import shutdown

pytestmark = pytest.mark.slow


class Tab:
    """A browser's tab and its websocket: notes what the process says."""

    def __init__(self, *, understands: bool = True) -> None:
        self.received: list[str] = []
        self._understands = understands
        self._gone = asyncio.Event()

    async def open(self) -> None:
        await shutdown.Tabs(self._serve)({"type": "websocket"}, self._receive, self._hear)

    async def _serve(self, _scope, receive, _send) -> None:
        await receive()

    async def _receive(self) -> Any:
        await self._gone.wait()
        return {"type": "websocket.disconnect"}

    async def _hear(self, message: Any) -> None:
        self.received.append(message["type"])
        if self._understands or message["type"] == "websocket.close":
            self._gone.set()


async def open_tab(**differs: bool) -> Tab:
    tab = Tab(**differs)
    task = asyncio.create_task(tab.open())
    task.add_done_callback(lambda task: task.result())
    await asyncio.sleep(0)
    return tab


@pytest.fixture(autouse=True)
def _own_process(monkeypatch) -> None:
    monkeypatch.setattr(shutdown, "_stopping", asyncio.Event())
    monkeypatch.setattr(shutdown, "_answers", set())
    monkeypatch.setattr(shutdown, "_followers", set())
    monkeypatch.setattr(shutdown, "_tabs", {})


async def test_an_event_is_answered_before_its_tab_is_sent_away():
    tab, done = await open_tab(), []

    async def answer() -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        done.append(list(tab.received))

    shutdown.note(asyncio.create_task(answer()))
    await shutdown.finish()
    assert done == [[]]
    assert tab.received == ["websocket.send"], "it goes by itself, so that nothing it says is lost"
    assert not shutdown._tabs


async def test_a_tab_that_stays_is_disconnected(monkeypatch):
    monkeypatch.setattr(shutdown, "_LEAVING_S", 0.05)
    polite, deaf = await open_tab(), await open_tab(understands=False)
    await shutdown.finish()
    assert polite.received == ["websocket.send"]
    assert deaf.received == ["websocket.send", "websocket.send", "websocket.close"]


async def test_a_disconnecting_tab_does_not_block_the_others(monkeypatch):
    monkeypatch.setattr(shutdown, "_LEAVING_S", 0.05)
    tab, other = await open_tab(), await open_tab()

    async def broken(_message: Any) -> None:
        raise ConnectionError

    shutdown._tabs[next(iter(shutdown._tabs))] = broken
    await shutdown.finish()
    assert other.received[0] == "websocket.send"
    tab._gone.set()


async def test_messages_sent_before_the_disconnect_are_handled():
    """Its events come one after the other, and the first has not begun yet."""
    done, tasks = [], []

    def event(number: int) -> None:
        tasks.append(asyncio.create_task(work(number), name=f"reflex_event|event{number}"))

    async def work(number: int) -> None:
        await asyncio.sleep(0)
        done.append(number)
        if number < 3:
            event(number + 1)

    event(1)
    await shutdown.finish()
    assert done == [1, 2, 3]


async def test_background_work_is_finished_after_the_tabs_have_left():
    tab, said = await open_tab(), []

    async def bring() -> None:
        await asyncio.wait(shutdown._tabs)
        said.extend(tab.received)

    background.start(bring())
    assert len(background.under_way()) == 1
    async with asyncio.timeout(5):
        await shutdown.finish()
    assert said == ["websocket.send"]
    assert not background.under_way()


async def test_endless_work_times_out(monkeypatch):
    monkeypatch.setattr(shutdown, "TIMEOUT_S", 0.1)
    monkeypatch.setattr(shutdown, "_ANSWERS_S", 0.05)
    endless = asyncio.create_task(asyncio.sleep(60))
    shutdown.note(endless)

    async with asyncio.timeout(2):
        await shutdown.finish()
    assert not endless.done()
    endless.cancel()


async def test_a_second_sigterm_changes_nothing(monkeypatch):
    loop, finished, stopped = asyncio.get_running_loop(), [], asyncio.Event()
    alarms: list[int] = []  # after which the system ends it, whatever it does
    monkeypatch.setattr(signal, "alarm", alarms.append)
    loop.add_signal_handler(signal.SIGINT, stopped.set)

    async def finish() -> None:
        finished.append("once")

    monkeypatch.setattr(shutdown, "finish", finish)
    try:
        async with shutdown.finish_first(), asyncio.timeout(5):
            assert not shutdown.has_begun()
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)
            await stopped.wait()
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        loop.remove_signal_handler(signal.SIGINT)
    assert shutdown.has_begun()
    assert len(finished) == len(alarms) == 1


async def handshake(also_when: Callable[[], bool] = bool, **scope: Any) -> list[Any]:
    """Return what a process answers to a websocket, its own app's word included."""
    said = []

    async def app(_scope, _receive, send) -> None:
        await send("welcome")

    async def send(message: Any) -> None:
        said.append(message)

    async def receive() -> Any:
        raise AssertionError

    await shutdown.Tabs(app, also_when)({"type": "websocket", **scope}, receive, send)
    return said


async def test_a_stopping_process_refuses_new_tabs():
    assert await handshake() == ["welcome"]
    shutdown._stopping.set()
    answer, _body = await handshake(extensions={"websocket.http.response": {}})
    assert (answer["type"], answer["status"]) == ("websocket.http.response.start", 503)
    assert await handshake() == [{"type": "websocket.close", "code": 1001}]
    assert await handshake(type="http") == ["welcome"]
    shutdown._stopping.clear()
    assert await handshake(lambda: True) == [{"type": "websocket.close", "code": 1001}]
