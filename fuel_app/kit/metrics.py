"""Metrics for monitoring, without personal data."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from prometheus_client import Counter, Gauge, Histogram

# Seconds.
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)

REQUESTS = Histogram(
    "fuel_http_request_seconds", "HTTP requests", ("route", "status"), buckets=_BUCKETS
)
EVENTS = Histogram(
    "fuel_event_seconds",
    "Events of the pages, from the tab's lock to the end; background events are not timed",
    ("event", "outcome"),
    buckets=_BUCKETS,
)
WEBSOCKETS = Gauge("fuel_websockets", "Connected tabs", multiprocess_mode="livesum")
JOINS = Counter("fuel_joins", "Visitors who joined the waitlist")
QUOTES = Counter("fuel_quotes", "Requests for a quote", ("type",))
IMPORTS = Counter("fuel_imports", "Imports of leads that have ended", ("outcome",))
IMPORTED_ROWS = Counter("fuel_imported_rows", "Rows of imported files", ("outcome",))
JOBS = Counter("fuel_jobs", "Attempts of background jobs", ("kind", "outcome"))
_latest = partial(Gauge, multiprocess_mode="mostrecent")
JOBS_DUE = _latest("fuel_jobs_due", "Jobs that are due")
JOBS_OLDEST_S = _latest(
    "fuel_jobs_oldest_due_seconds", "For how long the first of them has been due"
)
JOBS_DEAD = _latest("fuel_jobs_dead", "Jobs that failed for good")
MONEY_DIFFERENCES = _latest(
    "fuel_money_differences",
    "Invoices and credit balances that differ from their parts or the journal, as of last night",
)
MONEY_UNKNOWN = _latest(
    "fuel_money_unknown",
    "Payments and refunds of half an hour ago and older without an outcome after the last run",
)
PROVIDER_CALLS = Histogram(
    "fuel_provider_call_seconds",
    "Questions to outside services",
    ("provider", "question", "outcome"),
    buckets=_BUCKETS,
)


@contextmanager
def provider_call(provider: str, question: str) -> Iterator[None]:
    """Time one request to an outside service, with its outcome."""
    started, outcome = time.perf_counter(), "failed"
    try:
        yield
        outcome = "answered"
    finally:
        spent = time.perf_counter() - started
        PROVIDER_CALLS.labels(provider, question, outcome).observe(spent)
