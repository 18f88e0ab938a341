"""The worker is away for a day in which people go on, then it is back."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from random import Random, randrange

import fuel_app.fuel_app  # noqa: F401 (every table, job and consequence)
from fuel_app.billing.providers.stand_in.objects import WORKS
from fuel_app.billing.rules.invoices import DRAFT, OPENED_AFTER
from fuel_app.billing.rules.payments import AUTHORIZED, FAILED, HOLD
from fuel_app.bookings.queries import booking_of
from fuel_app.bookings.rules.authorizations import first_try, last_try
from fuel_app.bookings.rules.bookings import DAY_BEFORE, HOUR_BEFORE
from fuel_app.bookings.rules.estimates import estimate_of
from fuel_app.bookings.rules.states import OPEN_STATES
from fuel_app.dispatch.tables import PublishedDay
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.jobs import queue
from fuel_app.kit.jobs.registry import SCHEDULES
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.outbox import QUEUED, SENT, Message
from fuel_app.messages.rules.delivery import TOO_LATE
from tests.faults.kills import set_clock
from tests.faults.living import (
    CAPACITY,
    OFTEN,
    act,
    book,
    drive,
    founded,
    main,
    publish,
    subscribe,
)
from tests.faults.outcome import Outcome
from tests.helpers.bookings import NOW
from tests.helpers.books import Books, books
from tests.helpers.people import rows
from tests.walk.checks import problems
from tests.walk.company import Company, pass_time, run_due

CUSTOMERS = 12
AWAY = timedelta(hours=26)  # from Monday, 10:05, to Tuesday, 12:05
STEP = timedelta(minutes=15)
NOTHING_PAID = "declined_later"


async def lived() -> Outcome:
    """Let the company live without its worker. Count what is not done once it is back."""
    seed = randrange(2**32)
    company = await _opened()
    took = await _day_without_worker(company, clock.now() + timedelta(minutes=5), Random(seed))
    back = clock.now()
    await pass_time(timedelta(minutes=1))
    undone = [*_undone(await books(), back), *await _not_closed(back), *await _not_fired(back)]
    late = Counter(each.kind for each in await rows(Message, error=TOO_LATE, channel="mail"))
    wrong = await problems(CAPACITY)
    await pass_time(timedelta(days=2))
    found = await books()
    wrong += [*await problems(CAPACITY), *found.unfinished()]
    for each in (*undone, *wrong):
        print(f"{each} (seed {seed})", file=sys.stderr)
    sent = [each.key or each.id for each in found.messages if each.state == SENT]
    return Outcome(
        fault="no worker for 26 hours, then it is back",
        load=f"{len(company.customers)} customers; {took} steps by all while it is away",
        served=len(found.bookings) + len(sent),
        lost=len(undone),
        doubled=len(sent) - len(set(sent)),
        half=len(wrong),
        meanwhile=f"too late and not sent: {late[DAY_BEFORE]} day before, "
        f"{late[HOUR_BEFORE]} hour before",
    )


async def _opened() -> Company:
    """Return a company on Monday at 10:00: plans, bookings, and today's route on the phones."""
    company = await founded(NOW)
    month = NOW - timedelta(days=31)
    for number in range(CUSTOMERS):
        plan = "big-family" if number < 3 else "family"
        since = month + timedelta(days=1) if number % 2 else None  # renewed on Tuesday
        card = NOTHING_PAID if number in (4, 5) else WORKS
        await subscribe(company, plan, card, since)
    for number, who in enumerate(company.customers):
        if number < 3:
            await book(company, who, 0, 14)
        await book(company, who, 1, (8, 10, 14, 16)[number % 4])
        await book(company, who, 2, (8, 10, 12, 14)[number % 4])
    await publish(company, 0)
    await queue.fire_schedules(NOW)
    await run_due()
    return company


async def _day_without_worker(company: Company, left: datetime, chance: Random) -> int:
    """Let people go on while no job runs. Return how many steps they took."""
    took, published = 0, False
    while clock.now() < left + AWAY:
        set_clock(min(clock.now() + STEP, left + AWAY))
        local = clock.now().astimezone(clock.NEW_YORK)
        if not published and local.hour >= 19:
            await publish(company, 1)
            published = True
        if 8 <= local.hour < 20:
            took += await act(company, chance.choice(OFTEN), chance)
        took += await drive(company, chance)
    return took


def _undone(found: Books, now: datetime) -> Iterator[str]:
    """Name what is due by now and was not done, or was done too late."""
    due = (each for each in found.jobs if each.ended_at is None and each.run_at <= now)
    yield from (f"job {each.kind} is due" for each in due)
    yield from _wrongly_sent(found.messages, now)
    holds = {each.booking_id: each.state for each in found.payments if each.kind == HOLD}
    for each in found.bookings:
        is_held = holds.get(each.id) == AUTHORIZED
        known = booking_of(each)
        asks = not known.fee_asked_at and estimate_of(known).hold.cents
        if each.state in OPEN_STATES and asks and first_try(each.starts_at) <= now:
            if holds.get(each.id) not in (AUTHORIZED, FAILED):
                yield f"nothing is held for booking {each.id}"
            if not is_held and last_try(each.starts_at, each.created_at) <= now:
                yield f"booking {each.id} is declined and not cancelled"
    for each in found.invoices:
        if each.state == DRAFT and each.created_at + OPENED_AFTER <= now:
            yield f"invoice {each.key} is a draft"
    for each in found.subscriptions:
        if each.state == "active" and each.period_ends and each.period_ends <= day_of(now):
            yield f"the plan of {each.person_id} is not renewed"


def _wrongly_sent(messages: Iterable[Message], now: datetime) -> Iterator[str]:
    """Check that a message is not sent when it has become wrong, and only then."""
    for each in messages:
        what = f"{each.kind} of {each.send_at}"
        if each.state == QUEUED and each.send_at <= now:
            yield f"{what} is not sent"
        if each.kind not in (DAY_BEFORE, HOUR_BEFORE):
            continue
        starts_at = datetime.fromisoformat(each.payload["starts_at"])

        def is_wrong(at: datetime, of: Message = each, starts_at: datetime = starts_at) -> bool:
            same_day = of.kind == DAY_BEFORE and day_of(at) == day_of(starts_at)
            return at > starts_at or same_day

        if each.sent_at and is_wrong(each.sent_at):
            yield f"{what} was sent at {each.sent_at}, the window opens at {starts_at}"
        if each.error == TOO_LATE and not is_wrong(now):
            yield f"{what} was not sent, the window opens at {starts_at}"


async def _not_closed(now: datetime) -> list[str]:
    return [
        f"{each.day} is not closed"
        for each in await rows(PublishedDay)
        if each.day < day_of(now) and not each.closed_at
    ]


async def _not_fired(now: datetime) -> list[str]:
    """Name the schedules that have not run once for all that was missed."""
    ran = Counter(each.kind for each in await rows(StoredJob, created_at=now))
    return [f"{name} ran {ran[name]} times" for name in SCHEDULES if ran[name] != 1]


if __name__ == "__main__":
    main(lived)
