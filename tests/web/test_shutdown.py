"""A process that is asked to stop finishes first what is under way."""

import asyncio
import os
import signal
from types import SimpleNamespace
from typing import Any

import pytest

from fuel_app.providers import background
from fuel_app.web import shutdown


class Sockets:
    """Stands where the websockets' server does: notes who was connected when each tab was cut."""

    def __init__(self, *tabs: str) -> None:
        self.sockets = dict.fromkeys(tabs)
        self.ends: asyncio.Future = asyncio.get_running_loop().create_future()

    async def disconnect(self, tab: str) -> None:
        del self.sockets[tab]
        if not self.ends.done():
            self.ends.set_result(None)


@pytest.fixture(autouse=True)
def _own_process(monkeypatch) -> None:
    monkeypatch.setattr(shutdown, "_stopping", asyncio.Event())
    monkeypatch.setattr(shutdown, "_answers", set())
    monkeypatch.setattr(shutdown, "_followers", set())


def app(sockets: Sockets | None = None) -> Any:
    return SimpleNamespace(sio=SimpleNamespace(eio=sockets or Sockets()))


async def test_a_process_with_nothing_to_do_stops_at_once():
    async with asyncio.timeout(1):
        await shutdown.finish(app())


async def test_an_answer_is_given_before_its_tab_is_cut():
    sockets, done = Sockets("tab"), []

    async def answer() -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        done.append(set(sockets.sockets))

    shutdown.note(asyncio.create_task(answer()))
    await shutdown.finish(app(sockets))

    assert done == [{"tab"}]
    assert sockets.sockets == {}


async def test_what_waits_in_the_background_ends_with_its_tab():
    """It would wait for changes as long as the tab is there."""
    sockets = Sockets("tab")
    following = asyncio.create_task(asyncio.wait_for(sockets.ends, None))
    shutdown.note(following, in_background=True)

    async with asyncio.timeout(1):
        await shutdown.finish(app(sockets))

    assert following.done()


async def test_an_import_is_finished():
    stored = []

    async def bring() -> None:
        for _ in range(10):
            await asyncio.sleep(0)
        stored.append("all of it")

    background.start(bring())
    assert len(background.under_way()) == 1
    await shutdown.finish(app())

    assert stored == ["all of it"]
    assert not background.under_way()


async def test_what_never_ends_holds_nobody_up_for_long(monkeypatch):
    monkeypatch.setattr(shutdown, "PATIENCE_S", 0.1)
    monkeypatch.setattr(shutdown, "_ANSWERS_S", 0.05)
    endless = asyncio.create_task(asyncio.sleep(60))
    shutdown.note(endless)

    async with asyncio.timeout(2):
        await shutdown.finish(app())

    assert not endless.done()
    endless.cancel()


async def test_told_to_stop_twice_a_process_finishes_once_and_then_stops_its_server(monkeypatch):
    loop, finished, stopped = asyncio.get_running_loop(), [], asyncio.Event()
    loop.add_signal_handler(signal.SIGINT, stopped.set)

    async def finish(app: Any) -> None:
        finished.append(app)

    monkeypatch.setattr(shutdown, "finish", finish)
    try:
        async with shutdown.finish_first(app()), asyncio.timeout(5):
            assert not shutdown.has_begun()
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGTERM)
            await stopped.wait()
    finally:
        loop.remove_signal_handler(signal.SIGTERM)
        loop.remove_signal_handler(signal.SIGINT)

    assert shutdown.has_begun()
    assert len(finished) == 1


async def handshake(**scope: Any) -> list[Any]:
    """What a process answers to a websocket, its own app's word included."""
    said = []

    async def app(_scope, _receive, send) -> None:
        await send("welcome")

    async def send(message: Any) -> None:
        said.append(message)

    async def receive() -> Any:
        raise AssertionError

    await shutdown.NoNewTabs(app)({"type": "websocket", **scope}, receive, send)
    return said


async def test_new_tabs_are_welcome_until_the_process_is_told_to_stop():
    assert await handshake() == ["welcome"]


async def test_a_process_that_stops_sends_new_tabs_elsewhere():
    shutdown._stopping.set()
    answer, _body = await handshake(extensions={"websocket.http.response": {}})
    assert (answer["type"], answer["status"]) == ("websocket.http.response.start", 503)
    assert await handshake() == [{"type": "websocket.close", "code": 1001}]
    assert await handshake(type="http") == ["welcome"]
