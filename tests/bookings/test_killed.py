"""A process that is killed in the middle of many bookings, and started again with their keys."""

import asyncio
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from fuel_app.bookings.tables import BookingEvent, SlotSeat, StoredBooking
from fuel_app.kit.db.tables import new_id
from fuel_app.kit.outbox import MAIL, Message
from fuel_app.plans.rules.ledger import RESERVED
from fuel_app.plans.tables import LedgerEntry
from tests.helpers.booking_crowd import Ground, prepare
from tests.helpers.plans import all_fills_left
from tests.helpers.sign_ups import rows

ROOT = Path(__file__).parents[2]
CAPACITY = 60


class Process:
    """Books until it ends or is killed, and keeps what it has confirmed."""

    def __init__(self, url: str, spec: dict[str, Any]) -> None:
        self._environment = os.environ | {"FUEL_DATABASE_URL": url}
        self._spec = json.dumps(spec).encode() + b"\n"
        self.confirmed: dict[str, tuple[str, str]] = {}  # booking and slot by key

    async def run(self, *, kill_after: int = 0) -> None:
        running = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.faults.booking",
            cwd=ROOT,
            env=self._environment,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        assert running.stdin
        assert running.stdout
        running.stdin.write(self._spec)
        await running.stdin.drain()
        async for line in running.stdout:
            if line.endswith(b"\n"):
                key, booking, slot = json.loads(line)
                self.confirmed[key] = (booking, slot)
            if len(self.confirmed) == kill_after and running.returncode is None:
                running.kill()
        ended = await running.wait()
        assert ended == (-9 if kill_after else 0)


async def check_every_booking_is_whole() -> dict[str, StoredBooking]:
    """Check that no booking lacks a part, and no part its booking. Return them by key."""
    bookings = {row.id: row for row in await rows(StoredBooking)}
    places = {row.booking_id: row for row in await rows(SlotSeat) if row.booking_id}
    events = Counter(row.booking_id for row in await rows(BookingEvent))
    reserved = Counter(row.booking_id for row in await rows(LedgerEntry) if row.kind == RESERVED)
    confirmed = [row for row in await rows(Message) if row.kind == "booking_confirmed"]
    told = Counter(row.payload["booking"] for row in confirmed if row.channel == MAIL)
    assert set(places) == set(bookings)
    assert all(places[each].slot_id == row.slot_id for each, row in bookings.items())
    assert events == Counter(dict.fromkeys(bookings, 1)) == told
    of_plans = [row.id for row in bookings.values() if row.fills[0].pays_by == "allowance"]
    assert reserved == Counter(dict.fromkeys(of_plans, 1))
    assert min(await all_fills_left(), default=0) >= 0
    return {row.key: row for row in bookings.values()}


async def kill_and_start_again(database: AsyncEngine, count: int, *kills: int) -> None:
    ground: Ground = await prepare(40, {10: CAPACITY, 12: CAPACITY, 14: CAPACITY, 16: CAPACITY})
    slots = [ground.slot(day, opens) for day in range(2, 6) for opens in (10, 12, 14, 16)]
    keys = [new_id() for _ in range(count)]
    url = database.url.render_as_string(hide_password=False)
    process = Process(url, {"ground": ground.plain(), "slots": slots, "keys": keys})
    for kill_after in kills:
        await process.run(kill_after=kill_after)
        stored = await check_every_booking_is_whole()
        for key, (booking, slot) in process.confirmed.items():
            assert (stored[key].id, stored[key].slot_id) == (booking, slot)
    await process.run()
    assert set(process.confirmed) == set(keys)
    stored = await check_every_booking_is_whole()
    assert {key: row.id for key, row in stored.items()} == {
        key: booking for key, (booking, _) in process.confirmed.items()
    }


@pytest.mark.long
async def test_a_kill_in_the_middle_of_500_bookings_loses_none(database):
    await kill_and_start_again(database, 500, 130, 300)
