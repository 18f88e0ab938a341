"""Database backups in one file, and restoring them.

Before a migration, the PostgreSQL role's right to make tables is checked.
"""

import asyncio
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import asyncpg
from sqlalchemy import text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError

from fuel_app.kit.db.session import CONNECT_TIMEOUT_S, is_sqlite, make_engine

_RIGHTS = text("""
SELECT current_user AS role, current_database() AS name,
    has_schema_privilege('public', 'CREATE') AS makes_tables,
    has_database_privilege(current_database(), 'CREATE')
        OR EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm')
        OR NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm')
        AS makes_extensions,
    (SELECT tableowner FROM pg_tables
        WHERE schemaname = 'public' AND tablename = 'alembic_version'
            AND NOT pg_has_role(tableowner, 'USAGE')) AS stranger
""")


class NotOurs(Exception):  # noqa: N818 (an outcome, worded for the reader)
    """The database does not answer us, or not let us make or change its tables; says why."""


async def check(url: str) -> None:
    """Check that the role of a PostgreSQL address may make tables, and change those that are there.

    Raises:
        NotOurs: If it may not, or if the database does not answer.
    """
    engine = make_engine(url)
    try:
        async with engine.connect() as connection:
            rights = (await connection.execute(_RIGHTS)).mappings().one()
    except (OSError, asyncpg.PostgresError, DBAPIError) as error:
        said = str(getattr(error, "orig", error)) or "no answer"
        raise NotOurs(f"it does not let us in: {said}") from error
    finally:
        await engine.dispose()
    if rights["stranger"]:
        raise NotOurs(f"its tables belong to {rights['stranger']}, not to {rights['role']}")
    if not (rights["makes_tables"] and rights["makes_extensions"]):
        raise NotOurs(
            f"{rights['role']} may not make tables in it. Make {rights['role']} its owner:"
            f' sudo -u postgres psql -c \'ALTER DATABASE "{rights["name"]}"'
            f' OWNER TO "{rights["role"]}"\''
        )


_SQLITE, _POSTGRESQL = b"SQLite format 3\x00", b"PGDMP"
_TABLES = "SELECT count(*) FROM sqlite_master"
_POSTGRESQL_TABLES = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"


class BackupFailed(Exception):  # noqa: N818 (an outcome, worded for the reader)
    """No backup was written, or nothing was restored; says why."""


def suffix(url: str) -> str:
    """Return the file suffix of this database's backups."""
    return ".db" if is_sqlite(url) else ".dump"


def back_up(url: str, file: Path) -> None:
    """Write a complete, checked copy of the database, or none; readable by our user alone.

    Raises:
        BackupFailed: If there is no such database, or it does not answer.
    """
    with _replacing(file) as unfinished:
        unfinished.touch(mode=0o600)
        if is_sqlite(url):
            _copy_sqlite(_place(url), unfinished)
        else:
            _run("pg_dump", "--format=custom", f"--file={unfinished}", url=url)
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())


def restore(file: Path, url: str) -> None:
    """Restore a backup into an empty database, all or nothing.

    Raises:
        BackupFailed: If the file is no backup of this kind of database, or this one has tables.
    """
    kind = _SQLITE if is_sqlite(url) else _POSTGRESQL
    if not file.is_file() or not _begins_with(file, kind):
        raise BackupFailed(f"{file} is not a backup of {make_url(url).get_backend_name()}")
    if not _is_empty(url):
        raise BackupFailed("the database has tables already: restore into an empty one")
    if is_sqlite(url):
        with _replacing(_place(url)) as unfinished:
            _copy_sqlite(file, unfinished)
    else:
        options = ("--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")
        _run("pg_restore", *options, f"--dbname={make_url(url).database}", str(file), url=url)


def _place(url: str) -> Path:
    return Path(make_url(url).database or "")


def _begins_with(file: Path, mark: bytes) -> bool:
    with file.open("rb") as opened:
        return opened.read(len(mark)) == mark


def _copy_sqlite(source: Path, target: Path) -> None:
    if not source.is_file():
        raise BackupFailed(f"there is no database at {source}")
    with _sqlite(source) as ours, _sqlite(target) as copy:
        ours.backup(copy, pages=-1)  # in one step: a consistent snapshot
        copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
        if copy.execute("PRAGMA quick_check").fetchone() != ("ok",):
            raise BackupFailed("the copy is damaged, and so may be the database")


@contextmanager
def _replacing(file: Path) -> Iterator[Path]:
    """Give a name to write to, and move that to `file` if the block ends without an error."""
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_name(f".{file.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    try:
        yield unfinished
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def _sqlite(place: Path) -> Iterator[sqlite3.Connection]:
    try:
        with closing(sqlite3.connect(place, timeout=30)) as connection:
            yield connection
    except sqlite3.Error as error:
        raise BackupFailed(str(error)) from error


def _is_empty(url: str) -> bool:
    if not is_sqlite(url):
        return asyncio.run(_postgresql_tables(make_url(url))) == 0
    if not _place(url).exists():
        return True
    with _sqlite(_place(url)) as connection:
        return connection.execute(_TABLES).fetchone() == (0,)


async def _postgresql_tables(url: URL) -> int:
    address = url.set(drivername="postgresql").render_as_string(hide_password=False)
    try:
        connection = await asyncpg.connect(address, timeout=CONNECT_TIMEOUT_S)
    except (OSError, TimeoutError, asyncpg.PostgresError) as error:
        raise BackupFailed(str(error) or "the database does not answer") from error
    try:
        return await connection.fetchval(_POSTGRESQL_TABLES)
    finally:
        await connection.close()


def _run(program: str, *options: str, url: str) -> None:
    """Run one of PostgreSQL's tools; the password stays out of the process list."""
    path = shutil.which(program)
    if path is None:
        raise BackupFailed(f"{program} is missing (Debian: apt install postgresql-client)")
    done = subprocess.run(  # noqa: S603 (from PATH)
        [path, *options],
        env={"PATH": os.defpath} | _connection(make_url(url)),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise BackupFailed(done.stderr.strip() or f"{program} failed")


def _connection(url: URL) -> dict[str, str]:
    """Return the address as PostgreSQL's environment variables."""
    parts = {
        "PGHOST": url.host,
        "PGPORT": url.port,
        "PGUSER": url.username,
        "PGPASSWORD": url.password,
        "PGDATABASE": url.database,
        "PGSSLMODE": url.query.get("ssl"),
    }
    return {name: str(part) for name, part in parts.items() if part}
