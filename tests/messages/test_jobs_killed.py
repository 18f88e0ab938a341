"""A worker is killed while it sends: nothing is lost, and what goes twice keeps its Message-ID."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy import update

from fuel_app.dispatch.service import arrivals
from fuel_app.kit import clock, outbox
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.jobs.worker import AT_ONCE
from fuel_app.settings import ROOT
from tests.helpers.bookings import an_area
from tests.helpers.dispatch import a_shift, a_technician, a_truck, change_stop, on_route
from tests.helpers.mail_server import Inbox, mail_server
from tests.helpers.outbox import stored
from tests.helpers.stored_bookings import a_booking
from tests.waiting import comes_true

pytestmark = [pytest.mark.slow, pytest.mark.parametrize("engine_name", ["sqlite"])]

MESSAGES = 40
WORKER = """
import asyncio
from fuel_app import tables
from fuel_app.kit.jobs import worker
from fuel_app.dispatch import jobs as of_dispatch
from fuel_app.messages import jobs

worker.POLL_S = 0.1
asyncio.run(worker.serve())
"""


class Deadly(Inbox):
    """Takes some mails, then kills the worker between taking the next one and saying so."""

    def __init__(self) -> None:
        super().__init__()
        self.left: dict[subprocess.Popen[bytes], int] = {}

    async def handle_DATA(self, server, session, envelope) -> str:  # noqa: N802
        answer = await super().handle_DATA(server, session, envelope)
        for worker, left in self.left.items():
            self.left[worker] = left - 1
            if left == 1:
                worker.kill()
                worker.wait()
        return answer


@contextmanager
def worker(database_url: str, inbox: Inbox) -> Iterator[subprocess.Popen[bytes]]:
    environment = os.environ | {"FUEL_DATABASE_URL": database_url, "FUEL_SMTP_URL": inbox.url}
    command = [sys.executable, "-c", WORKER]
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


async def test_mails_of_killed_workers_arrive_at_most_twice_with_one_message_id(
    database, database_url
):
    async with transaction() as session:
        for number in range(MESSAGES):
            to = f"person.{number}@example.com"
            payload = {"submission": str(number)}
            await outbox.add(session, "waitlist_welcome", to=to, payload=payload)

    async def all_sent() -> bool:
        return {row.state for row in await stored()} == {"sent"}

    with mail_server(Deadly()) as inbox:
        assert isinstance(inbox, Deadly)
        for mails in (1, 13):  # the first mail kills one worker, a later one the next
            with worker(database_url, inbox) as process:
                inbox.left = {process: mails}

                async def is_dead(process=process) -> bool:
                    return process.poll() is not None

                assert await comes_true(is_dead, within=30)
        assert not await all_sent()
        inbox.left = {}
        with worker(database_url, inbox):
            assert await comes_true(all_sent, within=30)
    times = Counter(mail["Message-ID"] for _, mail in inbox.mails)
    assert set(times) == {f"<{row.id}@localhost>" for row in await stored()}
    doubled = sum(count - 1 for count in times.values())
    assert 2 <= doubled <= 2 * AT_ONCE


async def test_arrival_is_composed_anew_by_the_worker_after_a_killed_one(database, database_url):
    tomorrow = clock.day_of(clock.now()) + timedelta(days=1)
    shift = await a_shift(await a_truck(), await a_technician(), tomorrow)
    booking = await a_booking(await an_area(), days=1, opens=10)
    (stop,) = await on_route(shift, booking, published=True)

    async def move(leg_s: int) -> None:
        await change_stop(stop, leg_s=leg_s)
        async with transaction() as session:
            await arrivals.notify_moved(session, tomorrow)
        async with transaction() as session:  # the pause is over
            await session.execute(update(StoredJob).values(run_at=clock.now()))
            await session.execute(update(outbox.Message).values(send_at=clock.now()))

    async def all_settled() -> bool:
        return {row.state for row in await stored()} <= {"sent", "skipped"}

    with mail_server(Deadly()) as inbox:
        assert isinstance(inbox, Deadly)
        await move(6 * 3600)  # 13:00, after the window: told at any time of the day
        with worker(database_url, inbox) as process:
            inbox.left = {process: 1}

            async def is_dead() -> bool:
                return process.poll() is not None

            assert await comes_true(is_dead, within=30)
        inbox.left = {}
        await move(7 * 3600)  # 14:00, while nobody knows that the mail has arrived
        with worker(database_url, inbox):
            assert await comes_true(all_settled, within=60)
    told = [str(mail["Subject"]).partition("between ")[2] for _, mail in inbox.mails]
    assert told == ["1:20 and 1:45 PM", "2:20 and 2:45 PM"]  # after a break
    assert [row.state for row in await stored()] == ["skipped", "sent"]
