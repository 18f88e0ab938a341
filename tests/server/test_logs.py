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

from fuel_app.accounts.state.session import StaffState
from fuel_app.server import access_log, logs
from fuel_app.server.redaction import redacted
from fuel_app.server.reflex.events import EventLog
from fuel_app.settings import Settings
from fuel_app.waitlist import service as waitlist

PERSON = ("ada@example.com", "941555", "Lovelace", "203.0.113.9", "0b8f1c1e-5a5e")


@pytest.fixture
def lines(app):
    """What was logged so far; the app is there first, since it sets the log up too."""
    output = io.StringIO()
    logs.set_up(output)
    return lambda: [json.loads(line) for line in output.getvalue().splitlines()]


def _trust_one_proxy(monkeypatch) -> None:
    trusting = Settings(_env_file=None, trusted_proxy_hops=1)  # type: ignore[call-arg]
    monkeypatch.setattr(access_log, "settings", trusting)


async def test_a_request_is_one_log_entry(browser, lines):
    response = await browser.get(
        "/fleet?ref=0b8f1c1e-5a5e-4a0e-9a2c-1d2f3a4b5c6d&email=ada@example.com"
    )

    [line] = [line for line in lines() if line["event"] == "request.answered"]
    assert (line["method"], line["path"], line["status"]) == ("GET", "/fleet", 200)
    assert line["bytes"] == len(response.content)
    assert line["ms"] >= 0
    assert line["timestamp"].endswith("Z")
    assert line["request_id"] == response.headers["x-request-id"]
    assert not any(secret in json.dumps(line) for secret in PERSON)


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/join-neighborhood/someone", "/join-neighborhood/{id}"),
        ("/join-neighborhood/someone/", "/join-neighborhood/{id}/"),
        ("/join-neighborhood/someone/card.png", "/join-neighborhood/{id}/card.png"),
        ("/by/ada@example.com", "/by/[email]"),
    ],
)
@pytest.mark.usefixtures("sqlite_database")
async def test_personal_addresses_are_logged_as_patterns(browser, lines, path, logged):
    await browser.get(path)

    assert lines()[-1]["path"] == logged


async def test_only_a_trusted_proxy_sets_the_request_id(browser, lines, monkeypatch):
    sent = {"x-request-id": "from-the-proxy-1"}
    assert (await browser.get("/ping", headers=sent)).headers["x-request-id"] != "from-the-proxy-1"

    _trust_one_proxy(monkeypatch)

    assert (await browser.get("/ping", headers=sent)).headers["x-request-id"] == "from-the-proxy-1"
    for malformed in ("short", 'a"b\\c-longer', "x" * 65):
        response = await browser.get("/ping", headers={"x-request-id": malformed})
        assert response.headers["x-request-id"] != malformed


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
        ("Event data: {'first_name': 'Ada'}", "Event data [left out]"),
        (
            "Failed to deserialize event data: {'a': 'Ada'}.",
            "Failed to deserialize event data [left out]",
        ),
        ("argument 'form' with value 'Ada'", "argument 'form' with value [left out]"),
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
    started = time.perf_counter()
    kept = redacted(sign * (1_000_000 // len(sign)))
    assert time.perf_counter() - started < 0.5
    assert len(kept) < 50_000


def test_a_long_text_keeps_its_start_and_end():
    kept = redacted("Traceback" + " data" * 100_000 + " ValueError: ada@example.com")
    assert kept.startswith("Traceback")
    assert kept.endswith("ValueError: [email]")


async def test_a_path_of_slashes_is_logged_fast(browser):
    started = time.perf_counter()
    await browser.get("/x" + "/" * 60_000)
    assert time.perf_counter() - started < 0.5


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
    assert library["event"] == "no answer from [email]"
    assert (library["logger"], library["level"]) == ("some.library", "warning")
    assert (ours["email"], ours["more"]) == ("[left out]", {"name": "[left out]", "n": 1})
    assert own.getvalue() == ""


@pytest.mark.parametrize(("ended_by", "told"), [(asyncio.CancelledError, 0), (OSError, 1)])
def test_a_query_cancelled_by_a_disconnect_is_no_error(lines, ended_by, told):
    pool = logging.getLogger("sqlalchemy.pool.impl.AsyncAdaptedQueuePool")
    pool.error("Exception during reset or similar", exc_info=ended_by())
    assert len(lines()) == told


async def test_urls_of_our_own_requests_are_not_logged(browser, lines):
    await browser.get("/ping?key=secret")

    assert "secret" not in json.dumps(lines())


async def _run_event(handler, name: str = "app___states____waitlist_state.submit") -> None:
    """As the framework runs an event: in a task and a context of its own."""

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


async def test_an_event_is_timed_for_monitoring():
    asked = {"event": "waitlist_state.submit", "outcome": "failed"}
    before = REGISTRY.get_sample_value("fuel_event_seconds_count", asked) or 0

    await _run_event(_fails)

    assert REGISTRY.get_sample_value("fuel_event_seconds_count", asked) == before + 1


async def test_a_background_event_is_not_timed():
    """It waits for hours: a page's latency is another thing."""
    following = format_event_handler(StaffState.follow)  # type: ignore[arg-type]
    asked = {"event": following.rpartition("____")[2], "outcome": "done"}

    await _run_event(lambda: asyncio.sleep(0), following)

    assert asked["event"] == "staff_state.follow"
    assert REGISTRY.get_sample_value("fuel_event_seconds_count", asked) is None


async def test_an_events_error_has_the_events_id(lines):
    async def goes_wrong() -> None:
        logs.on_backend_error(ValueError("no ada@example.com"))

    await _run_event(goes_wrong)

    error, event = lines()
    assert error["event"] == "event.failed"
    assert error["request_id"] == event["request_id"]
    assert "ada@example.com" not in json.dumps(error)


async def test_the_start_logs_the_configuration(sqlite_database, lines, monkeypatch):
    open_doors = Settings(_env_file=None, rate_limits="off")  # type: ignore[call-arg]
    monkeypatch.setattr(logs, "settings", open_doors)

    await logs.announce(waitlist.count)

    warning, start = lines()
    assert (warning["event"], warning["level"]) == ("rate_limits.disabled", "warning")
    assert (start["database"], start["redis"], start["waitlist"]) == ("sqlite", False, 0)


async def test_a_public_site_with_placeholders_warns_at_the_start(
    sqlite_database, lines, monkeypatch
):
    public = Settings(_env_file=None, site_url="https://fuel.example", support_phone="941 555 0142")  # type: ignore[call-arg]
    monkeypatch.setattr(logs, "settings", public)

    await logs.announce(waitlist.count)

    warning, _ = lines()
    assert (warning["event"], warning["level"]) == ("settings.placeholders_used", "warning")
    assert warning["settings"] == ["FUEL_SUPPORT_EMAIL"]


async def test_the_start_survives_an_unavailable_database(lines):
    async def fails():
        raise ConnectionError("no route")

    await logs.announce(fails)

    assert lines()[-1]["event"] == "database.unavailable"
