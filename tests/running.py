"""Hooks that make a run of all tests shorter: coverage where it counts, less garbage collection."""

import gc
import re

import pytest

# Measuring coverage makes a test take half as long again. The gate is on rules and services, and
# needs each test of them once, on SQLite.
UNMEASURED = re.compile(r"tests/(hardening|faults|server)/|/test_(state|providers|ui)|tests/test_")
# These reach branches of services that no test of a service reaches.
MEASURED_STATES = re.compile(
    r"/areas/test_state_places|/accounts/test_state_sign_in_page|/dispatch/test_state_today"
    r"|/bookings/test_state_(one_time_fill|double_clicks|booking_guest)|/messages/test_state_"
    r"|/customers/test_state_(own|own_vehicles|account|vehicles|security|email)\.py"
    r"|/customers/test_state_(sign_up_open|neighborhood|opening)|/joining/test_state_(resuming|links)"
    r"|/office/test_state_customer_(garage|head)|/marketing/test_state"
)


def _is_measured(item: pytest.Item) -> bool:
    path = item.path.as_posix()
    if "postgresql" in item.name:
        return False
    return not UNMEASURED.search(path) or bool(MEASURED_STATES.search(path))


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that the gate needs."""
    if _is_measured(item):
        item.add_marker(pytest.mark.measured)


def pytest_collection_finish() -> None:
    """Leave the modules and tests, which stay, out of collections: a tenth less time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
