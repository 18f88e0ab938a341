"""Accounts and messages: 50 people who sign in at once, 100,000 sessions, 20,000 reminders.

Settings are read once in a process, so each part runs in a process of its own: `python -m
bench.accounts sign_ins`, `sessions`, `reminders` and `work` (the worker that is killed). Two
databases for the first two; the reminders go by SQLite, whose writers take turns.
"""

import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from email import message_from_bytes
from pathlib import Path
from typing import Any

import sqlalchemy as sa
import uvloop
from aiosmtpd.controller import Controller

import fuel_app.tables  # noqa: F401 (every table)
from bench import QUICK
from bench.neighborhoods import DATABASES
from bench.report import Figure, show
from fuel_app.accounts import providers as passwords
from fuel_app.accounts.queries import sessions as queries
from fuel_app.accounts.rules import Role, Session, hashed
from fuel_app.accounts.rules.security import Visitor
from fuel_app.accounts.service import sessions
from fuel_app.accounts.tables import Person, PersonRole, StoredSession
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import engine, reading, transaction
from fuel_app.kit.db.tables import metadata, new_id
from fuel_app.kit.outbox import Draft, Message
from fuel_app.messages.rules import kinds
from tests import servers
from tests.site import ROOT

CROWD = 50
ROUNDS = 2 if QUICK else 5
SESSIONS = 10_000 if QUICK else 100_000
LOOK_UPS = 500
REMINDERS = 1_000 if QUICK else 20_000
KILLS = 2
AT_ONCE = 8  # what a worker sends at the same time
PASSWORD = "a plain gull 7 over the bay!"


async def _tables() -> None:
    async with engine().begin() as connection:
        await connection.run_sync(metadata.create_all)


def _person(number: int, password_hash: str = "") -> dict[str, Any]:
    return Person(
        id=new_id(),
        email=f"person.{number}@example.com",
        first_name="Ada",
        last_name=f"Number {number}",
        email_verified_at=clock.now(),
        password_hash=password_hash or None,
    ).model_dump()


async def _store(people: list[dict[str, Any]]) -> None:
    roles = [{"person_id": each["id"], "role": Role.CUSTOMER.value} for each in people]
    async with transaction() as session:
        await session.execute(sa.insert(Person), people)
        await session.execute(sa.insert(PersonRole), roles)


async def sign_ins() -> dict[str, list[float]]:
    """Return the p95 of 50 sign-ins at once, and of their hashes alone, in milliseconds."""
    await _tables()
    stored = await passwords.hash_password(PASSWORD)
    people = [_person(number, stored) for number in range(CROWD)]
    await _store(people)

    async def enter(number: int, email: str) -> None:
        await sessions.sign_in(email, PASSWORD, Visitor(f"198.51.100.{number}"))

    async def check(_number: int, _email: str) -> None:
        assert await passwords.matches(stored, PASSWORD)

    found: dict[str, list[float]] = {"sign-in": [], "hash alone": []}
    for _ in range(ROUNDS):
        found["sign-in"].append(await _p95(enter, people))
        found["hash alone"].append(await _p95(check, people))
    return found


async def _p95(act: Callable[[int, str], Awaitable[None]], people: list[dict[str, Any]]) -> float:
    async def timed(number: int, email: str) -> float:
        started = time.perf_counter()
        await act(number, email)
        return (time.perf_counter() - started) * 1000

    took = await asyncio.gather(*(timed(n, each["email"]) for n, each in enumerate(people)))
    return statistics.quantiles(took, n=20)[-1]


