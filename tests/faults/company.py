"""Tabs of an open company press on while something breaks and money becomes due.

Customers book, move and cancel, visitors join, and technicians fill; meanwhile captures and charges
of fills, holds and renewals become due. What was confirmed has to be stored, once; what was due has
to be paid or held, once; and what is written has to agree, as after each step of a walk.

`python -m tests.faults.company make` fills the database of `FUEL_DATABASE_URL` and prints who
comes; `due` lets money become due and prints of what, by kind; `problems` prints what does not
agree.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

import fuel_app.fuel_app  # noqa: F401 (every table and job)
from bench.journeys import CUSTOMER, NEWCOMER, TECHNICIAN
from bench.journeys import FILL as FILLED_BY_TECHNICIAN
from bench.load import JOINED, STEPS, Crowd, found_neighborhoods, stored_of
from bench.visitors import Who
from fuel_app import routes
from fuel_app.accounts.state.session import COOKIE
from fuel_app.billing.rules.invoices import FILL, RENEWAL
from fuel_app.billing.rules.payments import HOLD
from fuel_app.billing.service import fill_invoices
from fuel_app.bookings.rules.slots import on_clock
from fuel_app.bookings.service import authorizations
from fuel_app.bookings.tables import StoredBooking
from fuel_app.dispatch.service import fill_records
from fuel_app.kit import clock, jobs
from fuel_app.kit.clock import day_of, months_later
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.plans.tables import Subscription
from tests.faults.kills import set_clock
from tests.faults.living import OPENS, book, founded, publish, subscribe, write
from tests.faults.outcome import Outcome
from tests.faults.running import Running
from tests.helpers.bookings import MILLS, STAFF, set_price
from tests.helpers.fills import FILLED
from tests.helpers.people import rows
from tests.helpers.signed_in import cookie_for
from tests.site import ROOT
from tests.waiting import comes_true
from tests.walk import checks
from tests.walk.company import run_due

CUSTOMERS, VISITORS, TRUCKS = 40, 20, 4
DRIVEN = 20  # have a booking of today on a route
FILLED_BY_OFFICE = 10  # have one that the office says was filled; they do not press
AHEAD = 3  # days until the windows whose holds become due
RATE, SECONDS = 15, 45  # presses a second, for so long
SEATS = 1_000  # in a slot, more than the company has
JOBS_S = 240  # until all have run, those of a killed process and those that were tried included
_DUE = """
SELECT kind, count(*), max(attempts), min(run_at), max(error) FROM jobs
WHERE ended_at IS NULL AND (run_at <= '{now}' OR attempts > 0) GROUP BY kind
"""
_CHANGED = """
SELECT booking_id FROM booking_events WHERE kind IN ('move', 'cancel') AND actor <> 'system'
"""
# Lets money become due, breaks something, and returns when the recovery begins.
Interrupt = Callable[[Callable[[], None]], float]


async def pressed(
    site: Running, what: str, interrupt: Interrupt, *, ahead: timedelta = timedelta(0)
) -> Outcome:
    """Let tabs of a new company press, and interrupt them after a third of the time.

    Args:
        ahead: By how much the jobs' clock is fast at the end.
    """
    crowd = await _company_of(site)
    await asyncio.to_thread(found_neighborhoods, site.url)
    before, wrong = await _stored(site), await problems(site)
    due: dict[str, list[str]] = {}

    def become_due() -> None:
        due.update(asyncio.run(_printed(site, "due")))

    load = await asyncio.to_thread(_press, site.url, crowd, partial(interrupt, become_due))
    await jobs_end(site, ahead)
    now, confirmed = await _stored(site), Counter(load["stored"])
    confirmed[FILLED_BY_TECHNICIAN] += len(due[FILL])
    beyond = {kind: now[kind] - before[kind] - confirmed[kind] for kind in now}
    unheard = Counter(load["unheard"])  # of these, some are stored all the same
    missing, again = await _settled(site, due)
    disagree = await problems(site) - wrong
    for each in (*disagree, beyond, Counter(load["errors"])):
        print(each, file=sys.stderr)
    counts = ", ".join(f"{len(some)} {kind}s" for kind, some in due.items())
    return Outcome(
        fault=what,
        load=f"{len(crowd):,} tabs of an open company, {RATE} presses a second, {counts} due",
        served=sum(load["stored"].values()) + sum(map(len, due.values())),
        lost=sum(max(0, -count) for count in beyond.values()) + missing,
        doubled=sum(max(0, count - unheard[kind]) for kind, count in beyond.items()) + again,
        half=len(disagree),
        recovered_s=load["recovered"],
        meanwhile=f"{len(load['took']):,} presses answered, the slowest in "
        f"{max(load['served']) / 1000:.1f} s, {len(load['errors'])} not; "
        f"{load['reconnects']} times connected again",
    )


async def _company_of(site: Running) -> list[Who]:
    """Make a company in a site's database. Return who comes.

    The site is down meanwhile: its workers would run what is due by the clock of the past.
    """
    for each in site.processes:
        each.stop()
    crowd = await _printed(site, "make")
    for each in site.processes:
        each.start()
    return [Who(**each) for each in crowd]


def _press(url: str, crowd: Sequence[Who], interrupt: Callable[[], float]) -> dict[str, Any]:
    with Crowd(url, crowd) as tabs:
        tabs.begin(RATE, SECONDS)
        time.sleep(SECONDS / 3)
        since = interrupt()
        load = tabs.end()
    later = [moment for moment in load["stored_at"] if moment > since]
    return load | {"recovered": min(later) - since if later else 0}


async def jobs_end(site: Running, ahead: timedelta = timedelta(0)) -> None:
    """Wait until nothing is due or tried again, of what jobs have enqueued either."""

    async def due() -> Sequence[Sequence]:
        return await site.rows(_DUE.format(now=datetime.now(UTC) + ahead))

    async def all_done() -> bool:
        return not await due()

    assert await comes_true(all_done, within=JOBS_S), await due()


async def _stored(site: Running) -> Counter[str]:
    """Count what tabs store, by kind."""
    return Counter(stored_of(await site.rows(JOINED), await site.rows(STEPS)))


async def problems(site: Running) -> set[str]:
    """Name what does not agree."""
    return set(await _printed(site, "problems"))


async def _printed(site: Running, part: str) -> Any:
    """Return what a part of this module prints about the database of a site."""
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "tests.faults.company", part],
        cwd=ROOT,
        env=os.environ | {"FUEL_DATABASE_URL": site.database_url, "FUEL_RATE_LIMITS": "off"},
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


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


async def _make() -> list[dict[str, Any]]:
    """Let people sign up, start plans and book, up to yesterday evening. Return who comes."""
    now = clock.now()
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
    crowd = [await _who(CUSTOMER, routes.DASHBOARD, each.id) for each in come]
    crowd += [await _who(TECHNICIAN, routes.DRIVE, each.person_id) for each in company.technicians]
    return [asdict(each) for each in (*crowd, *[Who(NEWCOMER)] * VISITORS)]


async def _who(kind: str, path: str, person_id: str) -> Who:
    return Who(kind, path, f"{COOKIE}={await cookie_for(person_id)}")


async def _due() -> dict[str, list[str]]:
    """Let money become due. Return of what, by kind."""
    today = day_of(clock.now())
    booked = await rows(StoredBooking, state="booked")
    near = [each for each in booked if day_of(each.starts_at) == today]
    far = [each.id for each in booked if day_of(each.starts_at) == today + timedelta(days=AHEAD)]
    for each in near:
        await fill_records.complete_booking(STAFF, each.id, each.revision, FILLED, confirmed=True)
    plans = await rows(Subscription, state="active")
    async with transaction() as session:
        await _run_now(session, col(StoredJob.kind) == fill_invoices.OPEN_JOB)
        first = col(StoredJob.key).like("%:first")
        await _run_now(session, (col(StoredJob.kind) == authorizations.AUTHORIZE) & first)
        await jobs.enqueue(session, "billing.renew_plans")
    renewed = [each.person_id for each in plans if each.period_ends <= today]
    return {FILL: [each.id for each in near], HOLD: far, RENEWAL: renewed}


async def _run_now(session: AsyncSession, which: Any) -> None:
    waiting = update(StoredJob).where(which, col(StoredJob.ended_at).is_(None))
    await session.execute(waiting.values(run_at=clock.now()))


async def _problems() -> list[str]:
    return await checks.problems(SEATS)


if __name__ == "__main__":
    write({"make": _make, "due": _due, "problems": _problems}[sys.argv[1]])
