"""Bookings: crowds for the last places, a hundred presses at once, slots, a week's replay.

Settings are read once in a process, so each part runs in processes of its own, one or two at a
time: `python -m bench.bookings crowd` reads what to do as a line of JSON and waits for another
line to begin, so that all processes begin at once. What is measured is the use case behind the
button; the estimate, which is on the screen by then, comes before.
"""

import asyncio
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa
import uvloop

import fuel_app.tables  # noqa: F401 (every table)
from bench import QUICK
from bench.neighborhoods import DATABASES
from bench.report import Figure, show
from fuel_app.bookings.rules.bookings import Booking, SlotFull
from fuel_app.bookings.rules.slots import SlotId, slot_offer
from fuel_app.bookings.service import changing, slots
from fuel_app.bookings.tables import BookingEvent, SlotPlace, StoredBooking
from fuel_app.kit.db.session import engine, reading, transaction
from fuel_app.kit.db.tables import metadata, new_id
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import Money
from fuel_app.server import runtime
from tests.helpers.booking_crowd import ZIP, Booker, Ground, day_in, prepare
from tests.site import ROOT

ROUNDS = 1 if QUICK else 3
CUSTOMERS = 500
# By opening: the one place, the fifty, and the windows of an ordinary day.
CAPACITIES = {6: 1, 8: 50, 10: 40, 12: 40, 14: 40, 16: 40, 18: 40}
ORDINARY = (10, 12, 14, 16, 18)
STORED = 10_000 if QUICK else 100_000
DAYS, A_DAY, TABS = 7, 90 if QUICK else 900, 200
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
    await runtime.tune()
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
    await runtime.tune()
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
                move = partial(changing.move, who.actor, done.id, done.revision, to)
                done = await timed("move", move) or done
            if chance.random() < CANCELLED:
                free = {"seen_fee": Money(0)}
                await timed(
                    "cancel", partial(changing.cancel, who.actor, done.id, done.revision, **free)
                )

    await runtime.tune()
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


