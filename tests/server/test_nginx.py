"""What nginx does while processes are restarted. They are stand-ins: `make prove` has the site."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests import servers
from tests.deployment import nginx
from tests.server.open_tabs import Report, open_tabs
from tests.waiting import came_true
from tests.websocket import CONNECT, OPEN

pytestmark = pytest.mark.slow

TABS = 40
SOON_S = 20


class Process:
    """Stands in for a process of the site: pages, and websockets that stay open."""

    def __init__(self, port: int, run: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self.port, self._run = port, run

    def start(self) -> None:
        self._run(self._start())

    def stop(self) -> None:
        self._run(self._stop())

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_get("/_event/", self._tab)
        app.router.add_get("/", self._page)
        self._runner = web.AppRunner(app, shutdown_timeout=0)
        self.tabs: set[web.WebSocketResponse] = set()
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True).start()

    async def _stop(self) -> None:
        for site in list(self._runner.sites):
            await site.stop()
        await asyncio.gather(*(tab.close() for tab in self.tabs))  # each waits for its browser
        await self._runner.cleanup()

    async def _page(self, _request: web.Request) -> web.Response:
        return web.Response(text="A page.")

    async def _tab(self, request: web.Request) -> web.WebSocketResponse:
        tab = web.WebSocketResponse()
        await tab.prepare(request)
        await tab.send_str(OPEN)
        await tab.receive_str()
        await tab.send_str(CONNECT)
        self.tabs.add(tab)
        async for _ in tab:
            pass
        self.tabs.discard(tab)
        return tab


@contextmanager
def loop_in_a_thread() -> Iterator[Callable[[Coroutine[Any, Any, None]], None]]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def run(work: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(work, loop).result(SOON_S)

    try:
        yield run
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


@pytest.fixture
def rolled(tmp_path: Path) -> Report:
    """Restart two processes one after the other under forty tabs."""
    with ExitStack() as stack:
        run = stack.enter_context(loop_in_a_thread())
        processes = [Process(servers.free_port(), run) for _ in range(2)]
        for process in processes:
            process.start()
            stack.callback(process.stop)
        https, http = servers.free_port(), servers.free_port()
        ports = [process.port for process in processes]
        stack.enter_context(nginx(tmp_path, https=https, http=http, ports=ports))
        tabs = stack.enter_context(open_tabs(f"https://localhost:{https}", TABS))
        for process in processes:
            back = len(tabs.away) + len(process.tabs)
            process.stop()
            assert came_true(lambda: len(tabs.away) >= back, within=SOON_S), tabs  # noqa: B023
            process.start()
    return tabs


def test_a_rolling_restart_under_forty_tabs_loses_no_request(rolled):
    assert (rolled.lost(), rolled.errors) == (0, []), rolled
    assert len(rolled.away) >= TABS, "each tab has been reconnected"


def test_no_log_of_nginx_holds_the_token_of_a_tab(rolled, tmp_path):
    logs = [file.read_text() for file in tmp_path.glob("*.log")]
    assert len(logs) == 2
    assert not [line for log in logs for line in log.splitlines() if "token=" in line]
