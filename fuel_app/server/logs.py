"""Logging: one JSON object per line on stdout, ours and of every library, without personal data."""

import asyncio
import logging
import re
import sys
import uuid
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Any, TextIO

import structlog
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from structlog.stdlib import ProcessorFormatter
from structlog.types import Processor

from fuel_app.server.reflex import events
from fuel_app.settings import settings

_WORD_MAX = 60  # characters; event names and outcomes are worth caching
TEXT_MAX = 20_000  # an attacker may have us log a megabyte

_PRIVATE_KEYS = frozenset(
    {
        *("address", "client_ip", "contact", "cookie", "email", "first_name", "form", "headers"),
        *("ip", "last_name", "link", "name", "password", "payload", "phone", "phone_number"),
        *("recovery", "seed", "token"),
    }
)
# Libraries repeat an event's data in their messages, up to the end of the line.
_DATA = re.compile(
    r"(event data|received event|with value|but got|with base \d+|parameters|payload|input_value"
    r"|headers|router_data)\b.*",
    re.IGNORECASE,
)
# The same where a text of several lines was sent.
_ARGUMENT = re.compile(r"(Error transforming event payload for handler [\w.]+).*", re.DOTALL)
_ID = "[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_PATTERNS = (
    (_ARGUMENT, r"\1 [left out]"),
    (_DATA, r"\1 [left out]"),
    # The bound (RFC 5321) also keeps a long text without an address from taking forever.
    (re.compile(r"[^\s/@\"'<>(){}\[\],;:=]{1,64}@[\w-]+(?:\.[\w-]+)+"), "[email]"),
    (re.compile(rf"\b{_ID}\.[\w-]{{20,}}", re.IGNORECASE), "[link]"),
    (re.compile(rf"\b{_ID}\b", re.IGNORECASE), "[id]"),
    (re.compile(r"(?<![\w.-])(?:\+?1[ .-]?)?\(?\d{3}\)?[ .-]?\d{3}[ .-]?\d{4}(?!\w)"), "[phone]"),
    (re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"), "[ip]"),
    (re.compile(r"(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}[0-9a-f:]*[0-9a-f]\b", re.IGNORECASE), "[ip]"),
)
_OURS = frozenset({"timestamp", "level", "logger", "request_id", "code"})


def redacted(text: str) -> str:
    """Return a text without people's addresses, phone numbers and ids."""
    return _redacted_word(text) if len(text) <= _WORD_MAX else _redacted(_shortened(text))


def _redacted(text: str) -> str:
    for pattern, instead in _PATTERNS:
        text = pattern.sub(instead, text)
    return text


_redacted_word = lru_cache(maxsize=500)(_redacted)  # entries for events repeat the same few


def _shortened(text: str) -> str:
    """Cut the middle of a long text: an error's place is at the start, its name at the end."""
    if len(text) <= TEXT_MAX:
        return text
    half = TEXT_MAX // 2
    return f"{text[:half]} [{len(text) - 2 * half} characters left out] {text[-half:]}"


def redact(_logger: Any, _method: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Redact every value, nested ones too; a structlog processor."""
    return {key: value if key in _OURS else _clean(key, value) for key, value in entry.items()}


def _clean(key: str, value: Any) -> Any:
    if key in _PRIVATE_KEYS:
        return "[left out]"
    if isinstance(value, str):
        return redacted(value)
    if isinstance(value, Mapping):
        return {inner: _clean(str(inner), item) for inner, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_clean("", item) for item in value]
    return value if isinstance(value, bool | int | float | None) else redacted(repr(value))


log = structlog.get_logger()

_HANDLER = "fuel"
_IN_FULL = RateLimitItemPerMinute(20)
_MESSAGE_MAX = 2_000  # characters
_limiter = FixedWindowRateLimiter(MemoryStorage())

_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
# One list for good: loggers cache it on first use.
_PROCESSORS: list[Processor] = [
    structlog.stdlib.filter_by_level,
    *_SHARED,
    structlog.stdlib.PositionalArgumentsFormatter(),
    ProcessorFormatter.wrap_for_formatter,
]


def set_up(stream: TextIO | None = None) -> None:
    """Send all log entries to `stream`, else stdout. May be called again."""
    output = stream or sys.stdout
    structlog.configure(
        processors=_PROCESSORS,
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    kind = structlog.dev.ConsoleRenderer if output.isatty() else structlog.processors.JSONRenderer
    processors = [
        ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,
        redact,
        kind(),
    ]
    handler = logging.StreamHandler(output)
    handler.set_name(_HANDLER)
    handler.setFormatter(ProcessorFormatter(foreign_pre_chain=_SHARED, processors=processors))
    # Neither the caller nor the thread is logged, which saves a third of an entry's cost.
    logging._srcfile = None  # type: ignore[attr-defined]
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    root = logging.getLogger()
    root.handlers = [handler, *(other for other in root.handlers if other.name != _HANDLER)]
    root.setLevel(logging.INFO)
    _gather_libraries()


def _gather_libraries() -> None:
    """Remove libraries' own handlers, whose entries would bypass ours."""
    for logger in list(logging.root.manager.loggerDict.values()):
        if isinstance(logger, logging.Logger):
            logger.handlers.clear()
            logger.propagate = True
    # Their entries hold whole URLs, with keys and coordinates, and what Stripe says of a value.
    for name in ("httpx", "stripe"):
        logging.getLogger(name).setLevel(logging.WARNING)
    logging.getLogger("sqlalchemy.pool.impl.AsyncAdaptedQueuePool").addFilter(_is_no_disconnect)


def _is_no_disconnect(record: logging.LogRecord) -> bool:
    """Drop the pool's error about a query that was cancelled because its tab has disconnected."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


def new_request_id() -> str:
    return uuid.uuid4().hex


def on_backend_error(exception: Exception) -> None:
    """Log an event's unexpected error; past some a minute without the traceback, since an attacker
    may repeat it."""
    request_id, kind = events.current_id() or new_request_id(), type(exception).__name__
    traceback = exception if _limiter.hit(_IN_FULL, "event") else None
    log.error("event.failed", request_id=request_id, kind=kind, exc_info=traceback)


def on_frontend_error(exception: Exception) -> None:
    """Log an error that a browser reports, true or made up: some a minute."""
    if _limiter.hit(_IN_FULL, "browser"):
        log.error("browser.failed", message=str(exception)[:_MESSAGE_MAX])


async def announce(count_waitlist: Callable[[], Awaitable[int]]) -> None:
    """Log at start-up what runs here; an unavailable database stops nothing."""
    about = {
        "database": "sqlite" if settings.uses_sqlite else "postgresql",
        "redis": settings.redis_url is not None,
    }
    if settings.rate_limits == "off":
        log.warning("rate_limits.disabled", reason="FUEL_RATE_LIMITS is off: for tests only")
    if placeholders := settings.placeholders():
        log.warning("settings.placeholders_used", settings=placeholders)
    try:
        log.info("process.started", **about, waitlist=await count_waitlist())
    except Exception:
        log.exception("database.unavailable", **about)
