"""The company that a walk goes through: its people, clock and jobs, over the real services."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from sqlalchemy import func, select
from sqlmodel import col

from fuel_app.accounts.rules import Actor, Role, Session
from fuel_app.bookings.rules.bookings import Booking, Guest
from fuel_app.bookings.service import access
from fuel_app.dispatch.tables import StoredShift, StoredTruck
from fuel_app.kit import background, clock
from fuel_app.kit.db.session import reading as read
from fuel_app.kit.errors import Refusal
from fuel_app.kit.jobs import queue
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.jobs.worker import Worker
from tests.faults.kills import set_clock
from tests.helpers import bookings, dispatch, plan_money
from tests.helpers.bookings import NOW, Customer
from tests.helpers.people import rows

ADMIN = Actor(frozenset({Role.ADMIN}), session_id="s" * 36)
CAPACITY = 2
TRUCKS = 2
PAUSE = timedelta(hours=6)  # the longest in which the worker looks for nothing


@dataclass
class Company:
    """One area, two trucks with their technicians, and whoever has come so far."""

    area: str
    trucks: list[StoredTruck]
    technicians: list[Actor]
    customers: list[Customer] = field(default_factory=list)
    bookings: list[str] = field(default_factory=list)
    by_link: dict[str, Guest] = field(default_factory=dict)
    neighborhoods: list[str] = field(default_factory=list)
    sent: list[tuple[Actor, list[dict]]] = field(default_factory=list)  # batches of phones

    @classmethod
    async def founded(cls) -> "Company":
        set_clock(NOW)
        area = await bookings.an_area(capacity=CAPACITY)
        trucks = [await dispatch.a_truck() for _ in range(TRUCKS)]
        return cls(area, trucks, [await dispatch.a_technician(each + 1) for each in range(TRUCKS)])

    def customer(self, chance: Random) -> Customer:
        if not self.customers:
            raise NothingToDo
        return chance.choice(self.customers)

    def session(self, chance: Random) -> Session:
        return plan_money.by(self.customer(chance).id)

    async def booking(
        self, chance: Random, *states: str, among: Collection[str] | None = None
    ) -> Booking:
        """Return one of the bookings in these states; without any, of all."""
        for booking_id in chance.sample(self.bookings, len(self.bookings)):
            if among is not None and booking_id not in among:
                continue
            found = await access.find(ADMIN, booking_id)
            if found and (not states or found.state in states):
                return found
        raise NothingToDo

    def owner(self, booking: Booking) -> Actor | Guest:
        """Return who may change a booking as its customer does."""
        if guest := self.by_link.get(booking.id):
            return guest
        return Actor(frozenset({Role.CUSTOMER}), booking.person_id or "")

    async def shift(self, chance: Random) -> StoredShift:
        """Return a shift of today or tomorrow."""
        today = clock.day_of(clock.now())
        near = [
            each for each in await rows(StoredShift) if today <= each.day <= today + timedelta(1)
        ]
        if not near:
            raise NothingToDo
        return chance.choice(sorted(near, key=lambda each: (each.day, each.starts_at, each.id)))


class NothingToDo(Refusal):
    message = "There is none yet."


Action = Callable[[Company, Random], Awaitable[object]]
ACTIONS: dict[str, Action] = {}
done: Counter[str] = Counter()
refused: Counter[str] = Counter()


def action(often: int = 1) -> Callable[[Action], Action]:
    """Let a walk take a step, so often as likely as another one."""

    def add(act: Action) -> Action:
        name = act.__name__  # type: ignore[attr-defined]
        ACTIONS[name] = act
        OFTEN.extend([name] * often)
        return act

    return add


OFTEN: list[str] = []


async def take(company: Company, name: str, chance: Random) -> None:
    """Take a step, and run what it makes due. A refusal is an outcome as any other."""
    try:
        await ACTIONS[name](company, chance)
    except Refusal as refusal:
        refused[f"{name}: {type(refusal).__name__}"] += 1
    else:
        done[name] += 1
    await run_due()
    while (retry := await _next_job(failed=True)) and retry < clock.now() + timedelta(hours=1):
        set_clock(retry)
        await run_due()


async def run_due() -> None:
    """Run all jobs that are due, and end what they have started."""
    worker = Worker()
    while await worker.start_due():
        await worker.ended()
    while left := background.under_way():
        await asyncio.wait(left)


async def pass_time(span: timedelta) -> None:
    """Let the worker run for a while: each job at its time, schedules every few hours."""
    until = clock.now() + span
    while clock.now() < until:
        await queue.fire_schedules(clock.now())
        await run_due()
        set_clock(min(until, clock.now() + PAUSE, await _next_job() or until))
    await queue.fire_schedules(clock.now())
    await run_due()


async def _next_job(*, failed: bool = False) -> datetime | None:
    """Return when the next job is due that is not due yet; of those that failed, if so."""
    later = select(func.min(col(StoredJob.run_at))).where(
        col(StoredJob.ended_at).is_(None), col(StoredJob.run_at) > clock.now()
    )
    if failed:
        later = later.where(col(StoredJob.error).is_not(None))
    async with read() as session:
        return await session.scalar(later)
