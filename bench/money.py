"""10,000 renewals with a provider that answers in 300 ms; workers killed in the middle."""

import asyncio
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

import fuel_app.fuel_app  # noqa: F401 (every table and job)
from bench import QUICK, apart
from bench.report import Figure
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in.objects import add_card
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.tables import Payer, StandInObject
from fuel_app.kit import clock, jobs
from fuel_app.kit.clock import months_later
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs.worker import WORKER
from fuel_app.plans.tables import LedgerEntry, Subscription
from fuel_app.server import logs, site
from tests.faults.running import Running
from tests.helpers.booking_crowd import prepare
from tests.helpers.books import books
from tests.waiting import comes_true

SUBSCRIPTIONS = 1_000 if QUICK else 10_000
ANSWERS_IN = timedelta(milliseconds=300)
TIMEOUT_S = 1_200
_PAID = "SELECT count(*) FROM invoices WHERE kind = 'renewal' AND state = 'paid'"
_LEFT = "SELECT count(*) FROM jobs WHERE kind = 'billing.renew' AND ended_at IS NULL"
_CHUNK = 500


def measure() -> list[Figure]:
    return [figure for name in apart.DATABASES for figure in _renewals(name)]


def _renewals(name: str) -> Iterator[Figure]:
    what = f"{SUBSCRIPTIONS:,} renewals, killed in the middle, on {name}"
    with apart.DATABASES[name]() as url, ExitStack() as stack:  # the processes end first
        apart.run("bench.money", "make", url=url)
        started = time.perf_counter()
        for paid, left in ((SUBSCRIPTIONS // 2, SUBSCRIPTIONS), (SUBSCRIPTIONS, 0)):
            workers = [
                apart.start("bench.money", "work", url=url, output=subprocess.DEVNULL)
                for _ in range(apart.PROCESSES[name])
            ]
            for each in workers:
                stack.callback(each.kill)
            asyncio.run(_until(url, paid, left))
            took = time.perf_counter() - started
            _kill(workers)
        wrong = apart.run("bench.money", "check", url=url)
    print(name, f"{took:.0f} s", wrong, file=sys.stderr)
    yield Figure(f"{what}: all charged", "s", [took], "<= 300")
    for count in ("periods not invoiced once", "not charged once"):
        yield Figure(f"{what}: {count}", "", [wrong[count]], "<= 0")
    yield Figure(f"{what}: sums that differ", "", [len(wrong["problems"])], "<= 0")


def _kill(workers: list[subprocess.Popen[str]]) -> None:
    for each in workers:
        each.kill()
        each.wait()


async def _until(url: str, paid: int, left: int) -> None:
    """Wait until so many invoices are paid and at most so many renewals are left to do."""
    database = Running([], url)

    async def reached() -> bool:
        ((is_paid,),), ((is_left,),) = await database.rows(_PAID), await database.rows(_LEFT)
        return is_paid >= paid and is_left <= left

    assert await comes_true(reached, within=TIMEOUT_S, pause_s=0.2)


async def make() -> None:
    """Store subscriptions that are due today, with cards; and the job that renews them."""
    await apart.create_tables()
    await prepare(SUBSCRIPTIONS, {}, "family")
    today = clock.day_of(clock.now())
    former = months_later(today, -1)
    async with transaction() as session:
        period = {"anchor": former, "period_starts": former, "period_ends": today}
        await session.execute(sa.update(Subscription).values(**period))
        key = sa.func.replace(col(LedgerEntry.key), str(today), str(former))
        await session.execute(sa.update(LedgerEntry).values(period=former, key=key))
    await _give_cards()
    async with transaction() as session:
        await jobs.enqueue(session, "billing.renew_plans")


async def _give_cards() -> None:
    """Give each customer a card of the stand-in, all like one that was made by its own calls."""
    customer_id = await stripe.create_customer("first", name="Ada", email="ada@example.com")
    card_id = await add_card(customer_id)
    async with reading() as session:
        customer, card = [
            (await session.get_one(StandInObject, each)).model_dump()
            for each in (customer_id, card_id)
        ]
        people = list(await session.scalars(sa.select(col(Subscription.person_id))))
    async with transaction() as session:
        await session.execute(sa.delete(Payer))  # with cards that the stand-in does not know
    for start in range(0, len(people), _CHUNK):
        payers, objects = [], []
        for number, person_id in enumerate(people[start : start + _CHUNK], start):
            own_id, own_card = f"cus_{number}", f"pm_{number}"
            objects += [_like(customer, own_id), _like(card, own_card, customer=own_id)]
            payer = Payer(key=f"person:{person_id}", person_id=person_id, provider_id=own_id)
            payer.card_id, payer.card_last4, payer.card_brand = own_card, "4242", "visa"
            payers.append(payer.model_dump())
        async with transaction() as session:
            await session.execute(sa.insert(StandInObject), objects)
            await session.execute(sa.insert(Payer), payers)


def _like(row: dict[str, Any], row_id: str, **differs: Any) -> dict[str, Any]:
    return row | {"id": row_id, "body": row["body"] | {"id": row_id} | differs}


async def work() -> None:
    """Run a worker as the site does, with a provider that takes its time, until it is killed."""
    faults().delay = ANSWERS_IN
    await site.tune()
    await WORKER.run()


async def check() -> dict[str, Any]:
    """Return how much is wrong afterwards."""
    stored = await books()
    per_period = Counter((each.payer_id, each.period) for each in stored.invoices)
    doubled = sum(count - 1 for count in per_period.values())
    charged = Counter(each.invoice_id for each in stored.payments if each.captured_cents)
    intents = stored.of("payment_intent").values()
    at_provider = sum(each["status"] == "succeeded" for each in intents)
    not_once = sum(charged[each.id] != 1 for each in stored.invoices)
    return {
        "periods not invoiced once": abs(SUBSCRIPTIONS - len(stored.invoices)) + doubled,
        "not charged once": not_once + abs(SUBSCRIPTIONS - at_provider),
        "problems": [*stored.problems(), *stored.unfinished()][:5],
    }


if __name__ == "__main__":
    logs.set_up()
    apart.answer({part.__name__: part for part in (make, work, check)}, sys.argv[1])
