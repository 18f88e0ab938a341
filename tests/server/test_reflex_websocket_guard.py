"""The websocket's guard: only messages that our pages send reach the framework."""

import io
import json
import uuid
from contextlib import suppress
from typing import Any

import pytest
from reflex_base.utils.format import format_event_handler

from fuel_app.accounts.state.session import SessionState, StaffLoginState
from fuel_app.joining.state import WaitlistState
from fuel_app.scheduling.state.wizards import GuestFillState
from fuel_app.server import logs
from fuel_app.server.reflex.websocket import MisfitError, WebsocketGuard, checked
from tests.hardening import raw_messages
from tests.websocket import CONNECT, MESSAGE

PLACE = {"pathname": "/fleet", "asPath": "/fleet?a=1#b", "query": {"a": "1"}}
HYDRATE = "reflex___state____state.hydrate_and_load"
KEY = f"{WaitlistState.get_full_name()}.resume_key_rx_state_"
LOGIN = format_event_handler(StaffLoginState.login)  # type: ignore[arg-type]


def call(name: str = LOGIN, **more: Any) -> str:
    event = {"name": name, "payload": {"form": {"password": "x"}}, "router_data": PLACE} | more
    return MESSAGE + json.dumps(["event", event])


@pytest.mark.parametrize(
    "text",
    [
        "1",
        "3",
        CONNECT,
        CONNECT + '{"event": null, "state_schema": "abc"}',
        CONNECT + json.dumps({"event": {"name": HYDRATE, "router_data": PLACE}}),
        "41/_event,",
        MESSAGE + '["ping"]',
        MESSAGE + '["client_error",{"message":"x"}]',
        call(),
        call(HYDRATE, payload={"vars": {KEY: "abc"}, "hashes": ["x"]}),
        MESSAGE + json.dumps(["event", {"name": HYDRATE}]),
        call(payload={"form": {"password": ["[{"] * 50}}),
        call(payload={"form": {"password": "emoji ⛽"}}),
    ],
)
def test_messages_of_our_pages_pass_unchanged(text):
    assert checked(text) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "binary"),
        ("x" * 2 * 10**6, "too_long"),
        ("2", "unknown_packet"),
        ("42/other,[]", "unknown_packet"),
        (MESSAGE + "[" * 10_000, "unreadable"),
        (CONNECT + "[]", "unreadable"),
        (CONNECT + '{"state_schema": 1}', "unreadable"),
        (call(payload={"form": raw_messages.NASTY["deep"]}), "too_deep"),
        (MESSAGE + '["connect",{}]', "unknown_call"),
        (MESSAGE + '["event","x"]', "no_event"),
        (call(payload=[]), "no_event"),
        (call(router_data=None), "no_event"),
        (call("no.such_event"), "unknown_event"),
        (call(f"{StaffLoginState.get_full_name()}.setvar"), "unknown_event"),
        (call(f"{SessionState.get_full_name()}.follow", payload={}), "unknown_event"),
        (call(f"{GuestFillState.get_full_name()}.watch", payload={}), "unknown_event"),
        (call(payload={}), "wrong_arguments"),
        (call(payload={"form": {}, "more": 1}), "wrong_arguments"),
        (call(HYDRATE, payload={"vars": {"x": "y"}}), "wrong_arguments"),
        (call(HYDRATE, payload={"vars": {KEY: {}}}), "wrong_arguments"),
        (call(HYDRATE, payload={"vars": {KEY: "x" * 10_001}}), "wrong_arguments"),
        (call(HYDRATE, payload={"hashes": [1]}), "wrong_arguments"),
        (call(router_data={"query": []}), "no_place"),
        (call(router_data={"asPath": "x" * 16_000}), "no_place"),
    ],
)
def test_messages_that_no_page_sends_are_refused(text, why):
    with pytest.raises(MisfitError, match=why):
        checked(text)


def test_a_page_of_another_build_connects_without_its_unknown_event():
    old = CONNECT + json.dumps({"event": {"name": "gone"}, "state_schema": "old"})
    assert checked(old) == CONNECT + '{"state_schema": "old"}'
    assert checked(CONNECT + '{"event": {"name": "gone"}}') == CONNECT + "{}"


def test_a_lone_surrogate_becomes_a_question_mark():
    """Sent back to the browser as it is, it would break the connection."""
    came_in = checked(call(payload={"form": {"password": "⛽\ud83d⛽\U0001f600"}}))
    assert "⛽?⛽\U0001f600" in came_in
    assert "a?" in checked(
        CONNECT + json.dumps({"event": {"name": HYDRATE, "payload": {}}, "a": "a\ud800"})
    )


def test_any_text_is_accepted_or_refused():
    spoiled = [
        *raw_messages.misshapen(HYDRATE),
        *raw_messages.pretended(),
        *(each for each in raw_messages.unreadable() if isinstance(each, str)),
    ]
    assert len(spoiled) > 400
    for each in spoiled:
        with suppress(MisfitError):
            assert checked(each).encode()


class Talk:
    """A websocket that sends these messages; records what the framework receives."""

    def __init__(self, *said: str | bytes, query: str = f"token={uuid.uuid4()}") -> None:
        self._said, self._query = list(said), query
        self.heard: list[str | None] = []
        self.sent: list[dict] = []

    async def hold(self) -> None:
        scope = {"type": "websocket", "path": "/_event/", "query_string": self._query.encode()}
        await WebsocketGuard(self._framework)(scope, self._receive, self._send)  # type: ignore[arg-type]

    async def _framework(self, _scope, receive, _send) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            self.heard.append(message.get("text"))

    async def _receive(self) -> dict:
        if not self._said:
            return {"type": "websocket.disconnect"}
        said = self._said.pop(0)
        return {"type": "websocket.receive"} | (
            {"text": said} if isinstance(said, str) else {"bytes": said}
        )

    async def _send(self, message) -> None:
        self.sent.append(message)


async def test_dropped_messages_are_one_log_entry():
    output = io.StringIO()
    logs.set_up(output)
    talk = Talk(call("no.such"), b"\x00", call(), *["nonsense"] * 1000, "3")
    await talk.hold()
    assert talk.heard == [call(), "3"]
    [line] = map(json.loads, output.getvalue().splitlines())
    assert line["event"] == "websocket.messages_dropped"
    assert line["reasons"] == {"unknown_event": 1, "binary": 1, "unknown_packet": 1000}


@pytest.mark.parametrize("query", ["", "token=", "token=a_b", "token=../x", "x=1", "token=\xff"])
async def test_a_tabs_token_must_be_a_uuid(query):
    talk = Talk(call(), query=query)
    await talk.hold()
    assert (talk.heard, talk.sent) == ([], [{"type": "websocket.close", "code": 1008}])
