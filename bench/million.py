"""A database of many leads, made once and kept in the machine's folder for temporary files.

`python -m bench.million` makes the SQLite file and prints where it is; benchmarks work on a copy.
"""

import fcntl
import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import asyncpg
from sqlalchemy import create_engine, event, insert
from sqlalchemy.engine import make_url

from bench import people
from bench.people import Sizes
from fuel_app.leads import queries as lead_rows
from fuel_app.leads import rules as lead_rules
from fuel_app.leads import tables as leads_tables
from fuel_app.quotes import tables as quotes_tables
from fuel_app.waitlist import tables as waitlist_tables
from tests.site import ROOT

MANY = 20_000
TABLES = {
    "waitlist": waitlist_tables.WaitlistSubmission,
    "fleet": quotes_tables.FleetQuote,
    "business": quotes_tables.BusinessQuote,
}
_LOADED = ("waitlist_submissions", "fleet_quotes", "business_quotes", "leads")
_QUICK = ("journal_mode = OFF", "synchronous = OFF", "cache_size = -1000000")


def batches(sizes: Sizes) -> Iterator[dict[Any, list[dict[str, Any]]]]:
    """The rows of some thousand leads at a time, by table."""
    stream = people.made(sizes)
    while some := list(islice(stream, MANY)):
        rows: dict[Any, list[dict[str, Any]]] = {table: [] for table in TABLES.values()}
        listed = rows[leads_tables.Lead] = []
        for kind, row in some:
            rows[TABLES[kind]].append(row)
            waitlist = kind == "waitlist"
            listed.append(
                lead_rows.row(
                    kind,
                    **{n: row[n] for n in ("id", "status", "lead_source", "created_at", "email")},
                    name=f"{row['first_name']} {row['last_name']}"
                    if waitlist
                    else row["contact_name"],
                    phone=row["phone_number" if waitlist else "phone"],
                    company="" if waitlist else row["company_name"],
                )
            )
        yield rows


def migrate(url: str) -> None:
    """Bring a database to the newest migration, in a process of its own."""
    command = [sys.executable, "-m", "alembic", "upgrade", "head"]
    environment = os.environ | {"FUEL_DATABASE_URL": url}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)


def sqlite_file(sizes: Sizes = Sizes()) -> Path:  # noqa: B008 (frozen)
    """The kept SQLite file with these leads. Work on a copy of it."""
    modules = (people, lead_rows, lead_rules)
    sources = [Path(__file__), *(Path(str(module.__file__)) for module in modules)]
    return kept_file("leads", repr(sizes), sources, lambda path: _fill_sqlite(path, sizes))


def kept_file(
    name: str, parameters: str, sources: Sequence[Path], fill: Callable[[Path], None]
) -> Path:
    """A migrated and filled SQLite file, made if it is not there.

    Args:
        parameters: What else it depends on, besides the tables and the code that makes it.
        sources: That code.
        fill: Puts the rows into a file that has the tables.
    """
    kept = Path(tempfile.gettempdir()) / f"fuel-{name}-{_key(parameters, sources)}.db"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two who ask at once wait for one file
        if not kept.exists():
            unfinished = kept.with_suffix(".making")
            unfinished.unlink(missing_ok=True)
            migrate(f"sqlite:///{unfinished}")
            fill(unfinished)
            unfinished.rename(kept)
    return kept


def sqlite_copy(folder: Path, sizes: Sizes = Sizes()) -> Path:  # noqa: B008 (frozen)
    """A database of one's own with these leads."""
    copy = folder / "fuel.db"
    for leftover in ("-wal", "-shm"):  # of another database, they would spoil this one
        Path(f"{copy}{leftover}").unlink(missing_ok=True)
    return Path(shutil.copy(sqlite_file(sizes), copy))


def _key(parameters: str, sources: Sequence[Path]) -> str:
    digest = hashlib.sha256(parameters.encode())
    for source in (*sources, *sorted((ROOT / "alembic" / "versions").glob("*.py"))):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def _fill_sqlite(path: Path, sizes: Sizes) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        places = ", ".join("?" * len(_LOADED))
        indexes = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
            f" AND tbl_name IN ({places})",
            _LOADED,
        ).fetchall()
        for name, _ in indexes:
            connection.execute(f"DROP INDEX {name}")
    engine = create_engine(f"sqlite:///{path}")

    @event.listens_for(engine, "connect")
    def _(raw: Any, _record: Any) -> None:
        for pragma in _QUICK:
            raw.execute(f"PRAGMA {pragma}")

    with engine.begin() as connection:
        for rows in batches(sizes):
            for table, values in rows.items():
                if values:
                    connection.execute(insert(table), values)
        for _, sql in indexes:
            connection.exec_driver_sql(sql)
    engine.dispose()


async def fill_postgres(url: str, sizes: Sizes = Sizes()) -> None:  # noqa: B008 (frozen)
    """Put these leads into a migrated, empty PostgreSQL database."""
    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    connection = await asyncpg.connect(plain)
    try:
        constraints = "SELECT conname FROM pg_constraint"
        indexes = await connection.fetch(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = ANY($1)"
            f" AND indexname NOT IN ({constraints})",
            list(_LOADED),
        )
        for index in indexes:
            await connection.execute(f"DROP INDEX {index['indexname']}")
        for rows in batches(sizes):
            for table, values in rows.items():
                await _copy(connection, table.__tablename__, values)
        await connection.execute("SET maintenance_work_mem = '512MB'")
        for index in indexes:
            await connection.execute(index["indexdef"], timeout=600)
        for table in _LOADED:
            await connection.execute(f"VACUUM ANALYZE {table}", timeout=600)
    finally:
        await connection.close()


async def _copy(connection: asyncpg.Connection, table: str, values: list[dict[str, Any]]) -> None:
    if not values:
        return
    records = [
        tuple(json.dumps(cell) if isinstance(cell, list) else cell for cell in row.values())
        for row in values
    ]
    await connection.copy_records_to_table(table, records=records, columns=[*values[0]])


if __name__ == "__main__":
    print(sqlite_file())
