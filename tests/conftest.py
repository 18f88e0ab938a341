"""Databases, Redis and a clean environment for every test.

`database` runs a test on SQLite and on PostgreSQL, unless SQLite proves as much: then PostgreSQL
waits for `make prove` (`tests/running.py`). `sqlite_database` is SQLite alone. Both are migrated,
empty, and a test's own. Servers start when the first test asks for one. All databases have one
address per engine, so that statements are compiled once for all tests.
"""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, MutableMapping
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import asyncpg
import hypothesis
import pytest
from dotenv import dotenv_values

ROOT = Path(__file__).parent.parent

# The settings are read on import. Whatever this machine or its `.env` chooses does not reach the
# tests (empty means default), and no process that they start finds the real data.
for name in {*os.environ, *dotenv_values(ROOT / ".env")}:
    if name.upper().startswith("FUEL_") or name.upper() == "PORT":
        os.environ[name] = ""
os.environ["FUEL_DATABASE_URL"] = "sqlite://"

from alembic import command  # noqa: E402
from alembic.config import Config  # noqa: E402
from sqlalchemy import make_url  # noqa: E402
from sqlalchemy.ext.asyncio import AsyncEngine  # noqa: E402
from structlog.testing import capture_logs  # noqa: E402

from fuel_app.accounts import providers as passwords  # noqa: E402
from fuel_app.billing.providers import stripe  # noqa: E402
from fuel_app.billing.providers.stand_in.transport import faults  # noqa: E402
from fuel_app.kit.db import session  # noqa: E402
from fuel_app.kit.signals import redis, signals  # noqa: E402
from fuel_app.kit.throttle import Throttle, throttle  # noqa: E402
from fuel_app.settings import Settings, settings  # noqa: E402
from tests import servers  # noqa: E402
from tests.staff import HASH, PASSWORD  # noqa: E402

# No folder of examples; slow machines are no failure. CI tries the same examples in each run;
# `make prove` runs the second profile, with others each time.
for profile, examples in {"quick": 20, "prove": 300}.items():
    hypothesis.settings.register_profile(
        profile,
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=profile == "quick",
    )
hypothesis.settings.load_profile("quick")

pytest_plugins = [
    "tests.flows.company",
    "tests.flows.lead_list",
    "tests.flows.neighborhoods",
    "tests.areas.eia_server",
    "tests.helpers.http_site",
    "tests.helpers.maps_server",
    "tests.helpers.redis",
    "tests.running",
]

TEMPLATE = "template_migrated"
COPY = "test"
ENGINES = ("sqlite", pytest.param("postgresql", marks=pytest.mark.slow))


def alembic_config(url: str) -> Config:
    """Alembic with the project's own settings on another database."""
    config = Config(toml_file=ROOT / "pyproject.toml")
    config.attributes["url"] = url
    return config


_settings_password = passwords._from_settings
_PER_PROCESS = (
    redis,
    throttle,
    signals,
    _settings_password,
    session._write_lock,
    stripe.client,
    faults,
)


@pytest.fixture(autouse=True)
def _own_process(monkeypatch: pytest.MonkeyPatch, sqlite_folder: Path) -> Iterator[None]:
    """Give each test fresh rate limits and signals, and no staff password."""
    data = sqlite_folder / "data"  # no `tmp_path`: with thousands, each takes longer to make
    monkeypatch.setattr(passwords, "FILE", data / "staff-password")
    for made_once in _PER_PROCESS:
        made_once.cache_clear()
    yield
    for made_once in _PER_PROCESS:
        made_once.cache_clear()
    shutil.rmtree(data, ignore_errors=True)


