"""Bookings: 200 at once for the last seat, 100 within ten seconds, the slots of 21 days.

What is measured is the use case behind the button; the estimate, which is on the screen by then,
comes before. The crowd books in one process with SQLite and in two with PostgreSQL.
"""

import asyncio
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

import fuel_app.tables  # noqa: F401 (every table)
from bench import QUICK, apart
from bench.report import Figure
from fuel_app.bookings.rules.bookings import SlotFull
from fuel_app.bookings.rules.slots import SlotId, slot_offer
from fuel_app.bookings.service import slots
from fuel_app.bookings.tables import BookingEvent, SlotSeat, StoredBooking, StoredFill
from fuel_app.kit.db.session import transaction
from fuel_app.kit.db.tables import new_id
from fuel_app.server import site
from tests.helpers.booking_crowd import ZIP, Ground, day_in, prepare

ROUNDS = 1 if QUICK else 3
CUSTOMERS = 500
STORED = 10_000 if QUICK else 100_000
LAST_SEAT, ORDINARY = 6, (10, 12, 14, 16, 18)  # by the hour at which they open
CAPACITIES = {LAST_SEAT: 1} | dict.fromkeys(ORDINARY, 40)
LONGEST_WAIT_MS = 10_000


def measure() -> list[Figure]:
    return [figure for name in apart.DATABASES for figure in _on(name)]


def _on(name: str) -> Iterator[Figure]:
    with apart.DATABASES[name]() as url:
        ground = apart.run("bench.bookings", "make", url=url)
        yield from _crowds(name, url, ground)
    with apart.DATABASES[name]() as url:
        ground = apart.run("bench.bookings", "make", url=url)
        apart.run("bench.bookings", "store_many", url=url, question=ground)
        took = [
            statistics.median(apart.run("bench.bookings", "list_slots", url=url, question=ground))
            for _ in range(ROUNDS)
        ]
    yield Figure(f"slots of 21 days at {STORED:,} bookings on {name}", "ms", took, "<= 20")


def _crowds(name: str, url: str, ground: dict[str, Any]) -> Iterator[Figure]:
    days = iter(range(2, 2 + 2 * ROUNDS))  # each crowd finds windows without bookings

    def rounds(count: int, opens: tuple[int, ...], seconds: float) -> list[dict[str, Any]]:
        asked = {"ground": ground, "count": count, "opens": opens, "seconds": seconds}
        return [_at_once(url, apart.PROCESSES[name], asked | {"day": next(days)}) for _ in rounds_]

    rounds_ = range(ROUNDS)
    last = rounds(200, (LAST_SEAT,), 0)
    what = f"200 at once for the last seat of a slot on {name}"
    off = [abs(each["outcomes"]["booked"] - 1) for each in last]
    yield Figure(f"{what}: booked too many or too few", "", off, "<= 0")
    errors = [200 - each["outcomes"]["booked"] - each["outcomes"]["full"] for each in last]
    yield Figure(f"{what}: other than 'full'", "errors", errors, "<= 0")
    slowest = [max(each["took"]) for each in last]
    yield Figure(f"{what}: the last answer", "ms", slowest, f"<= {LONGEST_WAIT_MS}")
    spread = rounds(100, ORDINARY, 10)
    what = f"100 press 'Schedule Service' within 10 s on {name}"
    p95 = [statistics.quantiles(each["took"], n=20)[-1] for each in spread]
    yield Figure(f"{what}, p95", "ms", p95, "<= 250")
    lost = [100 - each["outcomes"]["booked"] for each in spread]
    yield Figure(f"{what}: not booked", "", lost, "<= 0")


def _at_once(url: str, processes: int, asked: dict[str, Any]) -> dict[str, Any]:
    """Let a crowd press, each process with its share of it, all beginning together."""
    running = [apart.start("bench.bookings", "crowd", url=url) for _ in range(processes)]
    for number, each in enumerate(running):
        assert each.stdin
        assert each.stdout
        each.stdin.write(json.dumps(asked | {"first": number, "step": processes}) + "\n")
        each.stdin.flush()
    for each in running:
        assert each.stdout
        assert "ready" in each.stdout.readline()
    for each in running:  # all are ready
        assert each.stdin
        each.stdin.write("go\n")
        each.stdin.flush()
    answers = [apart.answer_of(each) for each in running]
    outcomes = sum((Counter(each["outcomes"]) for each in answers), Counter[str]())
    if others := set(outcomes) - {"booked", "full"}:
        print(others, file=sys.stderr)
    return {"outcomes": outcomes, "took": [one for each in answers for one in each["took"]]}


