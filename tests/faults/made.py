"""A small open company as of now, made by its services: `python -m tests.faults.made`.

It fills the database of `FUEL_DATABASE_URL` and prints who comes. With `due`, money becomes due:
captures and charges of fills, holds, and renewals. It prints of what, by kind.
"""

import asyncio
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

import fuel_app.fuel_app  # noqa: F401 (every table, job and consequence)
from bench.company_journeys import CUSTOMER, NEWCOMER, TECHNICIAN
from bench.company_journeys import FILL as FILLS
from bench.visitors import Who
from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE
from fuel_app.billing.rules.invoices import FILL, RENEWAL
from fuel_app.billing.rules.payments import HOLD
from fuel_app.billing.service import fill_invoices as bills
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.bookings.service import authorizations
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.service import fill_records
from fuel_app.kit import clock, jobs
from fuel_app.kit.clock import day_of, months_later
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.plans.tables import Subscription
from tests.faults.company import pressed, printed
from tests.faults.kills import set_clock
from tests.faults.living import OPENS, book, founded, publish, subscribe, write
from tests.faults.outcome import Outcome
from tests.faults.running import Running
from tests.helpers.bookings import MILLS, STAFF, set_price
from tests.helpers.fills import FILLED
from tests.helpers.people import rows
from tests.helpers.signed_in import cookie_for
from tests.walk.company import run_due

CUSTOMERS, VISITORS, TRUCKS = 40, 20, 4
DRIVEN = 20  # have a booking of today on a route
FILLED_BY_OFFICE = 10  # have one that the office says was filled; they do not press
_CHANGED = """
SELECT booking_id FROM booking_events WHERE kind IN ('move', 'cancel') AND actor <> 'system'
"""
AHEAD = 3  # days until the windows whose holds become due


async def company_of(site: Running) -> list[Who]:
    """Make a company in a site's database. Return who comes.

    The site is down meanwhile: its workers would run what is due by the clock of the past.
    """
    for each in site.processes:
        each.stop()
    found = await printed(site, "tests.faults.made")
    for each in site.processes:
        each.start()
    return [Who(**each) for each in found]


async def pressed_when_due(
    site: Running,
    what: str,
    crowd: Sequence[Who],
    interrupt: Callable[[Callable[[], None]], float],
    rate: float,
    seconds: float,
    **more: Any,
) -> Outcome:
    """Let tabs press, and interrupt them as money becomes due: `interrupt` is told how."""
    due: dict[str, list[str]] = {}
    others: Counter[str] = Counter()

    def become_due() -> None:
        due.update(asyncio.run(printed(site, "tests.faults.made", "due")))
        others[FILLS] = len(due[FILL])

    begin = partial(interrupt, become_due)
    outcome = await pressed(site, what, crowd, begin, rate, seconds, others=others, **more)
    missing, again = await _settled(site, due)
    counts = ", ".join(f"{len(some)} {kind}s" for kind, some in due.items())
    return replace(
        outcome,
        load=f"{outcome.load}, {counts} due",
        served=outcome.served + sum(map(len, due.values())),
        lost=outcome.lost + missing,
        doubled=outcome.doubled + again,
    )


async def _settled(site: Running, due: dict[str, list[str]]) -> tuple[int, int]:
    """Return how much of what was due is not paid or held, and how much is so twice."""
    paid = await site.rows("SELECT key FROM invoices WHERE state = 'paid'")
    held = await site.rows(
        "SELECT booking_id FROM payments WHERE kind = 'hold' AND state = 'authorized'"
    )
    times = Counter(key.rpartition(":")[0] if key.startswith(RENEWAL) else key for (key,) in paid)
    times += Counter(f"{HOLD}:{booking}" for (booking,) in held)
    keys = [f"{kind}:{each}" for kind, some in due.items() for each in some]
    counts = {key: times[key] for key in keys}
    changed = {f"{HOLD}:{booking}" for (booking,) in await site.rows(_CHANGED)}
    missing = [key for key, count in counts.items() if not count and key not in changed]
    for each in missing:
        print(f"{each} is missing", file=sys.stderr)
    for each, count in counts.items():
        if count > 1:
            print(f"{each} is there {count} times", file=sys.stderr)
    return len(missing), sum(count - 1 for count in counts.values() if count > 1)


async def _made() -> list[dict[str, Any]]:
    return [asdict(each) for each in await _make(clock.now())]


async def _make(now: datetime) -> list[Who]:
    """Let people sign up, start plans and book, up to yesterday evening."""
    today = day_of(now)
    yesterday = today - timedelta(days=1)
    company = await founded(on_clock(yesterday, 12), trucks=TRUCKS)
    month_ago = on_clock(months_later(today, -1), 12)  # renewed today
    for number in range(CUSTOMERS):
        who = await subscribe(company, "family", since=None if number % 2 else month_ago)
        await book(company, who, 1 + AHEAD, OPENS[number % len(OPENS)])
        if number < DRIVEN:
            await book(company, who, 1, OPENS[number % len(OPENS)])
    await run_due()
    set_clock(on_clock(yesterday, 18) + timedelta(minutes=5))
    await run_due()
    await publish(company, 1)
    come, at_office = company.customers[:-FILLED_BY_OFFICE], company.customers[-FILLED_BY_OFFICE:]
    for number, who in enumerate(at_office):
        await book(company, who, 1, OPENS[number % len(OPENS)])
    await run_due()
    set_clock(now)
    await set_price(company.area, MILLS, now - timedelta(minutes=1))
    found = [await _who(CUSTOMER, routes.DASHBOARD, each.id) for each in come]
    found += [await _who(TECHNICIAN, routes.DRIVE, e.person_id) for e in company.technicians]
    return [*found, *[Who(NEWCOMER)] * VISITORS]


async def _who(kind: str, path: str, person_id: str) -> Who:
    return Who(kind, path, f"{COOKIE}={await cookie_for(person_id)}")


async def _due() -> dict[str, list[str]]:
    now = clock.now()
    today = day_of(now)
    booked = await rows(StoredBooking, state="booked")
    near = [each for each in booked if day_of(each.starts_at) == today]
    far = [each.id for each in booked if day_of(each.starts_at) == today + timedelta(days=AHEAD)]
    for each in near:
        await fill_records.record_fill(STAFF, each.id, each.revision, FILLED, confirmed=True)
    plans = await rows(Subscription, state="active")
    async with transaction() as session:
        await _run_now(session, col(StoredJob.kind) == bills.OPEN_JOB)
        first = col(StoredJob.key).like("%:first")
        await _run_now(session, (col(StoredJob.kind) == authorizations.AUTHORIZE) & first)
        await jobs.enqueue(session, "billing.renew_plans")
    renewed = [each.person_id for each in plans if each.period_ends <= today]
    return {FILL: [each.id for each in near], HOLD: far, RENEWAL: renewed}


async def _run_now(session: AsyncSession, which: Any) -> None:
    waiting = update(StoredJob).where(which, col(StoredJob.ended_at).is_(None))
    await session.execute(waiting.values(run_at=clock.now()))


if __name__ == "__main__":
    write(_due if sys.argv[1:] == ["due"] else _made)
