"""Tell which tests need a database, and which may wait; collect less garbage."""

import gc
import re

import pytest

# What PostgreSQL can break: queries and search, constraints, locks and races, jobs, migrations.
# `make prove` runs the rest on it.
ON_POSTGRESQL = re.compile(
    r"tests/(kit|hardening|demo|faults)/|tests/test_"
    r"|/test_(queries|jobs|health|migration|providers_faults)"
    r"|/test_\w*(listing|directory|search|races|crowd|lock_order|meanwhile|limits|balances|holds"
    r"|interruptions|ledger|webhooks|erased|today|waiting)"
)


NEED_A_DATABASE = frozenset(
    {"database", "database_url", "empty_database_url", "postgres_url", "redis_url"}
    | {"sqlite_database", "sqlite_template", "app", "browser", "site"}
)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that need a database, and those that wait for `make prove`."""
    if NEED_A_DATABASE.intersection(getattr(item, "fixturenames", ())):
        item.add_marker(pytest.mark.database)
    if "postgresql" in item.name and not ON_POSTGRESQL.search(item.path.as_posix()):
        item.add_marker(pytest.mark.long)


def pytest_collection_finish() -> None:
    """Leave the modules and tests, which stay, out of collections: a tenth less time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
