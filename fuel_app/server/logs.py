"""The log: one JSON object a line on stdout, from us and from every library alike."""

import asyncio
import logging
import sys
import uuid
from collections.abc import Awaitable, Callable
from typing import TextIO

import structlog
from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from reflex_base.event.context import EventContext
from structlog.stdlib import ProcessorFormatter
from structlog.types import Processor

from fuel_app.server.redaction import redact
from fuel_app.settings import settings

log = structlog.get_logger()

_HANDLER = "fuel"
_IN_FULL = RateLimitItemPerMinute(20)
_SAID_MAX = 2_000  # characters
_limiter = FixedWindowRateLimiter(MemoryStorage())

_SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
# One list for good: loggers keep the one that they were first used with.
_PROCESSORS: list[Processor] = [
    structlog.stdlib.filter_by_level,
    *_SHARED,
    structlog.stdlib.PositionalArgumentsFormatter(),
    ProcessorFormatter.wrap_for_formatter,
]


def set_up(stream: TextIO | None = None) -> None:
    """Send every logger's lines to one place (`stream`, else stdout). May be called again."""
    output = stream or sys.stdout
    structlog.configure(
        processors=_PROCESSORS,
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    for_people = output.isatty()
    renderer = (
        structlog.dev.ConsoleRenderer() if for_people else structlog.processors.JSONRenderer()
    )
    handler = logging.StreamHandler(output)
    handler.set_name(_HANDLER)
    handler.setFormatter(
        ProcessorFormatter(
            foreign_pre_chain=_SHARED,
            processors=[
                ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                redact,
                renderer,
            ],
        )
    )
    # No line says from where in the code it comes, or from which thread: a third of its cost.
    logging._srcfile = None  # type: ignore[attr-defined]
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    root = logging.getLogger()
    root.handlers = [handler, *(other for other in root.handlers if other.name != _HANDLER)]
    root.setLevel(logging.INFO)
    _gather_libraries()


def _gather_libraries() -> None:
    """Take the handlers that libraries gave themselves: their lines would pass us by."""
    for logger in list(logging.root.manager.loggerDict.values()):
        if isinstance(logger, logging.Logger):
            logger.handlers.clear()
            logger.propagate = True
    # Its lines hold whole addresses, with the keys and places in them.
    logging.getLogger("httpx").setLevel(logging.WARNING)
    logging.getLogger("sqlalchemy.pool.impl.AsyncAdaptedQueuePool").addFilter(_is_no_leaving)


def _is_no_leaving(record: logging.LogRecord) -> bool:
    """A tab that leaves ends its question. The connection is thrown away, of which
    the pool tells as of an error."""
    return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


def new_request_id() -> str:
    return uuid.uuid4().hex


def on_backend_error(exception: Exception) -> None:
    """Log what an event did not expect, under the id that its other lines have. Whoever knows how
    to bring an error about can do so all day: past some a minute, only its name is logged."""
    try:
        request_id = EventContext.get().txid
    except LookupError:
        request_id = new_request_id()
    told = _limiter.hit(_IN_FULL, "event")
    kind = type(exception).__name__
    log.error("event.error", request_id=request_id, kind=kind, exc_info=exception if told else None)


def on_frontend_error(exception: Exception) -> None:
    """Log what failed in a browser, or what a stranger says that failed there: some a minute."""
    if _limiter.hit(_IN_FULL, "browser"):
        log.error("browser.error", said=str(exception)[:_SAID_MAX])


async def announce(count_waitlist: Callable[[], Awaitable[int]]) -> None:
    """Say at start-up what runs here; whether the database answers stops nothing."""
    about = {
        "phase": settings.phase,
        "database": "sqlite" if settings.uses_sqlite else "postgresql",
        "redis": settings.redis_url is not None,
    }
    if settings.rate_limits == "off":
        log.warning("start.rate_limits_off", reason="FUEL_RATE_LIMITS is off: for tests only")
    try:
        log.info("start", **about, waitlist=await count_waitlist())
    except Exception:
        log.exception("start.database_unavailable", **about)
