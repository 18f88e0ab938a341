"""The log: one entry for each request, event and error, without personal data."""

import asyncio
import io
import json
import logging
import time

import pytest
import structlog
from prometheus_client import REGISTRY
from reflex_base.event import Event
from reflex_base.event.context import EventContext
from reflex_base.utils.format import format_event_handler

from fuel_app.accounts.state.session import SessionState
from fuel_app.server import logs, metrics
from fuel_app.server.logs import redacted
from fuel_app.server.reflex.events import EventLog
from fuel_app.waitlist import service as waitlist

PERSON = ("ada@example.com", "941555", "Lovelace", "203.0.113.9", "0b8f1c1e-5a5e")


@pytest.fixture
def lines(app):
    """Return the entries so far; the app is made first, since it sets the log up too."""
    output = io.StringIO()
    logs.set_up(output)
    return lambda: [json.loads(line) for line in output.getvalue().splitlines()]


async def test_a_request_is_one_log_entry(browser, lines):
    person = "ref=0b8f1c1e-5a5e-4a0e-9a2c-1d2f3a4b5c6d&email=ada@example.com"
    response = await browser.get(f"/fleet?{person}")
    [line] = [line for line in lines() if line["event"] == "request.answered"]
    assert (line["method"], line["path"], line["status"]) == ("GET", "/fleet", 200)
    assert (line["bytes"], line["ms"] >= 0) == (len(response.content), True)
    assert line["timestamp"].endswith("Z")
    assert line["request_id"] == response.headers["x-request-id"]
    assert not any(secret in json.dumps(line) for secret in PERSON)


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/join-neighborhood/someone/", "/join-neighborhood/{id}/"),
        ("/join-neighborhood/someone/card.png", "/join-neighborhood/{id}/card.png"),
        ("/by/ada@example.com", "/by/[email]"),
        ("/reset-password//0b8f.token/", "/reset-password/{id}/"),
        ("/undo-email/0b8f.token", "/undo-email/{id}"),
    ],
)
@pytest.mark.usefixtures("sqlite_database")
async def test_personal_addresses_are_logged_as_patterns(browser, lines, path, logged):
    await browser.get(path)
    assert lines()[-1]["path"] == logged


async def test_only_a_trusted_proxy_sets_the_request_id(browser, lines, configure):
    async def keeps(sent: str) -> bool:
        answer = await browser.get("/ping", headers={"x-request-id": sent})
        return answer.headers["x-request-id"] == sent

    assert not await keeps("from-the-proxy-1")
    configure(metrics, trusted_proxy_hops=1)
    assert await keeps("from-the-proxy-1")
    for malformed in ("short", 'a"b\\c-longer', "x" * 65):
        assert not await keeps(malformed)


async def test_an_unexpected_error_is_a_plain_500_and_a_log_entry_of_the_same_id(browser, lines):
    response = await browser.get("/broken")

    assert (response.status_code, response.text) == (500, "Internal Server Error")
    error = next(line for line in lines() if line["event"] == "request.failed")
    assert error["request_id"] == response.headers["x-request-id"]
    assert "RuntimeError" in error["exception"]
    assert "ada@example.com" not in json.dumps(lines())


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("mail to ada.l+x@mail.example.co.uk failed", "mail to [email] failed"),
        ("call (941) 555-0123 or 9415550123", "call [phone] or [phone]"),
        ("from 203.0.113.9 and 2001:db8:0:1::7", "from [ip] and [ip]"),
        ("id 0b8f1c1e-5a5e-4a0e-9a2c-1d2f3a4b5c6d", "id [id]"),
        (
            "at /x/0b8f1c1e-5a5e-4a0e-9a2c-1d2f3a4b5c6d.sg8fK2vQ3hXw9LwB7pM0_T4rN6y-1uC",
            "at /x/[link]",
        ),
        (
            "Failed to deserialize event data: {'a': 'Ada'}.",
            "Failed to deserialize event data [left out]",
        ),
        (
            "[parameters: ('Ada',)]\n(Background on this error)",
            "[parameters [left out]\n(Background on this error)",
        ),
        (
            "Expected field 'State.x' to receive type 'str', but got ['Ada Lovelace'] of type",
            "Expected field 'State.x' to receive type 'str', but got [left out]",
        ),
        ("took 12.5 ms at 12:30:05 on port 3000", "took 12.5 ms at 12:30:05 on port 3000"),
    ],
)
def test_personal_data_in_library_messages_is_redacted(written, kept):
    assert redacted(written) == kept


