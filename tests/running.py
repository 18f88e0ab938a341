"""Mark each test with the run that it belongs to, and collect less garbage."""

import gc
import re

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
# `make prove` runs the rest on it.
ON_POSTGRESQL = re.compile(
    r"tests/(kit|hardening|demo|faults)/|tests/test_"
    r"|/test_(queries|jobs|health|migration|providers_faults)"
    r"|/test_\w*(listing|directory|search|races|crowd|lock_order|meanwhile|limits|balances|holds"
    r"|ledger|webhooks|erased|today)"
)


def _is_measured(path: str) -> bool:
    return not UNMEASURED.search(path) or bool(MEASURED_STATES.search(path))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that the gate needs, and those on PostgreSQL that wait for `make prove`."""
    path = item.path.as_posix()
    if "postgresql" in item.name:
        if not ON_POSTGRESQL.search(path):
            item.add_marker(pytest.mark.long)
    elif _is_measured(path):
        item.add_marker(pytest.mark.measured)


def pytest_collection_finish() -> None:
    """Leave the modules and tests, which stay, out of collections: a tenth less time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
