"""`python -m fuel_app migrate` on a PostgreSQL that does not let it: a sentence, no traceback."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator

import asyncpg
import pytest
from sqlalchemy.engine import URL, make_url

from fuel_app.kit.db import backups
from fuel_app.settings import ROOT
from tests import servers

pytestmark = pytest.mark.slow

SETUP = """
CREATE ROLE clerk LOGIN; CREATE DATABASE shop;
CREATE ROLE boss LOGIN; CREATE DATABASE owned OWNER boss;
"""
STRANGE = "CREATE TABLE alembic_version (version_num text); GRANT ALL ON SCHEMA public TO boss"
DATABASES = ("shop", "owned", "postgres")


def execute(url: URL, statements: str) -> None:
    async def run() -> None:
        address = url.set(drivername="postgresql").render_as_string(hide_password=False)
        connection = await asyncpg.connect(address)
        for statement in filter(None, map(str.strip, statements.split(";"))):
            await connection.execute(statement)
        await connection.close()

    asyncio.run(run())


@pytest.fixture(scope="module")
def server() -> Iterator[URL]:
    """A PostgreSQL with databases of others."""
    with servers.postgres() as url:
        execute(make_url(url), SETUP)
        yield make_url(url)


def migrate(url: URL) -> tuple[int, str]:
    address = url.render_as_string(hide_password=False)
    done = subprocess.run(
        [sys.executable, "-m", "fuel_app", "migrate"],
        cwd=ROOT,
        env=os.environ | {"FUEL_DATABASE_URL": address},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_database_of_another_owner_is_a_sentence_that_says_what_to_do(server):
    code, said = migrate(server.set(username="clerk", database="shop"))
    assert code == 1
    assert said == (
        "The database is not migrated: clerk may not make tables in it. Make clerk its owner:"
        ' sudo -u postgres psql -c \'ALTER DATABASE "shop" OWNER TO "clerk"\'\n'
    )


@pytest.mark.parametrize(
    ("differs", "problem"),
    [
        ({"database": "nowhere"}, 'it does not let us in: database "nowhere" does not exist'),
        ({"port": servers.free_port()}, "it does not let us in: "),
        ({"username": "nobody"}, 'it does not let us in: role "nobody" does not exist'),
    ],
)
def test_a_database_that_does_not_answer_is_a_sentence(server, differs, problem):
    code, said = migrate(server.set(**differs))
    assert (code, len(said.splitlines())) == (1, 1)
    assert said.startswith(f"The database is not migrated: {problem}")


async def test_the_owner_of_a_database_may_migrate_it_until_tables_are_anothers(server):
    mine = server.set(username="boss", database="owned")
    await backups.check(mine.render_as_string(hide_password=False))
    await asyncio.to_thread(execute, server.set(database="owned"), STRANGE)
    with pytest.raises(backups.NotOurs, match=r"its tables belong to .+, not to boss"):
        await backups.check(mine.render_as_string(hide_password=False))
