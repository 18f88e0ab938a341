"""The built site, served as `make run` serves it, for tests and benchmarks."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

from fuel_app.__main__ import STOP_S
from fuel_app.states.admin.session import COOKIE
from tests.servers import free_port
from tests.waiting import came_true

ROOT = Path(__file__).parents[1]
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


@dataclass
class Site:
    """The running site."""

    url: str
    database: Path
    log: Path
    database_url: str
    tiles: str = ""  # where it has its map tiles from, if not from the default

    def rows(self, query: str, *values: str) -> list[tuple]:
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(query, values).fetchall()

    def join(self, word: str, count: int) -> None:
        """Put people called `word` on the waitlist: see tests/seed.py."""
        self._seed("waitlist", word, str(count))

    def ask_for_quotes(self, word: str, count: int) -> None:
        """Companies called `word` ask for fleet quotes: see tests/seed.py."""
        self._seed("fleet", word, str(count))

    def processes(self) -> list[psutil.Process]:
        """The server and its workers: whatever we have started that writes to the site's log."""
        ours, log = psutil.Process().children(recursive=True), str(self.log)
        return [each for each in ours if log in {file.path for file in each.open_files()}]

    def staff_cookie(self) -> dict[str, str]:
        """What a browser of the staff sends that has just signed in."""
        return {COOKIE: self._seed("session").strip()}

    def _seed(self, *what: str) -> str:
        return seeded(self.database_url, *what)

    def everything(self) -> dict[str, list[tuple]]:
        """All that is stored, by table."""
        tables = self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {name: self.rows(f'SELECT * FROM "{name}"') for (name,) in tables}

    @contextmanager
    def stuck_database(self) -> Iterator[None]:
        """Meanwhile nobody else can write."""
        with closing(sqlite3.connect(self.database, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")


def seeded(database_url: str, *what: str) -> str:
    """Fill a database that is in use, and return what there is to say: see tests/seed.py."""
    environment = os.environ | {"FUEL_DATABASE_URL": database_url}
    command = [sys.executable, "-m", "tests.seed", *what]
    return subprocess.run(
        command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


@contextmanager
def served(folder: Path, **settings: str) -> Iterator[Site]:
    """The built site with a database of its own, until the block ends."""
    port, database = free_port(), folder / "fuel.db"
    environment = os.environ | {
        "PORT": str(port),
        "FUEL_DATABASE_URL": f"sqlite:///{database}",
        "FUEL_RATE_LIMITS": "off",
        "FUEL_STAFF_PASSWORD": STAFF_PASSWORD,
        **settings,
    }
    command = [sys.executable, "-m", "fuel_app"]
    subprocess.run([*command, "build"], cwd=ROOT, check=True)
    subprocess.run([*command, "migrate"], cwd=ROOT, env=environment, check=True)
    log = (folder / "site.log").open("w")
    server = subprocess.Popen(
        [*command, "serve"], cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT
    )
    site = Site(
        f"http://localhost:{port}",
        database,
        folder / "site.log",
        environment["FUEL_DATABASE_URL"],
    )
    try:
        _wait_until_ready(site, server, folder / "site.log")
        yield site
    finally:
        server.terminate()
        try:
            server.wait(timeout=2 * STOP_S)
        finally:
            log.close()


def _wait_until_ready(site: Site, server: subprocess.Popen, log: Path) -> None:
    def ready() -> bool:
        assert server.poll() is None, log.read_text()
        with suppress(httpx.TransportError):
            return httpx.get(f"{site.url}/ready").status_code == 200
        return False

    assert came_true(ready, within=START_S), log.read_text()
