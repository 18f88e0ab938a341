"""Every event with everything, and what is no message at all, over the websocket of the running
site: nothing fails, nothing changes, and the server goes on answering."""

import asyncio
import json
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from aiohttp import ClientSession

from tests.hardening import raw_messages
from tests.hardening.strangers import COOKIE, PAGE, answered, stored
from tests.site import Site
from tests.waiting import came_true
from tests.websocket import Visitor

SOME = 100  # messages between two looks at whether the server still listens
HYDRATE = "reflex___state____state.hydrate_and_load"


def finished(talk: Coroutine[Any, Any, None]) -> None:
    """Beside the browser tests, which keep this thread's event loop for themselves."""
    with ThreadPoolExecutor(1) as aside:
        aside.submit(asyncio.run, talk).result()


class Stranger(Visitor):
    """Goes on whatever it is told."""

    leaves = False


def messages() -> Iterator[str | bytes]:
    for name, event in raw_messages.events().items():
        yield from raw_messages.calls(name, event)
    yield from raw_messages.misshapen(HYDRATE)
    yield from raw_messages.pretended()
    yield from raw_messages.unreadable()


async def say(messages: list[str | bytes], site: Site, cookie: str) -> None:
    async with (
        ClientSession() as session,
        Stranger(session, site.url, path=PAGE, cookie=cookie) as tab,
    ):
        for number, message in enumerate(messages, 1):
            binary = isinstance(message, bytes)
            await (tab._socket.send_bytes if binary else tab._socket.send_str)(message)  # type: ignore[arg-type]
            if number % SOME == 0:
                await answered(tab)
        await answered(tab)


def troubles(log: str) -> list[dict[str, Any]]:
    """Lines that say that something of ours has failed."""
    lines = [json.loads(line) for line in log.splitlines() if line[:1] == "{"]
    told = [line for line in lines if line["event"] != "browser.failed"]  # as a browser reports it
    return [
        line
        for line in told
        if line["level"] in {"error", "critical"}
        or "exception" in line
        or line.get("outcome") == "failed"
    ]


@pytest.mark.parametrize("who", ["a stranger", "staff"])
def test_whatever_is_said_nothing_fails_and_nothing_changes(site, who):
    cookies = site.staff_cookie() if who == "staff" else {}
    cookie = f"{COOKIE}={cookies[COOKIE]}" if cookies else ""
    before, logged = stored(site), len(site.process.log.read_text())

    every = list(messages())
    assert len(every) > 2_500
    finished(say(every, site, cookie))

    assert came_true(
        lambda: "websocket.messages_dropped" in site.process.log.read_text()[logged:], within=30
    )
    said = site.process.log.read_text()[logged:]
    assert troubles(said) == []
    assert said.count("websocket.messages_dropped") == 1
    assert "Traceback" not in said
    assert stored(site) == before
    assert httpx.get(f"{site.url}/ready").status_code == 200
