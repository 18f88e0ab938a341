"""The built site with its servers, each of which can be stopped and started."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import text

from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit.db.session import make_engine
from tests import seed
from tests.servers import Server, postgres_server, redis_server
from tests.site import Process, prepare, seeded


@dataclass(frozen=True)
class Running:
    """Processes that serve one site."""

    processes: Sequence[Process]
    database_url: str

    @property
    def process(self) -> Process:
        return self.processes[0]

    @property
    def url(self) -> str:
        return self.process.url

    @property
    def urls(self) -> list[str]:
        return [process.url for process in self.processes]

    def staff_cookie(self) -> str:
        """Return the Cookie header of a newly signed-in browser."""
        return f"{COOKIE}={seeded(self.database_url, seed.staff_session())}"

    async def rows(self, query: str) -> Sequence[Sequence]:
        """Query the database past the site."""
        engine = make_engine(self.database_url)
        try:
            async with engine.execution_options(read_only=True).connect() as connection:
                return (await connection.execute(text(query))).all()
        finally:
            await engine.dispose()


@dataclass(frozen=True)
class Deployed(Running):
    """Several processes with the servers that they share."""

    database: Server
    redis: Server

    @property
    def servers(self) -> dict[str, str]:
        """The settings that name them."""
        return {"FUEL_DATABASE_URL": self.database_url, "FUEL_REDIS_URL": self.redis.url}


@contextmanager
def alone(folder: Path, database: Path | None = None, **settings: str) -> Iterator[Running]:
    """Run one process with SQLite, as `make run` does."""
    url = f"sqlite+aiosqlite:///{database or folder / 'fuel.db'}"
    with _processes(folder, 1, settings | {"FUEL_DATABASE_URL": url}) as processes:
        yield Running(processes, url)


@contextmanager
def together(folder: Path, **settings: str) -> Iterator[Deployed]:
    """Run two processes with a durable PostgreSQL and a Redis without persistence."""
    with postgres_server(synchronous_commit="on") as database, redis_server() as redis:
        shared = {"FUEL_DATABASE_URL": database.url, "FUEL_REDIS_URL": redis.url}
        with _processes(folder, 2, settings | shared) as processes:
            yield Deployed(processes, database.url, database, redis)


@contextmanager
def _processes(folder: Path, count: int, settings: Mapping[str, str]) -> Iterator[list[Process]]:
    prepare(settings)
    with ExitStack() as stack:
        yield [
            stack.enter_context(Process(folder / f"site-{number}.log", settings))
            for number in range(count)
        ]
