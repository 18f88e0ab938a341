"""Databases of many leads. The SQLite file is kept in the machine's folder for temporary files."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import uvloop
from sqlalchemy import insert

from bench import people
from bench.people import Sizes
from fuel_app.kit.db.session import make_engine
from fuel_app.leads import queries as lead_rows
from fuel_app.leads import rules as lead_rules
from fuel_app.leads.tables import Lead
from fuel_app.quotes import queries as quotes
from fuel_app.quotes.tables import BusinessQuote, FleetQuote
from fuel_app.waitlist import queries as waitlist
from fuel_app.waitlist.tables import WaitlistSubmission
from tests.site import ROOT

BATCH = 20_000  # leads
TABLES = {"waitlist": WaitlistSubmission, "fleet": FleetQuote, "business": BusinessQuote}
_LOADED = "('waitlist_submissions', 'fleet_quotes', 'business_quotes', 'leads')"
_INDEXES = {
    "sqlite": "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    f" AND tbl_name IN {_LOADED}",
    "postgresql": f"SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN {_LOADED}"
    " AND indexname NOT IN (SELECT conname FROM pg_constraint)",
}


def sqlite_copy(folder: Path, sizes: Sizes) -> Path:
    """Copy the kept SQLite file with these leads, which is made on first use."""
    digest = hashlib.sha256(repr(sizes).encode())
    modules = (sys.modules[__name__], people, lead_rows, lead_rules, waitlist, quotes)
    sources = [Path(str(module.__file__)) for module in modules]
    for source in (*sources, *sorted((ROOT / "alembic" / "versions").glob("*.py"))):
        digest.update(source.read_bytes())
    kept = Path(tempfile.gettempdir()) / f"fuel-leads-{digest.hexdigest()[:12]}.db"
    if not kept.exists():
        unfinished = kept.with_suffix(".making")
        unfinished.unlink(missing_ok=True)
        fill(f"sqlite+aiosqlite:///{unfinished}", sizes)
        unfinished.rename(kept)
    return Path(shutil.copy(kept, folder / "fuel.db"))


def fill(url: str, sizes: Sizes) -> None:
    """Migrate an empty database and store these leads."""
    subprocess.run(
        [sys.executable, "-m", "alembic", "upgrade", "head"],
        cwd=ROOT,
        env=os.environ | {"FUEL_DATABASE_URL": url},
        check=True,
        capture_output=True,
    )
    uvloop.run(_fill(url, sizes))


async def _fill(url: str, sizes: Sizes) -> None:
    engine = make_engine(url, statement_timeout_s=None)
    async with engine.begin() as connection:
        found = await connection.exec_driver_sql(_INDEXES[engine.dialect.name])
        indexes: Sequence[Any] = found.all()
        for index in indexes:  # faster than to maintain them row by row
            await connection.exec_driver_sql(f"DROP INDEX {index[0]}")
        for rows in _batches(sizes):
            for table, values in rows.items():
                if values:
                    await connection.execute(insert(table), values)
        for index in indexes:
            await connection.exec_driver_sql(index[1])
    if engine.dialect.name == "postgresql":
        async with engine.connect() as connection:
            autocommit = await connection.execution_options(isolation_level="AUTOCOMMIT")
            await autocommit.exec_driver_sql("VACUUM ANALYZE")
    await engine.dispose()


def _batches(sizes: Sizes) -> Iterator[dict[Any, list[dict[str, Any]]]]:
    """Yield the rows of some thousand leads at a time, by table."""
    stream = people.made(sizes)
    while some := list(islice(stream, BATCH)):
        rows: dict[Any, list[dict[str, Any]]] = {table: [] for table in (*TABLES.values(), Lead)}
        for kind, row in some:
            rows[TABLES[kind]].append(row)
            listed = waitlist.listed(row) if kind == "waitlist" else quotes.listed(kind, row)
            rows[Lead].append(listed)
        yield rows
