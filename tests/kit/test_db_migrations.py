"""The migrations and the models describe one database, and it refuses what no form would send."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.engine import Connection, Inspector

from fuel_app.kit.db.session import make_engine
from fuel_app.kit.db.tables import has_no_model, metadata
from tests.conftest import alembic_config
from tests.factories import row
from tests.leads.test_queries_listing import lead

Schema = dict[str, dict[str, Any]]
T = TypeVar("T")


def look(url: str, read: Callable[[Connection], T]) -> T:
    """What `read` makes of the database; what it writes is kept."""

    async def connect() -> T:
        engine = make_engine(url)
        try:
            async with engine.begin() as connection:
                return await connection.run_sync(read)
        finally:
            await engine.dispose()

    return asyncio.run(connect())


def schema(connection: Connection) -> Schema:
    """All that the database itself says about its tables, Alembic's own aside."""
    inspector = sa.inspect(connection)
    names = set(inspector.get_table_names()) - {"alembic_version"}
    return {name: _table(inspector, name) for name in names if not has_no_model(name)}


def _table(inspector: Inspector, name: str) -> dict[str, Any]:
    return {
        "columns": {
            column["name"]: (str(column["type"]), column["nullable"], column["default"])
            for column in inspector.get_columns(name)
        },
        "primary key": inspector.get_pk_constraint(name),
        "foreign keys": {
            key["name"]: (
                key["constrained_columns"],
                key["referred_table"],
                key["referred_columns"],
                key.get("options"),
            )
            for key in inspector.get_foreign_keys(name)
        },
        "checks": {
            check["name"]: check["sqltext"] for check in inspector.get_check_constraints(name)
        },
        "indexes": {
            index["name"]: (index["column_names"], bool(index["unique"]))
            for index in inspector.get_indexes(name)
        },
        "unique": {
            unique["name"]: unique["column_names"]
            for unique in inspector.get_unique_constraints(name)
        },
    }


def ours(name: str | None, _kind: str, _parents: object) -> bool:
    return not has_no_model(name)


def differences(connection: Connection) -> list[Any]:
    context = MigrationContext.configure(
        connection, opts={"compare_type": True, "include_name": ours}
    )
    return compare_metadata(context, metadata)


def test_the_migrations_go_up_and_down_and_up_again(empty_database_url):
    config = alembic_config(empty_database_url)
    command.upgrade(config, "head")
    first = look(empty_database_url, schema)
    command.downgrade(config, "base")
    assert look(empty_database_url, schema) == {}
    command.upgrade(config, "head")
    assert look(empty_database_url, schema) == first
    assert set(first) == set(metadata.tables)


def test_each_migration_can_be_taken_back_alone(empty_database_url):
    config = alembic_config(empty_database_url)
    command.upgrade(config, "head")
    whole = look(empty_database_url, schema)
    command.downgrade(config, "-1")
    command.upgrade(config, "head")
    assert look(empty_database_url, schema) == whole


def test_migrating_twice_changes_nothing(database_url):
    before = look(database_url, schema)
    command.upgrade(alembic_config(database_url), "head")
    assert look(database_url, schema) == before


@pytest.mark.parametrize("engine_name", [pytest.param("postgresql", marks=pytest.mark.slow)])
def test_a_migration_takes_as_long_as_it_takes(empty_database_url, monkeypatch):
    """A visitor's question is given up after a while; building an index of all leads is not."""
    look(empty_database_url, _make_the_first_index_slow)
    monkeypatch.setitem(make_engine.__kwdefaults__, "patience_s", 0.5)
    command.upgrade(alembic_config(empty_database_url), "head")


def _make_the_first_index_slow(connection: Connection) -> None:
    connection.execute(sa.text("CREATE SEQUENCE indexes"))
    connection.execute(
        sa.text(
            "CREATE FUNCTION slow() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN"
            " IF nextval('indexes') = 1 THEN PERFORM pg_sleep(0.8); END IF; END $$"
        )
    )
    connection.execute(
        sa.text(
            "CREATE EVENT TRIGGER slow ON ddl_command_start WHEN TAG IN ('CREATE INDEX')"
            " EXECUTE FUNCTION slow()"
        )
    )


