"""The board with 50 trucks and 600 stops: how fast a drag is answered, and seen by another tab.

`python -m bench.dispatch_board` stores the day in the database that `FUEL_DATABASE_URL` names, and
prints the cookies of two dispatchers.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, replace
from datetime import timedelta
from pathlib import Path
from statistics import quantiles

from aiohttp import ClientSession, TCPConnector
from reflex.state import OnLoadInternalState

from bench import QUICK
from bench.report import Figure
from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import COOKIE
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.state.board import BoardState
from fuel_app.dispatch.state.dialogs import MovingState
from fuel_app.dispatch.tables import StoredShift, StoredStop, StoredTruck
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import new_id
from tests.helpers.open_area import open_area
from tests.helpers.signed_in import a_person, cookie_for
from tests.helpers.stored_bookings import CAR, GUEST, PLACE
from tests.site import ROOT, served
from tests.websocket import Visitor

TRUCKS, STOPS = 50, 12  # stops of each truck
DRAGS = 10 if QUICK else 60
OPENS = (8, 10, 12, 14)  # windows, in turn
TOMORROW = day_of(clock.now()) + timedelta(days=1)
MS = 1000


def measure() -> list[Figure]:
    """Return the 95th percentiles of a drag's answers."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as site:
        environment = os.environ | {"FUEL_DATABASE_URL": site.database_url}
        command = [sys.executable, "-m", "bench.dispatch_board"]
        said = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        assert said.returncode == 0, said.stderr
        tokens = json.loads(said.stdout.splitlines()[-1])
        picked, put, seen = asyncio.run(_drags(site.url, tokens))
    what = f"board, {TRUCKS} trucks, {TRUCKS * STOPS} stops"
    return [
        Figure(f"{what}: a stop is picked up, p95", "ms", [_p95(picked)], "<= 150"),
        Figure(f"{what}: a stop is dropped, p95", "ms", [_p95(put)], "<= 150"),
        Figure(f"{what}: another dispatcher sees it, p95", "ms", [_p95(seen)], "<= 300"),
    ]


def _p95(seconds: list[float]) -> float:
    return MS * quantiles(seconds, n=20)[-1]


async def _drags(url: str, tokens: list[str]) -> tuple[list[float], list[float], list[float]]:
    """Move stops between trucks. Return the seconds of picks, drops and the other board."""
    chance = random.Random(18)
    picked, put, seen = [], [], []
    async with ClientSession(connector=TCPConnector(limit=0)) as session:
        here, there = (
            Visitor(session, url, path="/dispatch", cookie=f"{COOKIE}={token}") for token in tokens
        )
        async with here, there:
            for tab in (here, there):
                await tab.send(OnLoadInternalState.event_handlers["on_load_internal"])
                await tab.until(lambda tab=tab: bool(tab.value(BoardState, "day")))
                await tab.send(BoardState.show_day, day=TOMORROW.isoformat())
                await tab.until(lambda tab=tab: len(_columns(tab)) == TRUCKS)
            for _ in range(DRAGS):
                seconds = await _drag(here, there, chance)
                for each, taken in zip((picked, put, seen), seconds, strict=True):
                    each.append(taken)
                await asyncio.sleep(1)  # as a dispatcher, who looks at it
    return picked, put, seen


async def _drag(here: Visitor, there: Visitor, chance: random.Random) -> tuple[float, float, float]:
    column = chance.choice(_columns(here))
    stop = chance.choice(column["stops"])["id"]
    began = time.perf_counter()
    await here.send(MovingState.pick, stop_id=stop)
    await here.until(lambda: here.value(MovingState, "held") == stop)
    picked = time.perf_counter() - began
    gap = chance.choice(list(here.value(MovingState, "gaps")))
    before, others = _columns(here), _columns(there)
    began = time.perf_counter()
    await here.send(MovingState.put, gap=gap)
    other = asyncio.create_task(_changed(there, others, began))
    return picked, await _changed(here, before, began), await other


def _columns(tab: Visitor) -> list[dict]:
    return tab.value(BoardState, "columns") or []


async def _changed(tab: Visitor, before: list[dict], began: float) -> float:
    await tab.until(lambda: _columns(tab) is not before)
    return time.perf_counter() - began


async def seed() -> list[str]:
    """Store the day of tomorrow. Return the cookies of two dispatchers."""
    area_id = await open_area()
    chance = random.Random(18)
    shared = {"tanks": {"regular": 500_000}, "meter_number": "M-1", "home": "1 Depot Rd"}
    where = {"home_lat": 27.36, "home_lng": -82.52, "meter_sealed_on": TOMORROW}
    async with transaction() as session:
        for number in range(TRUCKS):
            name = f"Truck {number + 1:02}"
            truck = StoredTruck(name=name, license_plate=f"TRK {number}", **shared, **where)
            starts_at, ends_at = on_clock(TOMORROW, 7), on_clock(TOMORROW, 19)
            shift = StoredShift(
                day=TOMORROW, truck_id=truck.id, starts_at=starts_at, ends_at=ends_at
            )
            session.add(truck)
            await session.flush()
            session.add(shift)
            await session.flush()
            for place in range(1, STOPS + 1):
                opens = OPENS[(place - 1) * len(OPENS) // STOPS]
                lat, lng = chance.uniform(27.2, 27.5), chance.uniform(-82.6, -82.4)
                booking = _booking(area_id, opens, lat, lng)
                session.add(booking)
                await session.flush()
                session.add(
                    StoredStop(
                        shift_id=shift.id,
                        place=place,
                        booking_id=booking.id,
                        slot_id=booking.slot_id,
                        leg_s=600,
                        begins_at=booking.starts_at,
                    )
                )
    people = [await a_person(Role.DISPATCHER) for _ in range(2)]
    return [await cookie_for(person) for person in people]


def _booking(area_id: str, opens: int, lat: float, lng: float) -> StoredBooking:
    return StoredBooking(
        key=new_id(),
        guest_email=GUEST["email"],
        contact=GUEST,
        area_id=area_id,
        slot_id=f"{area_id}-{TOMORROW}-{opens:02}",
        starts_at=on_clock(TOMORROW, opens),
        ends_at=on_clock(TOMORROW, opens + 2),
        vehicle=asdict(CAR),
        place=asdict(replace(PLACE, lat=lat, lng=lng)),
        grade="regular",
        price_mills=3459,
        estimated_milligallons=9_600,
        pays_by="fee",
        late_fee_agreed_cents=1500,
    )


if __name__ == "__main__":
    print(json.dumps(asyncio.run(seed())))
