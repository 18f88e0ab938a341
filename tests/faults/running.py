"""One process of the built site that can be killed and started again."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.deployment import Process
from tests.site import ROOT, Site


@dataclass(frozen=True)
class Running:
    process: Process
    site: Site

    @property
    def url(self) -> str:
        return self.process.url

    @property
    def database_url(self) -> str:
        return self.site.database_url


@contextmanager
def running(folder: Path, **settings: str) -> Iterator[Running]:
    """The site with a database of its own, SQLite unless the settings name another."""
    database = folder / "fuel.db"
    shared = {"FUEL_DATABASE_URL": f"sqlite+aiosqlite:///{database}", **settings}
    for command in ("build", "migrate"):
        arguments = [sys.executable, "-m", "fuel_app", command]
        subprocess.run(arguments, cwd=ROOT, env=os.environ | shared, check=True)
    with Process(folder / "site.log", shared) as process:
        url = shared["FUEL_DATABASE_URL"]
        yield Running(process, Site(process.url, database, process.log, url))
