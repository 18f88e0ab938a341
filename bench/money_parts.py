"""One process of the benchmark of money: `python -m bench.money_parts make`, or another part."""

import asyncio
import json
import random
import sys
from collections import Counter
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
import uvloop
from sqlmodel import col

import fuel_app.fuel_app  # noqa: F401 (every table, job and consequence)
from bench import QUICK
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in.objects import add_card
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.rules.invoices import PAID, RENEWAL
from fuel_app.billing.tables import Payer, StandInObject, StoredInvoice
from fuel_app.customers.tables import StoredVehicle
from fuel_app.kit import clock, jobs
from fuel_app.kit.clock import months_later
from fuel_app.kit.db.session import engine, reading, transaction
from fuel_app.kit.db.tables import metadata
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.jobs.worker import WORKER
from fuel_app.plans.tables import LedgerEntry, Subscription
from fuel_app.server import logs, site
from tests.faults import kills, money_cases
from tests.helpers.booking_crowd import prepare
from tests.helpers.bookings import NOW
from tests.helpers.books import books
from tests.helpers.webhook_history import Deliveries, history

SUBSCRIPTIONS = 1_000 if QUICK else 10_000
ANSWERS_IN = timedelta(milliseconds=300)
STORIES = 1 if QUICK else 20  # each of eight
_CHUNK = 500


async def _tables() -> None:
    async with engine().begin() as connection:
        await connection.run_sync(metadata.create_all)


async def make() -> dict[str, Any]:
    """Store subscriptions that are due today, with cards; and the job that renews them."""
    await _tables()
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
    return {}


async def _give_cards() -> None:
    """Give each a card of the stand-in, all like one that was made by its own calls."""
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
            theirs, method = f"cus_{number}", f"pm_{number}"
            objects += [_like(customer, theirs), _like(card, method, customer=theirs)]
            payer = Payer(key=f"person:{person_id}", person_id=person_id, provider_id=theirs)
            payer.card_id, payer.card_last4, payer.card_brand = method, "4242", "visa"
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


async def look() -> None:
    """Print how many are paid and how many renewals are left to do, each time a line comes."""
    paid = sa.select(sa.func.count()).select_from(StoredInvoice)
    paid = paid.where(col(StoredInvoice.kind) == RENEWAL, col(StoredInvoice.state) == PAID)
    left = sa.select(sa.func.count()).select_from(StoredJob)
    left = left.where(col(StoredJob.ended_at).is_(None), col(StoredJob.kind) == "billing.renew")
    for _ in iter(sys.stdin.readline, ""):
        async with reading() as session:
            print(json.dumps([await session.scalar(paid), await session.scalar(left)]), flush=True)


async def check() -> dict[str, Any]:
    """Return what is wrong afterwards."""
    found = await books()
    per_period = Counter((each.payer_id, each.period) for each in found.invoices)
    charged = Counter(each.invoice_id for each in found.payments if each.captured_cents)
    intents = found.of("payment_intent").values()
    return {
        "invoices": len(found.invoices),
        "doubled": sum(count - 1 for count in per_period.values()),
        "not charged once": sum(charged[each.id] != 1 for each in found.invoices),
        "at the provider": sum(each["status"] == "succeeded" for each in intents),
        "problems": [*found.problems(), *found.unfinished()][:5],
    }


async def in_order() -> list[dict[str, Any]]:
    """Return how customers' money stands after webhooks that came once and in order."""
    await _tables()
    return await history(Deliveries(), STORIES)


async def shuffled() -> list[dict[str, Any]]:
    """Return the same after webhooks that came five times each and in any order."""
    await _tables()
    return await history(Deliveries(random.Random(17)), STORIES)


async def fill() -> dict[str, Any]:
    """Hold 33 gallons' worth, and fill 34. Return what was received, and the invoice's total."""
    await _tables()
    kills.set_clock(NOW)
    context = await money_cases.booker()
    async with transaction() as session:
        await session.execute(sa.update(StoredVehicle).values(tank_tenths=300))
    await money_cases.book(context)
    await kills.work(NOW + timedelta(hours=9))
    kills.set_clock(NOW + money_cases.WINDOW)
    await money_cases.complete(context, "34")
    await kills.work(NOW + money_cases.WINDOW + timedelta(hours=1))
    found = await books()
    [invoice] = found.invoices
    return {
        "total": invoice.total_cents,
        "state": invoice.state,
        "received": [each.captured_cents for each in found.payments],
        "problems": [*found.problems(), *found.unfinished()],
    }


PARTS = {part.__name__: part for part in (make, work, look, check, in_order, shuffled, fill)}

if __name__ == "__main__":
    logs.set_up()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:  # as the server has it
        print(json.dumps(runner.run(PARTS[sys.argv[1]]())), flush=True)