async def session_look_ups() -> dict[str, list[float]]:
    """Return the medians of look-ups by the cookie's token, in milliseconds.

    'query alone' is without its connection and transaction, which cost more than the query.
    """
    await _tables()
    people = [_person(number) for number in range(SESSIONS // 5)]
    now = clock.now()
    rows = [
        StoredSession(
            id=new_id(),
            token_hash=hashed(f"token {number}"),
            person_id=people[number % len(people)]["id"],
            expires_at=now + timedelta(days=30),
        ).model_dump()
        for number in range(SESSIONS)
    ]
    await _store(people)
    for start in range(0, SESSIONS, 5000):
        async with transaction() as session:
            await session.execute(sa.insert(StoredSession), rows[start : start + 5000])
    medians: dict[str, list[float]] = {"look-up": [], "query alone": []}
    async with reading() as session:

        async def query(token: str) -> Session | None:
            return await queries.find(session, now=now, token_hash=hashed(token))

        for _ in range(ROUNDS):
            medians["look-up"].append(await _median(sessions.find_by_token))
            medians["query alone"].append(await _median(query))
    return medians


async def _median(look_up: Callable[[str], Awaitable[Session | None]]) -> float:
    took = []
    for _ in range(LOOK_UPS):
        token = f"token {random.randrange(SESSIONS)}"
        started = time.perf_counter()
        assert await look_up(token)
        took.append((time.perf_counter() - started) * 1000)
    return statistics.median(took)


async def queue_reminders() -> None:
    """Queue a reminder for each of many people."""
    await _tables()
    people = [_person(number) for number in range(REMINDERS)]
    await _store(people)
    about = {"booking": new_id(), "vehicle": "Camry", "place": "100 Main St", "when": "Nov 24"}
    drafts = [Draft(kind="day_before", person_id=each["id"], payload=about) for each in people]
    for start in range(0, REMINDERS, 500):
        async with transaction() as session:
            await outbox.add_all(session, drafts[start : start + 500])


async def still_queued() -> int:
    async with reading() as session:
        queued = sa.select(sa.func.count()).where(sa.column("state") == outbox.QUEUED)
        return await session.scalar(queued.select_from(Message.__table__)) or 0  # type: ignore[attr-defined]


class _Inbox:
    """A mail server that counts the Message-IDs that it gets."""

    def __init__(self) -> None:
        self.ids: Counter[str] = Counter()
        self._came = threading.Condition()

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        with self._came:
            self.ids[str(message_from_bytes(envelope.content)["Message-ID"])] += 1
            self._came.notify_all()
        return "250 OK"

    def wait_for(self, mails: int) -> None:
        """Wait until so many different mails have come."""
        with self._came:
            assert self._came.wait_for(lambda: len(self.ids) >= mails, timeout=600)


def _reminders() -> Iterator[Figure]:
    inbox = _Inbox()
    with tempfile.TemporaryDirectory() as folder:
        controller = Controller(inbox, hostname="127.0.0.1", port=servers.free_port())
        controller.start()
        url = f"sqlite:///{Path(folder) / 'mails.db'}"
        smtp = f"smtp://127.0.0.1:{controller.port}"
        try:
            with _environment(FUEL_DATABASE_URL=url, FUEL_SMTP_URL=smtp):
                _run("reminders")
                sending = _send(inbox)
        finally:
            controller.stop()
    twice = sum(count - 1 for count in inbox.ids.values())
    what = f"{REMINDERS:,} reminders, worker killed {KILLS} times"
    yield Figure(f"{what}: sent", "per s", [REMINDERS / sending])
    yield Figure(f"{what}: lost", "mails", [REMINDERS - len(inbox.ids)], "<= 0")
    yield Figure(f"{what}: sent twice", "mails", [twice], f"<= {AT_ONCE * KILLS}")


def _send(inbox: _Inbox) -> float:
    """Work until all are sent, killing the worker on the way. Return the seconds."""
    started = time.perf_counter()
    for kill in range(1, KILLS + 2):
        worker = subprocess.Popen([sys.executable, "-m", "bench.accounts", "work"], cwd=ROOT)
        inbox.wait_for(REMINDERS * kill // (KILLS + 1))
        if kill <= KILLS:
            worker.send_signal(signal.SIGKILL)
        worker.wait(120)
    return time.perf_counter() - started


async def work() -> None:
    """Run the worker until no mail is queued, as by day at any hour."""
    import fuel_app.messages.jobs  # noqa: F401 (registers its jobs)
    from fuel_app.kit.jobs.worker import WORKER

    kinds.is_quiet = lambda _: False
    running = asyncio.create_task(WORKER.run())
    while await still_queued():  # noqa: ASYNC110 (another process may send the last)
        await asyncio.sleep(0.2)
    await WORKER.stop()
    await running
    await WORKER.ended()


@contextmanager
def _environment(**differs: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in differs}
    os.environ.update(differs)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _run(part: str) -> str:
    command = [sys.executable, "-m", "bench.accounts", part]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout


def _on(name: str) -> Iterator[Figure]:
    with DATABASES[name]() as url, _environment(FUEL_DATABASE_URL=url):
        entered = json.loads(_run("sign_ins").splitlines()[-1])
    yield Figure(f"{CROWD} sign-ins at once on {name}, p95", "ms", entered["sign-in"])
    yield Figure(f"{CROWD} password hashes at once, p95", "ms", entered["hash alone"])
    share = [a / b for a, b in zip(entered["sign-in"], entered["hash alone"], strict=True)]
    yield Figure(f"sign-in / its hash on {name}", "ratio", share)
    with DATABASES[name]() as url, _environment(FUEL_DATABASE_URL=url):
        looked_up = json.loads(_run("sessions").splitlines()[-1])
    what = f"session look-up at {SESSIONS:,} on {name}"
    yield Figure(what, "ms", looked_up["look-up"], "<= 1")
    yield Figure(f"{what}, its query alone", "ms", looked_up["query alone"])


def measure() -> list[Figure]:
    return [*(figure for name in DATABASES for figure in _on(name)), *_reminders()]


PARTS = {
    "sign_ins": sign_ins,
    "sessions": session_look_ups,
    "reminders": queue_reminders,
    "work": work,
}

if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1] in PARTS:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as the server has it
            print(json.dumps(runner.run(PARTS[sys.argv[1]]())))
    else:
        show(measure())
