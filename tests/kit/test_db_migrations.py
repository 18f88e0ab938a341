"""The migration and the models describe the same database."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy.engine import Connection

from fuel_app.kit.db.session import make_engine
from fuel_app.kit.db.tables import has_no_model, metadata
from tests.conftest import alembic_config
from tests.helpers import lengths

Schema = dict[tuple[str, str], list[str]]
T = TypeVar("T")


def look(url: str, read: Callable[[Connection], T]) -> T:
    """Return what `read` returns for the database, and commit."""

    async def connect() -> T:
        engine = make_engine(url)
        try:
            async with engine.begin() as connection:
                return await connection.run_sync(read)
        finally:
            await engine.dispose()

    return asyncio.run(connect())


PARTS = (
    *("columns", "pk_constraint", "foreign_keys"),
    *("check_constraints", "indexes", "unique_constraints"),
)


def schema(connection: Connection) -> Schema:
    """Return the database's own description of each part of its tables, without Alembic's."""
    inspector = sa.inspect(connection)

    def texts(described: Any) -> list[str]:
        each = described if isinstance(described, list) else [described]
        return sorted(json.dumps(one, default=str) for one in each)

    return {
        (table, part): texts(described)
        for part in PARTS
        for (_, table), described in getattr(inspector, f"get_multi_{part}")().items()
        if table != "alembic_version" and not has_no_model(table)
    }


def test_upgrade_and_downgrade_round_trip(empty_database_url):
    config = alembic_config(empty_database_url)
    command.upgrade(config, "head")
    first = look(empty_database_url, schema)
    command.downgrade(config, "base")
    assert look(empty_database_url, schema) == {}
    command.upgrade(config, "head")
    command.upgrade(config, "head")  # changes nothing
    assert look(empty_database_url, schema) == first
    assert {table for table, _ in first} == set(metadata.tables)


@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
def test_migration_has_no_statement_timeout(empty_database_url, monkeypatch):
    """The site's queries time out; building an index of all leads does not."""
    look(empty_database_url, _make_the_first_index_slow)
    monkeypatch.setitem(make_engine.__kwdefaults__, "statement_timeout_s", 0.5)
    command.upgrade(alembic_config(empty_database_url), "head")


SLOW_FIRST_INDEX = (
    "CREATE SEQUENCE indexes",
    "CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN"
    " IF nextval('indexes') = 1 THEN PERFORM pg_sleep(0.8); END IF; END $$",
    "CREATE EVENT TRIGGER slow ON ddl_command_start WHEN TAG IN ('CREATE INDEX')"
    " EXECUTE FUNCTION slow()",
)


def _make_the_first_index_slow(connection: Connection) -> None:
    for statement in SLOW_FIRST_INDEX:
        connection.execute(sa.text(statement))


def test_models_create_the_schema_and_triggers_of_the_migration(empty_database_url, database_url):
    look(empty_database_url, metadata.create_all)
    assert look(database_url, schema) == look(empty_database_url, schema)
    assert look(database_url, triggers) == look(empty_database_url, triggers)


def triggers(connection: Connection) -> list[str]:
    """Return the database's own definition of each trigger and its function."""
    if connection.dialect.name == "sqlite":
        query = (
            "SELECT sql FROM sqlite_master WHERE type = 'trigger'"
            f" AND name NOT LIKE '{lengths.PREFIX}%' ORDER BY name"
        )
    else:
        query = (
            "SELECT pg_get_triggerdef(oid) || pg_get_functiondef(tgfoid) FROM pg_trigger"
            " WHERE NOT tgisinternal ORDER BY tgname"
        )
    return list(connection.scalars(sa.text(query)))


def test_every_foreign_key_defines_on_delete(database_url):
    tables = look(database_url, schema).items()
    keys = [key for (_, part), described in tables if part == "foreign_keys" for key in described]
    assert len(keys) >= 3
    assert [key for key in keys if '"ondelete"' not in key] == []
