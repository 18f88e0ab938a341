"""Health and readiness, for monitors and load balancers."""

import asyncio

import pytest
from redis.asyncio import from_url
from sqlalchemy import text

from fuel_app.kit.db import migrations
from fuel_app.server import health as readiness
from fuel_app.server.reflex import shutdown


class Answering:
    def __init__(self, answer) -> None:
        self.ping = answer


async def _yes() -> bool:
    return True


async def _no() -> bool:
    raise ConnectionError


async def _nothing() -> bool:
    await asyncio.sleep(60)
    return True


async def _has_version(database, version: str) -> None:
    async with database.begin() as connection:
        statement = text("UPDATE alembic_version SET version_num = :version")
        await connection.execute(statement, {"version": version})


async def test_a_single_process_needs_only_a_migrated_database(database):
    assert await readiness.check() == {"database": True, "migrations": True}


async def test_an_older_migration_fails_the_check(database, monkeypatch):
    monkeypatch.setattr(migrations, "_known", lambda: ("newest", frozenset({"newest", "older"})))
    await _has_version(database, "older")
    assert await readiness.check() == {"database": True, "migrations": False}


async def test_a_newer_migration_passes_the_check(database):
    await _has_version(database, "made_next_year")
    assert await readiness.check() == {"database": True, "migrations": True}


async def test_a_database_without_migrations_fails_the_check(database):
    async with database.begin() as connection:
        await connection.execute(text("DROP TABLE alembic_version"))
    assert await readiness.check() == {"database": True, "migrations": False}


async def test_an_unavailable_database_fails_both_checks():
    """The tests' own databases are bound by name; this one is not."""
    assert await readiness.check() == {"database": False, "migrations": False}


@pytest.mark.parametrize(("answer", "works"), [(_yes, True), (_no, False), (_nothing, False)])
@pytest.mark.usefixtures("sqlite_database")
async def test_redis_is_checked_where_configured(monkeypatch, answer, works):
    monkeypatch.setattr(readiness, "redis", lambda: Answering(answer))
    monkeypatch.setattr(readiness, "TIMEOUT_S", 0.2)
    answers = await readiness.check()
    assert answers == {"database": True, "migrations": True, "redis": works}


@pytest.mark.slow
@pytest.mark.usefixtures("sqlite_database")
async def test_a_real_redis_answers(redis_url, monkeypatch):
    async with from_url(redis_url) as connections:
        monkeypatch.setattr(readiness, "redis", lambda: connections)
        assert (await readiness.check())["redis"]


async def test_health_does_not_need_the_database(browser):
    """There is none here: who is asked every second does not ask others."""
    response = await browser.get("/health")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    assert response.headers["cache-control"] == "no-store"


async def test_a_migrated_database_is_ready(database, browser):
    response = await browser.get("/ready")
    works = {"status": "ready", "database": True, "migrations": True}
    assert (response.status_code, response.json()) == (200, works)
    assert response.headers["cache-control"] == "no-store"


async def test_an_unmigrated_database_is_not_ready(database, browser):
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
