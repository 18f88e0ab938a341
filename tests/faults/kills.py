"""Kill a process after each commit of a use case, go on in a new one, and look at the outcome.

What a process leaves behind changes with its commits alone, and the provider's stand-in stores in
the same database: to be killed after each commit is to be killed at every step, also between a
charge and our own note of it. The process that does this has no threads, so that it can fork.
"""

import asyncio
import json
import os
import re
import shutil
import signal
import traceback
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import asyncpg
from sqlalchemy import Engine, event, func, select
from sqlalchemy.orm import Session
from sqlmodel import col

from fuel_app.kit import background, clock
from fuel_app.kit.db import session as database
from fuel_app.kit.db.session import reading
from fuel_app.kit.jobs import queue
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.jobs.worker import Worker
from tests.helpers.bookings import NOW

Context = dict[str, Any]
_WRITES = re.compile(r'\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+"?(\w+)', re.IGNORECASE)
ASIDE = {"jobs", "schedules", "webhook_events", "messages", "audit_entries", "booking_events"}


@dataclass(frozen=True)
class Case:
    """A use case of money.

    Args:
        prepare: Returns what the others need, as plain values.
        act: What the process is killed in; so are the jobs that follow.
        check: Names what is wrong at the end.
        after: When `act` happens, from `NOW` on.
        lasts: How far the jobs that follow reach.
    """

    name: str
    prepare: Callable[[], Awaitable[Context]]
    act: Callable[[Context], Awaitable[Any]]
    check: Callable[[Context], Awaitable[list[str]]]
    after: timedelta = timedelta(0)
    lasts: timedelta = timedelta(hours=3)

    @property
    def at(self) -> datetime:
        return NOW + self.after


class Commits:
    """The commits of this process by the tables that they wrote; the last one kills it."""

    def __init__(self, kill_after: int = 0) -> None:
        self.names: list[str] = []
        self._written: set[str] = set()
        self._kill_after = kill_after
        event.listen(Engine, "before_cursor_execute", self._wrote)
        event.listen(Session, "after_commit", self._committed)

    def _wrote(self, _connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if found := _WRITES.match(statement):
            self._written.add(found[1])

    def _committed(self, session: Session) -> None:
        assert isinstance(session.bind, Engine)
        if session.bind.get_execution_options().get("read_only"):
            return
        self.names.append(" ".join(sorted(self._written)))
        self._written.clear()
        if len(self.names) == self._kill_after:
            os.kill(os.getpid(), signal.SIGKILL)


def set_clock(moment: datetime) -> None:
    """Set the clock, for those also who have imported `now` itself."""
    clock.__dict__["datetime"] = SimpleNamespace(now=lambda _zone: moment, combine=datetime.combine)


async def work(until: datetime) -> None:
    """Run the jobs that are due up to a moment, each at its time, and leave the clock there."""
    await queue.expire_leases()
    open_jobs = select(func.min(col(StoredJob.run_at))).where(col(StoredJob.ended_at).is_(None))
    while True:
        worker = Worker()
        while await worker.start_due():
            await worker.ended()
        async with reading() as session:
            due = await session.scalar(open_jobs)
        if due is None or due > until:
            set_clock(until)
            return
        set_clock(max(due, clock.now()))


class Sqlite:
    """A file, and a copy of it for each case."""

    def __init__(self, template: str, folder: str) -> None:
        self._template, self._kept = Path(template), Path(folder) / "kept.db"
        self._file = Path(folder) / "kill.db"
        self.url = f"sqlite+aiosqlite:///{self._file}"

    def begin(self) -> None:
        self._copy(self._template)

    def keep(self) -> None:
        shutil.copy(self._file, self._kept)

    def again(self) -> None:
        self._copy(self._kept)

    def _copy(self, source: Path) -> None:
        for more in ("-wal", "-shm"):
            Path(f"{self._file}{more}").unlink(missing_ok=True)
        shutil.copy(source, self._file)


class Postgresql:
    """A database of a server, and a copy of it for each case."""

    def __init__(self, template: str, server: str) -> None:
        self._template, self._server = template, server
        self.url = server.rpartition("/")[0] + "/kill"

    def begin(self) -> None:
        self._copy(self._template, "kill")

    def keep(self) -> None:
        self._copy("kill", "kill_kept")

    def again(self) -> None:
        self._copy("kill_kept", "kill")

    def _copy(self, source: str, name: str) -> None:
        async def administer() -> None:
            connection = await asyncpg.connect(self._server.replace("+asyncpg", ""))
            await connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            await connection.execute(f"CREATE DATABASE {name} TEMPLATE {source}")
            await connection.close()

        asyncio.run(administer())


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    """Run in an event loop of its own, with a database to connect to anew."""

    async def alone() -> Any:
        try:
            result = await work()
            while left := background.under_way() - {asyncio.current_task()}:
                await asyncio.wait(left)
            return result
        finally:
            await database.engine().dispose()

    vars(database)["_write_lock"].cache_clear()
    return asyncio.run(alone())


def forked(work: Callable[[], Any]) -> Any:
    """Return what a process of its own returns; None if it was killed."""
    reads, writes = os.pipe()
    child = os.fork()
    if not child:
        os.close(reads)
        try:
            with os.fdopen(writes, "w") as out:
                json.dump(work(), out)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as answer:
        said = answer.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return None
    assert status == 0, "see above"
    return json.loads(said)


def results(
    case: Case, place: Sqlite | Postgresql, *, every: bool
) -> Iterator[tuple[str, list[str]]]:
    """Kill a use case after each commit in turn. Yield each commit with what is wrong then.

    Args:
        every: Also after commits that wrote neither money nor plans, such as the end of a job.
    """
    place.begin()
    set_clock(NOW)
    context = run(case.prepare)
    place.keep()

    async def whole() -> None:
        set_clock(case.at)
        await case.act(context)
        await work(case.at + case.lasts)

    async def after() -> list[str]:
        set_clock(case.at)
        await work(case.at + case.lasts)
        return await case.check(context)

    def killed(step: int) -> list[str]:
        commits = Commits(step)
        run(whole)
        return commits.names

    run(whole)  # its statements are compiled once for all children
    yield "none", run(after)
    place.again()
    names = forked(lambda: killed(0))
    for step, name in enumerate(names, 1):
        if not name or (not every and not set(name.split()) - ASIDE):
            continue
        place.again()
        if forked(lambda step=step: killed(step)) is not None:
            continue  # fewer commits this time, as two jobs ran at once
        yield f"{step} ({name})", forked(lambda: run(after))
