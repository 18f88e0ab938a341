"""Attack: every event with every kind of argument, and invalid messages, over the websocket."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from aiohttp import ClientSession

from tests.hardening import raw_messages
from tests.hardening.strangers import COOKIE, PAGE, answered, stored
from tests.site import Site, run
from tests.waiting import came_true
from tests.websocket import Visitor

SOME = 100  # messages between two checks that the server still answers
HYDRATE = "reflex___state____state.hydrate_and_load"


class Attacker(Visitor):
    """A visitor that stays whatever the server answers."""

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
        Attacker(session, site.url, path=PAGE, cookie=cookie) as tab,
    ):
        for number, message in enumerate(messages, 1):
            binary = isinstance(message, bytes)
            await (tab._socket.send_bytes if binary else tab._socket.send_str)(message)  # type: ignore[arg-type]
            if number % SOME == 0:
                await answered(tab)
        await answered(tab)


def troubles(log: str) -> list[dict[str, Any]]:
    """Return the log lines that report a failure."""
    lines = [json.loads(line) for line in log.splitlines() if line[:1] == "{"]
    return [
        line
        for line in lines
        if line["event"] != "browser.failed"  # reported by the browser
        and (
            line["level"] in {"error", "critical"}
            or "exception" in line
            or line.get("outcome") == "failed"
        )
    ]


@pytest.mark.parametrize("role", ["visitor", pytest.param("staff", marks=pytest.mark.long)])
def test_no_message_fails_or_changes_anything(site, role):
    cookies = site.staff_cookie() if role == "staff" else {}
    cookie = f"{COOKIE}={cookies[COOKIE]}" if cookies else ""
    before, logged = stored(site), len(site.process.log.read_text())

    every = list(messages())
    assert len(every) > 2_500
    run(say(every, site, cookie))

    assert came_true(
        lambda: "websocket.messages_dropped" in site.process.log.read_text()[logged:], within=30
    )
    said = site.process.log.read_text()[logged:]
    assert troubles(said) == []
    assert said.count("websocket.messages_dropped") == 1
    assert "Traceback" not in said
    assert stored(site) == before
    assert httpx.get(f"{site.url}/ready").status_code == 200
