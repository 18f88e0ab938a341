"""20,000 queued reminders to a local mail server; the worker is killed twice on the way."""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

import sqlalchemy as sa

import fuel_app.fuel_app  # noqa: F401 (every table and job)
from bench import QUICK, apart
from bench.report import Figure
from fuel_app.accounts.tables import Person
from fuel_app.kit import outbox
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.jobs.worker import AT_ONCE, WORKER
from fuel_app.kit.outbox import Draft
from fuel_app.messages.rules import kinds
from tests.faults.mails import Post, post
from tests.faults.running import Running
from tests.waiting import came_true, comes_true

REMINDERS = 2_000 if QUICK else 20_000
KILLS = 2
TIMEOUT_S = 600
_CHUNK = 500


def measure() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder, post() as inbox:
        url = f"sqlite+aiosqlite:///{folder}/fuel.db"
        apart.run("bench.reminders", "queue", url=url)
        return [*_sent(url, inbox)]


def _sent(url: str, inbox: Post) -> Iterator[Figure]:
    """Work until all are sent, killing the worker on the way."""
    started = time.perf_counter()
    for run in range(1, KILLS + 2):
        worker = apart.start(
            "bench.reminders",
            "work",
            url=url,
            output=subprocess.DEVNULL,
            FUEL_SMTP_URL=inbox.url,
        )
        enough = REMINDERS * run // (KILLS + 1)
        assert came_true(lambda enough=enough: len(inbox.mails) >= enough, within=TIMEOUT_S)
        if run > KILLS:
            asyncio.run(_until_none_queued(url))
        worker.kill()
        worker.wait()
    took = time.perf_counter() - started
    times = inbox.times()
    what = f"{REMINDERS:,} reminders, worker killed {KILLS} times"
    yield Figure(f"{what}: sent", "per s", [REMINDERS / took])
    yield Figure(f"{what}: lost", "mails", [REMINDERS - len(times)], "<= 0")
    twice = times.total() - len(times)
    yield Figure(f"{what}: sent twice", "mails", [twice], f"<= {AT_ONCE * KILLS}")


async def _until_none_queued(url: str) -> None:
    async def none_is_queued() -> bool:
        query = f"SELECT count(*) FROM messages WHERE state = '{outbox.QUEUED}'"
        return (await Running([], url).rows(query))[0][0] == 0

    assert await comes_true(none_is_queued, within=TIMEOUT_S, pause_s=0.2)


async def queue() -> None:
    """Queue a reminder for each of many people."""
    await apart.create_tables()
    about = {"booking": new_id(), "vehicle": "Camry", "place": "100 Main St", "when": "Nov 24"}
    for start in range(0, REMINDERS, _CHUNK):
        people = [
            Person(email=f"person.{start + number}@example.com", first_name="Ada", last_name="L")
            for number in range(_CHUNK)
        ]
        drafts = [Draft(kind="day_before", person_id=each.id, payload=about) for each in people]
        async with transaction() as session:
            await session.execute(sa.insert(Person), [each.model_dump() for each in people])
            await outbox.add_all(session, drafts)


async def work() -> None:
    """Run the worker, as by day at any hour, until it is killed."""
    kinds.is_quiet = lambda _: False
    await WORKER.run()


if __name__ == "__main__":
    apart.answer({"queue": queue, "work": work}, sys.argv[1])