def test_a_new_migration_would_be_empty(database_url):
    assert look(database_url, differences) == []


def test_the_models_make_what_the_migrations_make(empty_database_url, database_url):
    look(empty_database_url, metadata.create_all)
    assert look(database_url, schema) == look(empty_database_url, schema)


def triggers(connection: Connection) -> list[str]:
    """Each trigger, and what it runs, in the database's own words."""
    if connection.dialect.name == "sqlite":
        query = "SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name"
    else:
        query = (
            "SELECT pg_get_triggerdef(oid) || pg_get_functiondef(tgfoid) FROM pg_trigger"
            " WHERE NOT tgisinternal ORDER BY tgname"
        )
    return list(connection.scalars(sa.text(query)))


def test_the_models_make_the_triggers_that_the_migrations_make(empty_database_url, database_url):
    look(empty_database_url, metadata.create_all)
    made = look(database_url, triggers)
    assert len(made) >= 3
    assert look(empty_database_url, triggers) == made


def test_groups_that_are_there_before_they_are_counted_are_counted(empty_database_url):
    config = alembic_config(empty_database_url)
    command.upgrade(config, "0002_staff_tables")
    look(empty_database_url, _a_group_of_two)
    command.upgrade(config, "head")
    query = "SELECT members, search_name, pioneer_key FROM neighborhoods ORDER BY name"
    found = look(empty_database_url, lambda connection: connection.execute(sa.text(query)).all())
    assert [tuple(row) for row in found] == [
        (0, "bay view", ""),
        (2, "elan court", "angstrom\nada angstrom"),
    ]


def _a_group_of_two(connection: Connection) -> None:
    old = sa.MetaData()
    old.reflect(connection, only=["neighborhoods", "waitlist_submissions"])
    groups, people = old.tables["neighborhoods"], old.tables["waitlist_submissions"]
    founded = row("neighborhoods", name="Élan Court")
    connection.execute(groups.insert(), [founded, row("neighborhoods", name="Bay View")])
    member = {"neighborhood_id": founded["id"], "resume_hash": None}
    pioneer = row("waitlist_submissions", last_name="Ångström") | member
    connection.execute(people.insert(), [pioneer, row("waitlist_submissions") | member])
    theirs = groups.update().where(groups.c.id == founded["id"])
    connection.execute(theirs.values(pioneer_id=pioneer["id"]))


def test_leads_that_are_there_before_they_are_counted_are_counted_and_found(empty_database_url):
    config = alembic_config(empty_database_url)
    command.upgrade(config, "0003_neighborhood_counts")
    look(empty_database_url, _two_leads)
    command.upgrade(config, "head")
    total = "SELECT type, sum(leads) FROM lead_totals GROUP BY type ORDER BY type"
    found = {
        "sqlite": "SELECT count(DISTINCT doc) FROM lead_search_terms WHERE term LIKE 'zq%'",
        "postgresql": "SELECT count(*) FROM leads WHERE lead_lexemes(search, name_key) @@ 'zq'",
    }

    def read(connection: Connection) -> tuple[list[tuple], int | None]:
        totals = [tuple(each) for each in connection.execute(sa.text(total))]
        return totals, connection.scalar(sa.text(found[connection.dialect.name]))

    assert look(empty_database_url, read) == ([("business", 0), ("fleet", 1), ("waitlist", 1)], 1)
    if empty_database_url.startswith("postgresql"):
        placed = sa.text("SELECT sum(leads) FROM lead_places WHERE month IS NOT NULL")
        assert look(empty_database_url, lambda connection: connection.scalar(placed)) == 2


def _two_leads(connection: Connection) -> None:
    old = sa.MetaData()
    old.reflect(connection, only=["leads"])
    connection.execute(old.tables["leads"].insert(), [lead(0), lead(1, email="lezq")])


def test_every_foreign_key_says_what_a_deletion_does(database_url):
    keys = [
        (name, options)
        for table in look(database_url, schema).values()
        for name, (*_, options) in table["foreign keys"].items()
    ]
    assert len(keys) >= 3
    assert [name for name, options in keys if not (options or {}).get("ondelete")] == []
