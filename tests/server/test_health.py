"""Health and readiness, for monitors and load balancers."""

import asyncio
from types import SimpleNamespace
from unittest.mock import AsyncMock

import pytest
from sqlalchemy import text

from fuel_app.server import health as readiness
from fuel_app.server.reflex import shutdown


async def _has_no_answer() -> bool:
    await asyncio.sleep(60)
    return True


NEWEST = "SELECT version_num FROM alembic_version"


@pytest.mark.parametrize(
    ("change", "is_current"),
    [
        (NEWEST, True),
        ("UPDATE alembic_version SET version_num = 'older'", False),
        ("UPDATE alembic_version SET version_num = 'made_next_year'", True),
        ("DROP TABLE alembic_version", False),
    ],
)
async def test_an_older_migration_fails_the_check(database, monkeypatch, change, is_current):
    async with database.begin() as connection:
        newest = await connection.scalar(text(NEWEST))
        await connection.execute(text(change))
    known = newest, frozenset({newest, "older"})
    monkeypatch.setattr(readiness, "_known_migrations", lambda: known)
    assert await readiness.check() == {"database": True, "migrations": is_current}


@pytest.mark.parametrize(
    ("ping", "works"),
    [
        (AsyncMock(return_value=True), True),
        (AsyncMock(side_effect=ConnectionError), False),
        (_has_no_answer, False),
    ],
)
@pytest.mark.usefixtures("sqlite_database")
async def test_redis_is_checked_where_configured(monkeypatch, ping, works):
    monkeypatch.setattr(readiness, "redis", lambda: SimpleNamespace(ping=ping))
    monkeypatch.setattr(readiness, "TIMEOUT_S", 0.2)
    answers = await readiness.check()
    assert answers == {"database": True, "migrations": True, "redis": works}


async def test_health_does_not_need_the_database(browser):
    response = await browser.get("/health")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert response.headers["cache-control"] == "no-store"


async def test_a_database_is_ready_once_it_is_migrated(database, browser):
    response = await browser.get("/ready")
    works = {"status": "ready", "database": True, "migrations": True}
    assert (response.status_code, response.json()) == (200, works)
    assert response.headers["cache-control"] == "no-store"
    async with database.begin() as connection:
        await connection.execute(text("DELETE FROM alembic_version"))
    response = await browser.get("/ready")
    works = {"status": "unavailable", "database": True, "migrations": False}
    assert (response.status_code, response.json()) == (503, works)


@pytest.mark.usefixtures("sqlite_database")
async def test_a_stopping_process_is_not_ready_but_healthy(browser, monkeypatch):
    monkeypatch.setattr(shutdown, "has_begun", lambda: True)
    assert (await browser.get("/ready")).json() == {"status": "stopping"}
    assert (await browser.get("/ready")).status_code == 503
    assert (await browser.get("/health")).status_code == 200