class _Lab:
    """One database, and processes that work on it."""

    def __init__(self, url: str, capacities: dict[int, int]) -> None:
        self.environment = os.environ | {"FUEL_DATABASE_URL": url}
        self.ground = self.run("make", capacities=capacities)

    def run(self, part: str, **spec: Any) -> Any:
        """Run a part in one process."""
        return self.run_all(part, [spec])[0]

    def run_all(self, part: str, specs: list[dict[str, Any]]) -> list[Any]:
        """Run a part in processes that begin at once."""
        running = [
            subprocess.Popen(
                [sys.executable, "-m", "bench.bookings", part],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in specs
        ]
        ground = getattr(self, "ground", None)
        for each, spec in zip(running, specs, strict=True):
            assert each.stdin
            each.stdin.write(json.dumps({"ground": ground} | spec) + "\n")
            each.stdin.flush()
        for each in running:
            assert each.stdout
            assert "ready" in each.stdout.readline()
        for each in running:
            assert each.stdin
            each.stdin.write("go\n")
            each.stdin.flush()
        said = [each.communicate()[0] for each in running]
        assert not any(each.returncode for each in running)
        return [json.loads(each.splitlines()[-1]) for each in said]


def _p95(took: list[float]) -> float:
    return statistics.quantiles(took, n=20)[-1] if len(took) > 1 else took[0]


def _crowds(lab: _Lab, where: str, processes: int) -> Iterator[Figure]:
    first = 2 + ROUNDS * (processes - 1)  # days: each crowd finds windows without bookings

    def rounds(
        count: int, opens: tuple[int, ...], seconds: float = 0, later: int = 0
    ) -> Iterator[tuple[Counter[str], list[float]]]:
        for day in range(first + later, first + later + ROUNDS):
            share = {"count": count // processes, "days": day, "opens": opens, "seconds": seconds}
            done = lab.run_all(
                "crowd", [share | {"first": n, "step": processes} for n in range(processes)]
            )
            outcomes = sum((Counter(each["outcomes"]) for each in done), Counter[str]())
            if others := set(outcomes) - {"booked", "full"}:
                print(where, others, file=sys.stderr)
            yield outcomes, [one for each in done for one in each["took"]]

    for count, opens, places in ((200, 6, 1), (500, 8, 50)):
        found = list(rounds(count, (opens,)))
        what = f"{count} for the last {places} of a slot on {where}"
        off = [abs(outcomes["booked"] - places) for outcomes, _ in found]
        yield Figure(f"{what}: booked too many or too few", "", off, "<= 0")
        errors = [count - outcomes["booked"] - outcomes["full"] for outcomes, _ in found]
        yield Figure(f"{what}: other than 'full'", "errors", errors, "<= 0")
        yield Figure(f"{what}: the last answer", "ms", [max(took) for _, took in found])
    for name, seconds, bound in (("within 10 s", 10, 150), ("in one instant", 0, 500)):
        found = list(rounds(100, ORDINARY, seconds, later=0 if seconds else 2 * ROUNDS))
        what = f"100 press 'Schedule Service' {name} on {where}"
        yield Figure(f"{what}, p95", "ms", [_p95(took) for _, took in found], f"<= {bound}")
        lost = [100 - outcomes["booked"] for outcomes, _ in found]
        yield Figure(f"{what}: not booked", "", lost, "<= 0")


def _replay(name: str, processes: int) -> Iterator[Figure]:
    where = f"{name}, {processes} process{'es' if processes > 1 else ''}"
    total = DAYS * A_DAY
    with DATABASES[name]() as url:
        lab = _Lab(url, REPLAY)
        share = {"count": total // processes, "tabs": TABS // processes}
        done = lab.run_all("replay", [share | {"first": n} for n in range(processes)])
        now = lab.run("stored")
    took = [one for each in done for kind in each["took"].values() for one in kind]
    confirmed = {known: slot for each in done for known, slot in each["confirmed"].items()}
    places = {known: slot for slot, known in now["places"]}
    lost = [
        known
        for known, slot in confirmed.items()
        if places.get(known, "") != slot or not now["events"].get(known)
    ]
    unasked = len(now["states"]) - len(confirmed)
    per_slot = Counter(slot for slot, _ in now["places"])
    per_slot_booked = Counter(slot for slot, state in now["states"].values() if state == "booked")
    most = A_DAY // 9 + 1
    over = sum(max(0, count - most) for count in (per_slot | per_slot_booked).values())
    outcomes: Counter[str] = Counter()
    for each in done:
        outcomes.update(each["outcomes"])
    print(where, dict(outcomes), file=sys.stderr)
    what = f"a week of {A_DAY} a day from {TABS} tabs on {where}"
    yield Figure(f"{what}: lost", "bookings", [len(lost)], "<= 0")
    yield Figure(f"{what}: doubled or unasked", "bookings", [abs(unasked)], "<= 0")
    yield Figure(f"{what}: oversold", "places", [over], "<= 0")
    yield Figure(f"{what}, p95", "ms", [_p95(took)])
    yield Figure(f"{what}", "per s", [len(took) / max(each["spent"] for each in done)])


def measure() -> list[Figure]:
    figures: list[Figure] = []
    for name in DATABASES:
        with DATABASES[name]() as url:
            lab = _Lab(url, CAPACITIES)
            for processes in (1, 2):
                where = f"{name}, {processes} process{'es' if processes > 1 else ''}"
                figures += _crowds(lab, where, processes)
        with DATABASES[name]() as url:
            lab = _Lab(url, CAPACITIES)
            lab.run("store_many")
            what = f"slots of 21 days at {STORED:,} bookings on {name}"
            found = [statistics.median(lab.run("listing")) for _ in range(ROUNDS)]
            figures.append(Figure(what, "ms", found, "<= 20"))
        for processes in (1, 2):
            figures += _replay(name, processes)
    return figures


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
    if sys.argv[1:] and sys.argv[1] in ALONE | AT_ONCE:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as the server has it
            runner.run(_main(sys.argv[1]))
    else:
        show(measure())