@pytest.fixture
def configure(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Give a module other settings than this test's environment."""

    def configure(module: Any, **differs: Any) -> None:
        monkeypatch.setattr(module, "settings", Settings(_env_file=None, **differs))  # type: ignore[call-arg]

    return configure


@pytest.fixture
def logged() -> Iterator[list[MutableMapping[str, Any]]]:
    """The log entries of this test, as they come."""
    with capture_logs() as entries:
        yield entries


@pytest.fixture
def password(monkeypatch: pytest.MonkeyPatch) -> str:
    """The staff's password of this test."""
    monkeypatch.setattr(passwords, "_from_settings", lambda: HASH)
    return PASSWORD


@pytest.fixture
async def throttle_on(
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[Callable[[str], Throttle]]:
    """Return a function that makes the throttle of a process with this `FUEL_REDIS_URL`."""
    made: list[Any] = []

    def start(redis_url: str) -> Throttle:
        shared = settings.model_copy(update={"redis_url": redis_url})
        monkeypatch.setattr("fuel_app.kit.throttle.settings", shared)
        monkeypatch.setattr("fuel_app.kit.signals.settings", shared)
        throttle.cache_clear()
        redis.cache_clear()
        made.append(throttle())
        return made[-1]

    yield start
    for each in made:
        await each._limiter.storage.bridge.storage.aclose()
        await each._redis.aclose()


@pytest.fixture(autouse=True)
def _no_other_database(monkeypatch: pytest.MonkeyPatch) -> None:
    def unbound() -> AsyncEngine:
        raise AssertionError("This test needs the `database` or the `sqlite_database` fixture.")

    monkeypatch.setattr(session, "engine", unbound)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with servers.postgres() as url:
        yield url


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    with servers.redis() as url:
        yield url


@pytest.fixture(params=ENGINES)
def engine_name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session")
def sqlite_folder() -> Iterator[Path]:
    """A folder for databases, in memory if there is room: a commit on a disk takes 4 ms."""
    with TemporaryDirectory(prefix="fuel-", dir=servers.memory()) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def sqlite_template(sqlite_folder: Path) -> Path:
    """A migrated database to copy, which bounds texts as PostgreSQL does."""
    from tests.helpers import lengths

    template = sqlite_folder / "template.db"
    command.upgrade(alembic_config(_sqlite_url(template)), "head")
    lengths.bound(template)
    return template


@pytest.fixture(scope="session")
def postgres_template(postgres_url: str) -> str:
    """A server with a migrated database to copy."""
    asyncio.run(_administer(postgres_url, f"CREATE DATABASE {TEMPLATE}"))
    command.upgrade(alembic_config(_postgres_named(postgres_url, TEMPLATE)), "head")
    return postgres_url


@pytest.fixture
def empty_database_url(
    engine_name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[str]:
    """A database without tables, for the migrations themselves."""
    if engine_name == "sqlite":
        yield _sqlite_url(tmp_path / "empty.db")
        return
    with _postgres_copy(request.getfixturevalue("postgres_url"), "template0", "empty") as url:
        yield url


@pytest.fixture
def database_url(engine_name: str, request: pytest.FixtureRequest) -> Iterator[str]:
    if engine_name == "sqlite":
        with sqlite_copy(request.getfixturevalue("sqlite_template")) as url:
            yield url
        return
    with _postgres_copy(request.getfixturevalue("postgres_template"), TEMPLATE, COPY) as url:
        yield url


@pytest.fixture
async def database(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[AsyncEngine]:
    """Give the services a database, once SQLite and once PostgreSQL."""
    async with bound(database_url, monkeypatch) as engine:
        yield engine


@pytest.fixture
async def sqlite_database(
    sqlite_template: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[AsyncEngine]:
    """Give the services a SQLite database, where PostgreSQL would prove nothing more."""
    with sqlite_copy(sqlite_template) as url:
        async with bound(url, monkeypatch) as engine:
            yield engine


@asynccontextmanager
async def bound(url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AsyncEngine]:
    engine = _engine(url)
    monkeypatch.setattr(session, "engine", lambda: engine)
    try:
        yield engine
    finally:
        await engine.dispose()


@cache
def _engine(url: str) -> AsyncEngine:
    """Return one engine per address. It keeps compiled statements, and no connection."""
    return session.make_engine(url)


def _sqlite_url(path: Path) -> str:
    return f"sqlite+aiosqlite:///{path}"


@contextmanager
def sqlite_copy(template: Path) -> Iterator[str]:
    folder = template.parent / COPY  # for the files that SQLite adds, too
    folder.mkdir()
    try:
        yield _sqlite_url(Path(shutil.copy(template, folder / "fuel.db")))
    finally:
        shutil.rmtree(folder)


def _postgres_named(server_url: str, name: str) -> str:
    return make_url(server_url).set(database=name).render_as_string(hide_password=False)


@contextmanager
def _postgres_copy(server_url: str, template: str, name: str) -> Iterator[str]:
    asyncio.run(
        _administer(server_url, f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")
    )
    try:
        yield _postgres_named(server_url, name)
    finally:
        asyncio.run(_administer(server_url, f"DROP DATABASE {name} WITH (FORCE)"))


async def _administer(server_url: str, statement: str) -> None:
    connection = await asyncpg.connect(server_url.replace("+asyncpg", ""))
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
