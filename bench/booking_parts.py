"""One process of the bookings' benchmark: it runs one part and answers as JSON.

`python -m bench.booking_parts crowd` reads what to do as a line of JSON and waits for another line
to begin, so that all processes begin at once.
"""

import asyncio
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa
import uvloop

import fuel_app.tables  # noqa: F401 (every table)
from bench import QUICK
from fuel_app.bookings.rules.bookings import Booking, SlotFull
from fuel_app.bookings.rules.slots import SlotId, slot_offer
from fuel_app.bookings.service import changes, slots
from fuel_app.bookings.tables import BookingEvent, SlotPlace, StoredBooking
from fuel_app.kit.db.session import engine, reading, transaction
from fuel_app.kit.db.tables import metadata, new_id
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money
from fuel_app.server import site
from tests.helpers.booking_crowd import ZIP, Booker, Ground, day_in, prepare

CUSTOMERS = 500
STORED = 10_000 if QUICK else 100_000
DAYS, A_DAY = 7, 90 if QUICK else 900
# By opening: the one place, the fifty, and the windows of an ordinary day.
CAPACITIES = {6: 1, 8: 50, 10: 40, 12: 40, 14: 40, 16: 40, 18: 40}
REPLAY = {opens: A_DAY // 9 + 1 for opens in range(6, 24, 2)}  # nearly full in the end
MOVED, CANCELLED = 0.15, 0.1  # of the bookings
TRIES = 5  # of a tab whose press failed; with the same key


async def make(spec: dict[str, Any]) -> dict[str, Any]:
    """Make the database. Return its ground."""
    async with engine().begin() as connection:
        await connection.run_sync(metadata.create_all)
    windows = {int(opens): capacity for opens, capacity in spec["capacities"].items()}
    return (await prepare(CUSTOMERS, windows)).plain()


async def store_many(spec: dict[str, Any]) -> None:
    """Store bookings with their places and events: the next 21 days are full, the rest is past."""
    ground = Ground.of(spec["ground"])
    seen = await ground.bookers[0].estimate(ground.slot(2, 10))
    places = [
        (day, opens, place)
        for day in range(21, -400, -1)
        for opens, capacity in CAPACITIES.items()
        for place in range(1, capacity + 1)
    ][:STORED]
    chance = random.Random(1)
    for start in range(0, len(places), 2_000):
        rows, taken, events = [], [], []
        for day, opens, place in places[start : start + 2_000]:
            who = chance.choice(ground.bookers)
            slot_id = str(SlotId(ground.area_id, day_in(day), opens))
            slot = slot_offer(slot_id, day_in(day), opens, opens + 2)
            row = StoredBooking(
                key=new_id(),
                person_id=who.person_id,
                contact={},
                area_id=ground.area_id,
                slot_id=slot_id,
                starts_at=slot.starts_at,
                ends_at=slot.ends_at,
                state="booked" if day > 0 else "completed",
                vehicle_id=who.vehicle_id,
                vehicle={},
                place={},
                grade="regular",
                price_mills=seen.mills,
                estimated_milligallons=seen.milligallons,
                pays_by="fee",
                late_fee_agreed_cents=seen.late_fee.cents,
            )
            rows.append(row.model_dump())
            taken.append({"slot_id": slot_id, "place": place, "held_for": "", "booking_id": row.id})
            events.append(
                BookingEvent(
                    booking_id=row.id,
                    revision=1,
                    kind="book",
                    state="booked",
                    actor=who.person_id,
                    at=slot.starts_at - timedelta(days=1),
                    before={},
                ).model_dump(exclude={"number"})
            )
        async with transaction() as session:
            await session.execute(sa.insert(StoredBooking), rows)
            await session.execute(sa.insert(SlotPlace), taken)
            await session.execute(sa.insert(BookingEvent), events)
    async with engine().connect() as connection:  # as PostgreSQL does by itself in time
        connection = await connection.execution_options(isolation_level="AUTOCOMMIT")
        await connection.execute(
            sa.text("ANALYZE" if connection.dialect.name == "sqlite" else "VACUUM ANALYZE")
        )


async def listing(spec: dict[str, Any]) -> list[float]:
    """Return the milliseconds of listing the slots of 21 days."""
    ground = Ground.of(spec["ground"])
    await site.tune()
    took = []
    for booker in ground.bookers[:60]:
        started = time.perf_counter()
        found = await slots.offered(booker.actor, ZIP)
        took.append(1000 * (time.perf_counter() - started))
        assert len(found) >= 20
    return took[10:]


async def crowd(spec: dict[str, Any], begin: Callable[[], Awaitable[None]]) -> dict[str, Any]:
    """Let customers book, each once, within some seconds. Return what came of it."""
    ground = Ground.of(spec["ground"])
    bookers = ground.bookers[spec["first"] :: spec["step"]][: spec["count"]]
    chance = random.Random(spec["first"])
    slot_of = [ground.slot(spec["days"], chance.choice(spec["opens"])) for _ in bookers]
    seen = [await who.estimate(slot) for who, slot in zip(bookers, slot_of, strict=True)]
    await site.tune()
    took: list[float] = []
    outcomes: Counter[str] = Counter()

    async def press(number: int) -> None:
        await asyncio.sleep(chance.uniform(0, spec["seconds"]))
        started = time.perf_counter()
        outcomes[await _press(bookers[number].book(slot_of[number], new_id(), seen[number]))] += 1
        took.append(1000 * (time.perf_counter() - started))

    await begin()
    await asyncio.gather(*(press(number) for number in range(len(bookers))))
    return {"took": took, "outcomes": outcomes}


async def _press(booking: Awaitable[Booking]) -> str:
    try:
        await booking
    except SlotFull:
        return "full"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "booked"


async def replay(spec: dict[str, Any], begin: Callable[[], Awaitable[None]]) -> dict[str, Any]:
    """Book a share of a week from many tabs, with moves and cancellations, as fast as it goes."""
    ground, share = Ground.of(spec["ground"]), spec["count"]
    chance = random.Random(spec["first"])
    took: dict[str, list[float]] = {"book": [], "move": [], "cancel": []}
    confirmed: dict[str, str] = {}  # slots by booking; empty when cancelled
    outcomes: Counter[str] = Counter()
    left = iter(range(share))

    async def timed(kind: str, act: Callable[[], Awaitable[Booking]]) -> Booking | None:
        for _ in range(TRIES):
            started = time.perf_counter()
            try:
                done = await act()
            except Refusal as refusal:
                outcomes[type(refusal).__name__] += 1
                return None
            except Exception as error:
                outcomes[f"failed and pressed again: {type(error).__name__}"] += 1
                continue
            took[kind].append(1000 * (time.perf_counter() - started))
            outcomes[kind] += 1
            confirmed[done.id] = done.slot_id if kind != "cancel" else ""
            return done
        outcomes["given up"] += 1
        return None

    def some_slot() -> str:
        return ground.slot(chance.randrange(2, 2 + DAYS), chance.choice(list(REPLAY)))

    async def book_one() -> tuple[Booker, Booking]:
        while True:  # a full window, or other terms since the estimate: once more
            who, slot, key = chance.choice(ground.bookers), some_slot(), new_id()
            seen = await who.estimate(slot)
            if done := await timed("book", partial(who.book, slot, key, seen)):
                return who, done

    async def tab() -> None:
        for _ in left:
            who, done = await book_one()
            if chance.random() < MOVED:
                to = some_slot()
                move = partial(changes.move, who.actor, done.id, done.revision, to)
                done = await timed("move", move) or done
            if chance.random() < CANCELLED:
                free = {"seen_fee": Money(0)}
                await timed(
                    "cancel", partial(changes.cancel, who.actor, done.id, done.revision, **free)
                )

    await site.tune()
    await begin()
    started = time.perf_counter()
    await asyncio.gather(*(tab() for _ in range(spec["tabs"])))
    spent = time.perf_counter() - started
    return {"took": took, "outcomes": outcomes, "confirmed": confirmed, "spent": spent}


async def stored(spec: dict[str, Any]) -> dict[str, Any]:
    """Return every place that is taken, and every booking's slot and number of events."""
    async with reading() as session:
        taken = await session.execute(sa.select(SlotPlace).where(SlotPlace.booking_id.is_not(None)))  # type: ignore[union-attr]
        places = [(each.slot_id, each.booking_id) for each in taken.scalars()]
        rows = await session.execute(sa.select(StoredBooking))
        states = {each.id: (each.slot_id, each.state) for each in rows.scalars()}
        events = Counter(each.booking_id for each in await session.scalars(sa.select(BookingEvent)))
        return {"places": places, "states": states, "events": events}


ALONE = {"make": make, "store_many": store_many, "listing": listing, "stored": stored}
AT_ONCE = {"crowd": crowd, "replay": replay}


async def _main(part: str) -> None:
    spec = json.loads(sys.stdin.readline())

    async def begin() -> None:
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.readline)

    if part in AT_ONCE:
        print(json.dumps(await AT_ONCE[part](spec, begin)))
    else:
        await begin()
        print(json.dumps(await ALONE[part](spec)))


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as the server has it
        runner.run(_main(sys.argv[1]))
