"""Steps of technicians' phones, banks, and time."""

from datetime import timedelta
from random import Random

from sqlalchemy import select
from sqlmodel import col

from fuel_app.accounts.rules import Actor
from fuel_app.billing.providers.stand_in import objects
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.tables import Refund, StoredPayment
from fuel_app.bookings.rules.states import ARRIVED, DISPATCHED, EN_ROUTE, FUELING, REASONS
from fuel_app.dispatch.service import phones
from fuel_app.dispatch.tables import StoredShift, StoredStop
from fuel_app.kit import clock
from fuel_app.kit.db.session import reading
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.outcomes.service import webhooks
from tests.helpers import phone, stripe
from tests.helpers.people import rows
from tests.walk.company import Company, NothingToDo, action, pass_time

NEXT = {DISPATCHED: "drive", EN_ROUTE: "arrive", ARRIVED: "fuel", FUELING: "complete"}
WHOLE = ("drive", "arrive", "fuel", "photo", "complete")
STRANGE = ("back", "fail", "correct", "photo", "complete", "drive", "nonsense")


@action(12)
async def drive_on(company: Company, chance: Random) -> None:
    """Take the next step at a stop, or all that are left."""
    found = await company.booking(chance, *NEXT)
    whole = chance.random() < 0.5
    kinds = WHOLE[WHOLE.index(NEXT[found.state]) :] if whole else (NEXT[found.state],)
    await send(company, await whose(company, found.id), found.id, *kinds, chance=chance)


@action(2)
async def do_something_else(company: Company, chance: Random) -> None:
    """Take any step at any booking, by any technician."""
    found = await company.booking(chance)
    kinds = chance.choices(STRANGE, k=chance.randrange(1, 3))
    await send(company, chance.choice(company.technicians), found.id, *kinds, chance=chance)


@action()
async def send_again(company: Company, chance: Random) -> None:
    """Send batches of a phone again: each of their actions has happened once."""
    if not company.sent:
        raise NothingToDo
    by, batch = chance.choice(company.sent)
    await phones.receive_actions(by, by.person_id, batch)


async def whose(company: Company, booking_id: str) -> Actor:
    """Return the technician on whose route a booking is."""
    stops = await rows(StoredStop, booking_id=booking_id)
    if not stops:
        raise NothingToDo
    [shift] = await rows(StoredShift, id=stops[0].shift_id)
    return next(each for each in company.technicians if each.person_id == shift.technician_id)


async def send(company: Company, by: Actor, stop: str, *kinds: str, chance: Random) -> None:
    """Send steps at a stop, as a phone does that has a line."""
    end = f"{chance.choice([104, 109, 112])}.{chance.randrange(1000):03}"
    meter = phone.METER | {"meter_end": end, "ticket": f"T-{len(company.sent)}"}
    failed = {"reason": chance.choice(list(REASONS)), "note": "The gate was closed."}
    data = {"complete": meter, "correct": meter, "fail": failed}
    batch = [phone.action(kind, stop, data.get(kind)) for kind in kinds]
    company.sent.append((by, batch))
    await phones.receive_actions(by, by.person_id, batch)


@action(2)
async def repeat_webhooks(_company: Company, chance: Random) -> None:
    """Deliver events of the provider again, in any order."""
    known = select(StoredJob).where(col(StoredJob.kind) == objects.JOB).order_by(col(StoredJob.id))
    async with reading() as session:
        told = list(await session.scalars(known))
    if not told:
        raise NothingToDo
    for row in chance.choices(told[-40:], k=10):
        await webhooks.receive(*objects.signed(row.id, row.payload))


@action()
async def lose_answer(_company: Company, chance: Random) -> None:
    """Let the provider be down for a call, or its answer be lost."""
    fault = chance.choice(["lost", "down", "503"])
    faults().fail_next(fault, on=chance.choice(["payment_intents", "capture", "refunds"]))


@action()
async def return_refund(_company: Company, chance: Random) -> None:
    """Let the customer's bank send a refund back."""
    found = sorted(await rows(Refund, state="succeeded"), key=lambda each: each.created_at)
    if not found:
        raise NothingToDo
    await stripe.fail_refund(chance.choice(found).provider_id or "")


@action()
async def dispute(_company: Company, chance: Random) -> None:
    """Dispute a payment; the bank decides at once."""
    found = await rows(StoredPayment, state="succeeded", dispute="", refunded_cents=0)
    if not found or chance.random() < 0.7:
        raise NothingToDo
    payment = chance.choice(sorted(found, key=lambda each: each.created_at))
    dispute_id = await stripe.open_dispute(payment.provider_id or "")
    await stripe.close_dispute(dispute_id, chance.choice(["won", "lost"]))


@action(3)
async def hours_pass(_company: Company, chance: Random) -> None:
    await pass_time(timedelta(hours=chance.choice([1, 2, 3])))


@action(2)
async def next_morning(_company: Company, chance: Random) -> None:
    """Let it be a time of the next window, when technicians are on the road."""
    local = clock.now().astimezone(clock.NEW_YORK)
    until = local.replace(hour=chance.choice([8, 10, 14]), minute=5, second=0)
    until += timedelta(days=until <= local)
    await pass_time(until.astimezone(clock.UTC) - clock.now())


@action()
async def days_pass(_company: Company, chance: Random) -> None:
    await pass_time(timedelta(days=chance.choice([2, 5, 9])))