async def make() -> dict[str, Any]:
    """Make the database. Return its ground."""
    await apart.create_tables()
    return (await prepare(CUSTOMERS, CAPACITIES)).plain()


async def store_many() -> None:
    """Store bookings with their seats and events: the next 21 days are full, the rest is past."""
    ground = Ground.of(json.loads(sys.stdin.readline()))
    seen = await ground.bookers[0].estimate(ground.slot(2, 10))
    seats = [
        (day, opens, place)
        for day in range(21, -600, -1)
        for opens, capacity in CAPACITIES.items()
        for place in range(1, capacity + 1)
    ][:STORED]
    chance = random.Random(1)
    for start in range(0, len(seats), 2_000):
        bookings, fills, taken, events = [], [], [], []
        for day, opens, place in seats[start : start + 2_000]:
            who = chance.choice(ground.bookers)
            slot_id = str(SlotId(ground.area_id, day_in(day), opens))
            slot = slot_offer(slot_id, day_in(day), opens, opens + 2)
            booking = StoredBooking(
                key=new_id(),
                person_id=who.person_id,
                contact={},
                area_id=ground.area_id,
                slot_id=slot_id,
                starts_at=slot.starts_at,
                ends_at=slot.ends_at,
                state="booked" if day > 0 else "completed",
                place={},
                late_fee_agreed_cents=seen.late_fee.cents,
            )
            fill = StoredFill(
                booking_id=booking.id,
                vehicle_id=who.vehicle_id,
                vehicle={},
                grade="regular",
                price_mills=seen.fills[0].mills,
                estimated_milligallons=seen.fills[0].milligallons,
                pays_by="fee",
                outcome="" if day > 0 else "filled",
            )
            event = BookingEvent(
                booking_id=booking.id,
                revision=1,
                kind="book",
                state="booked",
                actor=who.person_id,
                at=slot.starts_at - timedelta(days=1),
                before={},
            )
            seat = {"slot_id": slot_id, "place": place, "held_for": "", "booking_id": booking.id}
            bookings.append(booking.model_dump())
            fills.append(fill.model_dump())
            taken.append(seat)
            events.append(event.model_dump(exclude={"number"}))
        async with transaction() as session:
            await session.execute(sa.insert(StoredBooking), bookings)
            await session.execute(sa.insert(StoredFill), fills)
            await session.execute(sa.insert(SlotSeat), taken)
            await session.execute(sa.insert(BookingEvent), events)
    await apart.analyze()


async def list_slots() -> list[float]:
    """Return the milliseconds of listing the slots of 21 days."""
    ground = Ground.of(json.loads(sys.stdin.readline()))
    await site.tune()
    took = []
    for booker in ground.bookers[:60]:
        started = time.perf_counter()
        days = await slots.offered(booker.actor, ZIP)
        took.append(1000 * (time.perf_counter() - started))
        assert len(days) >= 20
    return took[10:]


async def crowd() -> dict[str, Any]:
    """Let customers book, each once, within some seconds. Return milliseconds and outcomes."""
    asked = json.loads(sys.stdin.readline())
    ground = Ground.of(asked["ground"])
    bookers = ground.bookers[: asked["count"]][asked["first"] :: asked["step"]]
    chance = random.Random(asked["first"])
    wanted = [ground.slot(asked["day"], chance.choice(asked["opens"])) for _ in bookers]
    seen = [await who.estimate(slot) for who, slot in zip(bookers, wanted, strict=True)]
    await site.tune()
    took: list[float] = []
    outcomes: Counter[str] = Counter()

    async def press(number: int) -> None:
        await asyncio.sleep(chance.uniform(0, asked["seconds"]))
        started = time.perf_counter()
        try:
            await bookers[number].book(wanted[number], new_id(), seen[number])
            outcomes["booked"] += 1
        except SlotFull:
            outcomes["full"] += 1
        except Exception as error:
            outcomes[f"{type(error).__name__}: {error}"] += 1
        took.append(1000 * (time.perf_counter() - started))

    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    await asyncio.gather(*(press(number) for number in range(len(bookers))))
    return {"took": took, "outcomes": outcomes}


if __name__ == "__main__":
    parts = (make, store_many, list_slots, crowd)
    apart.answer({part.__name__: part for part in parts}, sys.argv[1])
