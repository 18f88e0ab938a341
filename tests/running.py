"""What runs where: coverage and PostgreSQL where they count; less garbage collection.

`make test` has a run with coverage and one without; what a run leaves out is not imported either.
"""

import gc
import re
from pathlib import Path

import pytest

# Measuring coverage makes a test take twice as long. The gate is on rules and services, and needs
# each test of them once, on SQLite.
UNMEASURED = re.compile(r"tests/(hardening|faults|server)/|/test_(state|providers|ui)|tests/test_")
# These reach branches of services that no test of a service reaches.
MEASURED_STATES = re.compile(
    r"/areas/test_state_places|/accounts/test_state_sign_in_page|/dispatch/test_state_today"
    r"|/bookings/test_state_(one_time_fill|double_clicks|booking_guest)|/messages/test_state_"
    r"|/customers/test_state_(own|own_vehicles|account|vehicles|security|email)\.py"
    r"|/customers/test_state_(sign_up_open|neighborhood|opening)|/joining/test_state_(resuming|links)"
    r"|/office/test_state_customer_(garage|head)|/marketing/test_state"
)
# What PostgreSQL can break: queries and search, constraints, locks and races, jobs, migrations.
# `make prove` runs every test of a database on it.
ON_POSTGRESQL = re.compile(
    r"tests/(kit|hardening|demo|faults)/|tests/test_"
    r"|/test_(queries|jobs|health|migration|providers_faults)"
    r"|/test_\w*(listing|directory|search|races|crowd|lock_order|meanwhile|limits|balances|holds"
    r"|ledger|webhooks|erased|today)"
)
RUNS = ("measured and not browser and not long", "not measured and not browser and not long")


def _is_measured(path: Path) -> bool:
    where = path.as_posix()
    return not UNMEASURED.search(where) or bool(MEASURED_STATES.search(where))


def _is_on_postgresql(path: Path) -> bool:
    return bool(ON_POSTGRESQL.search(path.as_posix()))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import no file of which this run of `make test` has no test."""
    expression = config.option.markexpr
    if collection_path.suffix != ".py" or expression not in RUNS:
        return None
    is_measured = _is_measured(collection_path)
    if expression == RUNS[0]:
        return not is_measured or None
    return (is_measured and not _is_on_postgresql(collection_path)) or None


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that the gate needs, and those on PostgreSQL that wait for `make prove`."""
    if "postgresql" in item.name:
        if not _is_on_postgresql(item.path):
            item.add_marker(pytest.mark.long)
    elif _is_measured(item.path):
        item.add_marker(pytest.mark.measured)


def pytest_collection_finish() -> None:
    """Leave the modules and tests, which stay, out of collections: a tenth less time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
