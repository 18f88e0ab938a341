"""A small open company that lives by its services, on a clock that is set.

What happens to it is a module with `lived`, in a process of its own: `python -m
tests.faults.absence` writes the outcome in `FUEL_DATABASE_URL` as a line of JSON.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import uuid4

import structlog

from fuel_app.areas import queries
from fuel_app.areas.rules.hours import Window
from fuel_app.billing.providers.stand_in.objects import WORKS
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.slots import SlotId
from fuel_app.bookings.rules.states import DISPATCHED
from fuel_app.bookings.service import bookings
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.rules.trucks import ShiftForm
from fuel_app.dispatch.service import day_plan, trucks
from fuel_app.dispatch.tables import StoredShift
from fuel_app.kit import clock
from fuel_app.kit.db.session import engine, transaction
from fuel_app.kit.errors import Refusal
from tests.faults.kills import set_clock
from tests.faults.money_cases import give_card
from tests.faults.outcome import Outcome
from tests.helpers import bookings as made
from tests.helpers import dispatch, plan_money
from tests.helpers.bookings import Customer
from tests.helpers.people import rows
from tests.site import ROOT
from tests.walk import customers, staff, world
from tests.walk.company import ADMIN, Action, Company
from tests.walk.world import WHOLE, send, whose

OPENS = (8, 10, 12, 14, 16)
CAPACITY = 20  # of each window
OFTEN: tuple[Action, ...] = (  # what people do meanwhile
    *(4 * [customers.book]),
    *(2 * [customers.book_as_guest]),
    customers.move,
    customers.cancel,
    customers.start_or_switch,
    staff.book_for,
    staff.cancel_for,
    staff.correct_invoice,
    staff.give_credit,
    staff.set_price,
    staff.adjust_fills,
    world.send_again,
    world.repeat_webhooks,
)


async def founded(at: datetime, *, trucks: int = 2) -> Company:
    """Open a company whose windows are the same every day, and set the clock."""
    set_clock(at)
    area = await made.an_area()
    week = (tuple(Window(opens, opens + 2, CAPACITY) for opens in OPENS),) * 7
    async with transaction() as session:
        await queries.set_week(session, area, week)
    await made.set_price(area, made.MILLS, at - timedelta(hours=1))
    own = [await dispatch.a_truck() for _ in range(trucks)]
    return Company(area, own, [await dispatch.a_technician(each + 1) for each in range(trucks)])


async def subscribe(
    company: Company, plan: str, card: str = WORKS, since: datetime | None = None
) -> Customer:
    """Let a customer start a plan, then have this card.

    Args:
        since: When it starts, if not now.
    """
    now = clock.now()
    set_clock(since or now)
    who = await made.a_customer(len(company.customers) + 1, plan=plan, state="incomplete")
    await give_card(who.id)
    await plan_money.start(who.id, plan, str(uuid4()))
    if card != WORKS:
        await give_card(who.id, card)
    set_clock(now)
    company.customers.append(who)
    return who


async def book(company: Company, who: Customer, days: int, opens: int) -> Booking:
    """Book a window that opens so many days from today."""
    day = clock.day_of(clock.now()) + timedelta(days=days)
    wanted = who.wants(str(SlotId(company.area, day, opens)))
    seen = await bookings.estimate_fill(who.actor, wanted)
    booking = await bookings.book(who.actor, wanted, key=str(uuid4()), seen=seen)
    company.bookings.append(booking.id)
    return booking


async def act(company: Company, action: Action, chance: Random) -> bool:
    """Take a step of a walk, and run none of its jobs. Return False if it is refused."""
    try:
        await action(company, chance)
    except Refusal:
        return False
    return True


async def publish(company: Company, days: int) -> None:
    """Put all trucks on shift so many days from today, plan the day and publish it."""
    day = clock.day_of(clock.now()) + timedelta(days)
    for truck, technician in zip(company.trucks, company.technicians, strict=True):
        who = {"truck": truck.id, "technician": technician.person_id}
        form = ShiftForm.parse(who | {"starts": "07:00", "ends": "18:00"})
        await trucks.save_shift(ADMIN, day, "", None, form)
    for step in (day_plan.plan, day_plan.publish):
        seen = {each.id: each.revision for each in await rows(StoredShift, day=day)}
        await step(ADMIN, day, seen)


async def drive(company: Company, chance: Random) -> int:
    """Let technicians fill the cars whose window is open. Return how many steps they took."""
    due = await rows(StoredBooking, state=DISPATCHED)
    open_now = [each.id for each in due if each.starts_at <= clock.now()]
    for each in open_now:
        await send(company, await whose(company, each), each, *WHOLE, chance=chance)
    return len(WHOLE) * len(open_now)


def outcome_of(database_url: str, *module: str) -> Outcome:
    """Let a company live in an empty database, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", *module],
        cwd=ROOT,
        env=os.environ | {"FUEL_DATABASE_URL": database_url, "FUEL_RATE_LIMITS": "off"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return Outcome(**json.loads(done.stdout.splitlines()[-1]))


def main(live: Callable[[], Coroutine[Any, Any, Outcome]]) -> None:
    """Print the outcome, and nothing of what the services log."""

    async def lived() -> dict[str, Any]:
        return asdict(await live())

    write(lived)


def write(work: Callable[[], Coroutine[Any, Any, Any]]) -> None:
    """Do something in the database and write the result as a line of JSON, without a log."""

    async def done() -> Any:
        try:
            return await work()
        finally:
            await engine().dispose()

    structlog.configure(processors=[_drop])
    print(json.dumps(asyncio.run(done())))


def _drop(*_: Any) -> Any:
    raise structlog.DropEvent
