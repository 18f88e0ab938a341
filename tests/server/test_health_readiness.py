"""Whether this process can do its work: asked of what it leans on."""

import asyncio

import pytest
from redis.asyncio import from_url
from sqlalchemy import text

from fuel_app.kit.db import migrations
from fuel_app.server import health as readiness


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


async def test_a_migrated_database_is_all_that_a_process_alone_needs(database):
    assert await readiness.check() == {"database": True, "migrations": True}


async def test_a_database_with_an_older_migration_is_missing_some(database, monkeypatch):
    monkeypatch.setattr(migrations, "_known", lambda: ("newest", frozenset({"newest", "older"})))
    await _has_version(database, "older")
    assert await readiness.check() == {"database": True, "migrations": False}


async def test_a_database_that_the_next_release_has_migrated_is_missing_none(database):
    await _has_version(database, "made_next_year")
    assert await readiness.check() == {"database": True, "migrations": True}


async def test_a_database_that_was_never_migrated_is_missing_all(database):
    async with database.begin() as connection:
        await connection.execute(text("DROP TABLE alembic_version"))
    assert await readiness.check() == {"database": True, "migrations": False}


async def test_without_a_database_nothing_works():
    """The tests' own databases are bound by name; this one is not."""
    assert await readiness.check() == {"database": False, "migrations": False}


@pytest.mark.parametrize(("answer", "works"), [(_yes, True), (_no, False), (_nothing, False)])
@pytest.mark.usefixtures("sqlite_database")
async def test_redis_is_asked_where_there_is_one(monkeypatch, answer, works):
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
