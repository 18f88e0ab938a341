"""Any header, path or message is parsed or refused, and never an error."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from starlette.datastructures import Headers
from starlette.requests import Request

from fuel_app.accounts.rules import hashed
from fuel_app.kit import http as bodies
from fuel_app.kit import http as visitor
from fuel_app.kit.errors import Refusal
from fuel_app.kit.throttle import household
from fuel_app.server import html, logs, metrics, pages, security
from fuel_app.server.metrics import route_of
from fuel_app.server.reflex.websocket import MisfitError, checked
from fuel_app.settings import Settings
from tests.hardening import raw_messages
from tests.websocket import CONNECT, MESSAGE

LINES = st.text(st.characters(min_codepoint=0, max_codepoint=255), max_size=80)  # of a header
TEXTS = st.text(st.characters(codec=None, categories=None), max_size=80)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
NAMES = st.sampled_from([*raw_messages.events(), "x"]) | JSON


def asked(**headers: str) -> Request:
    raw = [
        (name.replace("_", "-").encode(), value.encode("latin-1"))
        for name, value in headers.items()
    ]
    return Request({"type": "http", "headers": raw, "client": ("203.0.113.9", 1)})


def length_refused(length: str) -> None:
    bodies.refuse_by_length(asked(content_length=length), 1000, Refusal("too large"))


READERS: dict[str, Callable[[str], Any]] = {
    "accept-encoding": pages.best_coding,
    "if-none-match": lambda tags: pages.is_known('"x"', Headers({"if-none-match": tags})),
    "x-request-id": lambda value: metrics._request_id(Headers({"x-request-id": value})),
    "origin": lambda value: security._is_own(Headers({"origin": value, "host": value}), {}),
    "origin's place": security._origin,
    "x-forwarded-for": lambda value: visitor.client_address(asked(x_forwarded_for=value)),
    "an address of the network": household,
    "path": route_of,
    "cookie": lambda value: asked(cookie=value).cookies,
    "token": hashed,
    "content-length": length_refused,
    "document": html.inline,
}


@pytest.mark.parametrize("name", READERS)
@given(LINES)
@example("")
@example("²")
@example("9" * 5_000)
@example("http://[::1")
@example("q=nan;q=inf, br;q=1e999, *;q=")
@example("<script><!--<style><![CDATA[<a style=")
def test_any_header_is_parsed(name, line):
    try:
        READERS[name](line)
    except Refusal:
        assert name == "content-length"


@given(TEXTS)
def test_any_text_can_be_logged_twice(text):
    once = logs.redacted(text)
    assert logs.redacted(once) == once


@given(st.lists(LINES, max_size=5), st.integers(1, 3))
def test_only_trusted_hops_set_the_visitors_address(forged, hops):
    trusted = [f"198.51.100.{hop}" for hop in range(hops)]
    trusting = Settings(_env_file=None, trusted_proxy_hops=hops)  # type: ignore[call-arg]
    said = ", ".join([*(line.replace("\n", "") for line in forged), *trusted])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(visitor, "settings", trusting)
        assert visitor.client_address(asked(x_forwarded_for=said)) == trusted[0]
        patched.setattr(visitor, "settings", Settings(_env_file=None))  # type: ignore[call-arg]
        assert visitor.client_address(asked(x_forwarded_for=said)) == "203.0.113.9"


@given(NAMES, JSON | st.fixed_dictionaries({"form": JSON}), JSON)
def test_any_call_passes_whole_or_is_refused(name, payload, place):
    event = {"name": name, "payload": payload, "router_data": place}
    for said in (MESSAGE + json.dumps(["event", event]), CONNECT + json.dumps({"event": event})):
        try:
            went_on = checked(said)
        except MisfitError:
            continue
        went_on.encode()  # a lone surrogate would break the answer
        assert json.loads(went_on.partition(",")[2]) is not None


@given(TEXTS)
@example(MESSAGE)
@example(CONNECT)
def test_any_websocket_text_passes_or_is_refused(text):
    with suppress(MisfitError):
        assert checked(text)
