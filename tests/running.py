"""Hooks that make a run of all tests shorter: coverage where it counts, less garbage collection."""

import gc
import re

import pytest

# Measuring coverage makes a test take half as long again. The gate is on rules and services, and
# needs each test of them once, on SQLite; these run after the others without it.
UNMEASURED = re.compile(r"tests/(hardening|faults|server)/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if UNMEASURED.search(item.path.as_posix()) or "postgresql" in item.name:
            item.add_marker("unmeasured")


def pytest_collection_finish() -> None:
    """Leave the modules and tests, which stay, out of collections: a tenth less time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
