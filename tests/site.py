"""The built site, served as `make run` serves it, for tests and benchmarks."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self, TypeVar
from unittest.mock import patch

import httpx
import psutil

from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit.db import session
from fuel_app.server.reflex.shutdown import END_S, TIMEOUT_S
from tests import seed
from tests.servers import ended_with_us, free_port
from tests.waiting import came_true

ROOT = Path(__file__).parents[1]
T = TypeVar("T")
COMMAND = [sys.executable, "-m", "fuel_app"]
STAFF_PASSWORD = "correct horse"
START_S = 180  # a busy machine starts slowly
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


class Process:
    """One process of the site on a port of its own, running inside the block."""

    def __init__(
        self, log: Path, settings: Mapping[str, str], command: Sequence[str] = (*COMMAND, "serve")
    ) -> None:
        self.port, self.log, self._command = free_port(), log, command
        self.url = f"http://localhost:{self.port}"
        self._environment = os.environ | {
            "PORT": str(self.port),
            "FUEL_RATE_LIMITS": "off",
            "FUEL_STAFF_PASSWORD": STAFF_PASSWORD,
            **settings,
        }
        self._running = ExitStack()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.stop()
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def start(self) -> None:
        """Start it. Return when it is ready to serve."""
        with self.log.open("a") as output:
            self._server = subprocess.Popen(
                self._command,
                cwd=ROOT,
                env=self._environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._running.enter_context(ended_with_us(self._server, signal.SIGTERM))
        try:
            self._until_ready()
        except BaseException:
            with suppress(ProcessLookupError):  # it has ended by itself: the log says why
                self.kill()
            raise

    def _until_ready(self) -> None:
        def answers() -> bool:
            assert self._server.poll() is None, self.log.read_text()
            with suppress(httpx.TransportError):
                return client.get(f"{self.url}/ready").status_code == 200
            return False

        with httpx.Client(verify=False) as client:  # one: each reads all certificates
            assert came_true(answers, within=START_S, pause_s=0.1), self.log.read_text()

    def family(self) -> list[psutil.Process]:
        """The server and its workers."""
        server = psutil.Process(self._server.pid)
        return [server, *server.children(recursive=True)]

    def ask_to_stop(self) -> None:
        """Send SIGTERM, as a deployment does."""
        self._server.terminate()

    def stop(self) -> None:
        """Stop it gracefully. Return when it has ended."""
        self.ask_to_stop()
        self._server.wait(timeout=2 * (TIMEOUT_S + END_S))
        self._running.close()

    def kill(self) -> None:
        """Kill it and its workers (SIGKILL)."""
        with self._running:
            os.killpg(self._server.pid, signal.SIGKILL)
            self._server.wait()


@dataclass
class Site:
    """The running site."""

    process: Process
    database: Path
    database_url: str
    tiles: str = ""  # URL of the map tiles, if not the default

    @property
    def url(self) -> str:
        return self.process.url

    def rows(self, query: str, *values: str) -> list[tuple]:
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(query, values).fetchall()

    def write(self, statement: str, *values: str) -> None:
        """Change rows as no screen does."""
        with closing(sqlite3.connect(self.database)) as connection, connection:
            connection.execute(statement, values)

    def seed(self, kind: str, word: str, count: int) -> None:
        """Store leads called `word`: `waitlist` or `fleet`, see tests/seed.py."""
        seeded(self.database_url, seed.leads(kind, word, count))

    def staff_cookie(self) -> dict[str, str]:
        """Return the cookie of a newly signed-in browser."""
        return {COOKIE: seeded(self.database_url, seed.staff_session())}

    def add_person(self, email: str, password: str) -> None:
        """Store a customer who can sign in."""
        seeded(self.database_url, seed.person(email, password))

    def everything(self) -> dict[str, list[tuple]]:
        """Return all rows by table, except for those that the worker writes by schedule."""
        tables = self.rows(
            "SELECT name FROM sqlite_master"
            " WHERE type = 'table' AND name NOT IN ('jobs', 'schedules')"
        )
        return {name: self.rows(f'SELECT * FROM "{name}"') for (name,) in tables}

    @contextmanager
    def stuck_database(self) -> Iterator[None]:
        """Hold the write lock inside the block."""
        with closing(sqlite3.connect(self.database, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine beside Playwright, whose loop has this thread."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def seeded(database_url: str, work: Coroutine[Any, Any, T]) -> T:
    """Let one of the tests' seeds fill a database in use. Return what it gives."""

    async def fill() -> T:
        try:
            return await work
        finally:
            await engine.dispose()

    engine = session.make_engine(database_url)
    with patch.object(session, "engine", lambda: engine):
        return run(fill())


def prepare(settings: Mapping[str, str]) -> None:
    """Build the pages and bring the database up to date, as it is done before a start."""
    _build()
    subprocess.run([*COMMAND, "migrate"], cwd=ROOT, env=os.environ | settings, check=True)


@cache
def _build() -> None:
    subprocess.run([*COMMAND, "build"], cwd=ROOT, check=True)


@cache
def _migrated() -> bytes:
    """Return the file of a migrated SQLite database without rows."""
    with TemporaryDirectory() as folder:
        file = Path(folder, "fuel.db")
        prepare({"FUEL_DATABASE_URL": f"sqlite:///{file}"})
        return file.read_bytes()


@contextmanager
def served(folder: Path, **settings: str) -> Iterator[Site]:
    """The built site with a database of its own, until the block ends."""
    database = folder / "fuel.db"
    if "FUEL_DATABASE_URL" in settings:
        prepare(settings)
    else:
        database.write_bytes(_migrated())
        settings["FUEL_DATABASE_URL"] = f"sqlite+aiosqlite:///{database}"
    with Process(folder / "site.log", settings) as process:
        yield Site(process, database, settings["FUEL_DATABASE_URL"])
