"""A night in which New York's clocks change, on a clock that is also set forward and back.

`python -m tests.faults.nights 2026-03-08` names the Sunday.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from random import Random, randrange

import fuel_app.fuel_app  # noqa: F401 (every table, job and consequence)
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.dispatch.tables import PublishedDay
from fuel_app.kit import clock
from fuel_app.kit.clock import day_of
from fuel_app.kit.jobs import queue
from fuel_app.kit.jobs.registry import SCHEDULES
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.outbox import SENT
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
from tests.helpers.books import books
from tests.helpers.people import rows
from tests.walk.checks import problems
from tests.walk.company import Company, pass_time, run_due

NIGHTS = SPRING, AUTUMN = date(2026, 3, 8), date(2026, 11, 1)  # an hour is left out, or comes twice
CUSTOMERS = 8
LOOK = timedelta(minutes=15)  # how often the worker looks, to some seconds
HOUR = timedelta(hours=1)
# How far off the clock is, from so many hours after the change on.
WRONG = ((-1.5, HOUR), (-1, -HOUR), (-0.5, HOUR), (0, -HOUR), (0.5, HOUR), (1, -HOUR), (1.5, HOUR))
RIGHT_AGAIN = timedelta(hours=2)
DAY = timedelta(days=1)


async def lived(sunday: date) -> Outcome:
    """Let the company live from Saturday to Monday. Count what happens not once."""
    seed = randrange(2**32)
    chance = Random(seed)
    company = await _opened(sunday)
    runs, took = await _weekend(company, sunday, chance)
    undone, again = [*_missed(runs, sunday)], [*_repeated(runs, sunday)]
    closed = [each.day for each in await rows(PublishedDay) if each.closed_at]
    undone += [] if sunday in closed else [f"{sunday} is not closed"]
    wrong = await problems(CAPACITY)
    await pass_time(2 * DAY)
    found = await books()
    wrong += [*await problems(CAPACITY), *found.unfinished()]
    for each in (*undone, *again, *wrong):
        print(f"{each} ({sunday}, seed {seed})", file=sys.stderr)
    sent = [each.key or each.id for each in found.messages if each.state == SENT]
    return Outcome(
        fault="the clock 7 times an hour off, forward and back, while New York's are changed",
        load=f"{len(company.customers)} customers from Saturday to Monday",
        served=took + sum(map(len, runs.values())),
        lost=len(undone),
        doubled=len(again) + len(sent) - len(set(sent)),
        half=len(wrong),
    )


async def _opened(sunday: date) -> Company:
    """Return a company on Saturday at 10:00, with bookings of Sunday and Monday."""
    company = await founded(on_clock(sunday - DAY, 10))
    for number in range(CUSTOMERS):
        who = await subscribe(company, "family")
        await book(company, who, 1, (8, 10, 12, 14)[number % 4])
        await book(company, who, 2, (8, 10, 12, 14)[number % 4])
    return company


async def _weekend(
    company: Company, sunday: date, chance: Random
) -> tuple[dict[str, list[datetime]], int]:
    """Live until Monday at 10:00. Return when each schedule ran, truly, and how many steps."""
    change = on_clock(sunday, 0) + 2 * HOUR  # in UTC: hours of New York's clocks are not alike
    now, until = clock.now(), on_clock(sunday + DAY, 10)
    runs: defaultdict[str, list[datetime]] = defaultdict(list)
    known: set[str] = set()
    took, published = 0, False
    while now < until:
        now += LOOK + timedelta(seconds=chance.uniform(0, 30))
        set_clock(now + _off(now - change))
        if not published and day_of(now) == sunday - DAY and now >= on_clock(sunday - DAY, 19):
            await publish(company, 1)
            published = True
        took += await act(company, chance.choice(OFTEN), chance)
        took += await drive(company, chance)
        await queue.fire_schedules(clock.now())
        for each in await rows(StoredJob):
            if each.kind in SCHEDULES and each.id not in known:
                known.add(each.id)
                runs[each.kind].append(now)
        await run_due()
    return runs, took


def _off(after: timedelta) -> timedelta:
    """Return how far the clock is off so long after New York's are changed."""
    if after >= RIGHT_AGAIN:
        return timedelta(0)
    return next((off for since, off in reversed(WRONG) if after >= since * HOUR), timedelta(0))


def _is_daily(name: str) -> bool:
    noon = clock.now()
    return SCHEDULES[name](noon) == SCHEDULES[name](noon + timedelta(microseconds=1))


def _missed(runs: Mapping[str, Sequence[datetime]], sunday: date) -> Iterator[str]:
    """Name daily runs that are missing, and the gaps between others that are too long."""
    for name, following in SCHEDULES.items():
        if _is_daily(name):
            if not any(day_of(each) == sunday for each in runs[name]):
                yield f"{name} did not run"
            continue
        for before, after in zip(runs[name], runs[name][1:], strict=False):
            if after > following(following(before)) + 2 * LOOK:  # put off once, as it is set back
                yield f"{name} did not run between {before} and {after}"


def _repeated(runs: Mapping[str, Sequence[datetime]], sunday: date) -> Iterator[str]:
    """Name the daily schedules that ran more than once on a day."""
    for name in filter(_is_daily, SCHEDULES):
        days = Counter(day_of(each) for each in runs[name])
        yield from (f"{name} ran {days[day]} times on {day}" for day in days if days[day] > 1)


if __name__ == "__main__":
    main(lambda: lived(date.fromisoformat(sys.argv[1])))
