"""Databases to measure on, and processes of their own: settings are read once in a process.

`python -m bench.bookings crowd` runs a part of a benchmark in the database of `FUEL_DATABASE_URL`
and answers as a line of JSON.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa
import uvloop

from fuel_app.kit.db.session import engine
from fuel_app.kit.db.tables import metadata
from tests import servers
from tests.site import ROOT


@contextmanager
def _sqlite() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite+aiosqlite:///{folder}/fuel.db"


DATABASES = {"SQLite": _sqlite, "PostgreSQL": servers.postgres}
PROCESSES = {"SQLite": 1, "PostgreSQL": 2}  # of a site with this database


def start(
    module: str, part: str, *, url: str, output: int = subprocess.PIPE, **settings: str
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", module, part],
        cwd=ROOT,
        env=os.environ | {"FUEL_DATABASE_URL": url} | settings,
        stdin=subprocess.PIPE,
        stdout=output,
        text=True,
    )


def answer_of(process: subprocess.Popen[str], question: Any = None) -> Any:
    """Send a line of JSON. Return the last line that the process prints before it ends."""
    printed, _ = process.communicate(json.dumps(question) + "\n")
    assert process.returncode == 0
    return json.loads(printed.splitlines()[-1])


def run(module: str, part: str, *, url: str, question: Any = None) -> Any:
    return answer_of(start(module, part, url=url), question)


def answer(parts: dict[str, Callable[[], Awaitable[Any]]], part: str) -> None:
    """Run a part and print what it returns."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as the server has it
        print(json.dumps(runner.run(parts[part]())), flush=True)  # type: ignore[arg-type]


async def create_tables() -> None:
    async with engine().begin() as connection:
        await connection.run_sync(metadata.create_all)


async def analyze() -> None:
    """Update the planner's statistics, as PostgreSQL does by itself in time."""
    async with engine().connect() as connection:
        connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
        is_sqlite = connection.dialect.name == "sqlite"
        await connection.execute(sa.text("ANALYZE" if is_sqlite else "VACUUM ANALYZE"))