@pytest.mark.parametrize("sign", ["a", "1", "/", ".", "-", ":", "@", "a@", "a:", "(", "\n", "é"])
def test_redaction_is_fast_on_hostile_text(sign):
    """It is done on the event loop, and a message over the websocket may be a megabyte."""
    started = time.process_time()
    kept = redacted(sign * (1_000_000 // len(sign)))
    assert time.process_time() - started < 0.5
    assert len(kept) < 50_000


def test_every_logger_writes_redacted_json(lines):
    chatty = logging.getLogger("some.library")
    own = io.StringIO()
    chatty.addHandler(logging.StreamHandler(own))
    chatty.propagate = False
    output = io.StringIO()
    logs.set_up(output)

    chatty.warning("no answer from %s", "ada@example.com")
    structlog.get_logger("ours").info("form", email="ada@example.com", more={"name": "Ada", "n": 1})

    library, ours = (json.loads(line) for line in output.getvalue().splitlines())
    assert (library["event"], library["level"]) == ("no answer from [email]", "warning")
    assert library["logger"] == "some.library"
    assert (ours["email"], ours["more"]) == ("[left out]", {"name": "[left out]", "n": 1})
    assert own.getvalue() == ""


@pytest.mark.parametrize(("ended_by", "entries"), [(asyncio.CancelledError, 0), (OSError, 1)])
def test_a_query_cancelled_by_a_disconnect_is_no_error(lines, ended_by, entries):
    pool = logging.getLogger("sqlalchemy.pool.impl.AsyncAdaptedQueuePool")
    pool.error("Exception during reset or similar", exc_info=ended_by())
    assert len(lines()) == entries


async def test_urls_of_our_own_requests_are_not_logged(browser, lines):
    await browser.get("/ping?key=secret")
    assert "secret" not in json.dumps(lines())


async def _run_event(handler, name: str = "app___states____waitlist_state.submit") -> None:
    """Run an event as the framework does: in a task and a context of its own."""

    async def event() -> None:
        context = EventContext(token="secret", state_manager=None, enqueue_impl=None)  # type: ignore[arg-type]
        EventContext.set(context)
        sent = Event(name=name, payload={"form": {"email": "ada@example.com", "last": "Lovelace"}})
        await EventLog().preprocess(None, None, sent)  # type: ignore[arg-type]
        await handler()

    task = asyncio.create_task(event())
    await asyncio.wait([task])
    if not task.cancelled():
        task.exception()
    await asyncio.sleep(0)


async def _fails() -> None:
    raise ValueError("ada@example.com")


async def _gives_up() -> None:
    raise asyncio.CancelledError


@pytest.mark.parametrize(
    ("handler", "outcome"),
    [(lambda: asyncio.sleep(0), "done"), (_fails, "failed"), (_gives_up, "cancelled")],
)
async def test_an_event_is_one_log_entry_without_its_payload(lines, handler, outcome):
    await _run_event(handler)

    [line] = lines()
    assert (line["handler"], line["outcome"]) == ("waitlist_state.submit", outcome)
    assert line["request_id"]
    assert not any(secret in json.dumps(line) for secret in (*PERSON, "secret"))


def _timed(event: str, outcome: str) -> float | None:
    asked = {"event": event, "outcome": outcome}
    return REGISTRY.get_sample_value("fuel_event_seconds_count", asked)


async def test_a_background_event_is_not_timed():
    """It waits for hours: a page's latency is another thing."""
    following = format_event_handler(SessionState.follow)  # type: ignore[arg-type]
    await _run_event(lambda: asyncio.sleep(0), following)
    assert _timed("session_state.follow", "done") is None


async def test_an_events_error_has_the_events_id(lines):
    async def goes_wrong() -> None:
        logs.on_backend_error(ValueError("no ada@example.com"))

    await _run_event(goes_wrong)

    error, event = lines()
    assert error["event"] == "event.failed"
    assert error["request_id"] == event["request_id"]
    assert "ada@example.com" not in json.dumps(error)


async def test_the_start_logs_the_configuration_and_warns(sqlite_database, lines, configure):
    public = {"site_url": "https://fuel.example", "support_phone": "941 555 0142"}
    public["company_address"] = "100 Main St, Sarasota"
    configure(logs, rate_limits="off", **public)
    await logs.announce(waitlist.count)
    unlimited, placeholders, start = lines()
    assert (unlimited["event"], unlimited["level"]) == ("rate_limits.disabled", "warning")
    assert placeholders["event"] == "settings.placeholders_used"
    assert (placeholders["level"], placeholders["settings"]) == ("warning", ["FUEL_SUPPORT_EMAIL"])
    assert (start["database"], start["redis"], start["waitlist"]) == ("sqlite", False, 0)


async def test_the_start_survives_an_unavailable_database(lines):
    async def fails():
        raise ConnectionError("no route")

    await logs.announce(fails)
    assert lines()[-1]["event"] == "database.unavailable"
