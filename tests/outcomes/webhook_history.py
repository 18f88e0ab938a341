"""A history of payments whose answers were lost, told by webhooks in any order and repetition."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import select, update
from sqlmodel import col

from fuel_app.accounts.rules import SYSTEM
from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in import objects
from fuel_app.billing.providers.stand_in.objects import WORKS
from fuel_app.billing.providers.stand_in.transport import faults
from fuel_app.billing.rules.invoices import FILL, Line
from fuel_app.billing.rules.payments import HOLD, PaymentDeclined, PaymentPending
from fuel_app.billing.service import invoices, payments
from fuel_app.billing.tables import Payer, Refund, StandInObject, StoredInvoice
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs import Job
from fuel_app.kit.jobs.registry import HANDLERS
from fuel_app.kit.jobs.tables import StoredJob
from fuel_app.kit.money import dollars
from fuel_app.outcomes import jobs as billing_jobs
from fuel_app.outcomes.service import charges, webhooks
from tests.faults.money_cases import give_card
from tests.helpers import plan_money
from tests.helpers import stripe as banks
from tests.helpers.books import Books, books

__all__ = ["billing_jobs"]

REPEATS = 5


@dataclass
class Deliveries:
    """Delivers events as they come, or, where there is a `chance`, in any order and repetition."""

    chance: random.Random | None = None
    _known: list[tuple[bytes, str]] = field(default_factory=list)

    async def __call__(self) -> None:
        new = await self._new()
        if not self.chance:
            await _hear(new)
            return
        self._known += new * REPEATS
        self.chance.shuffle(self._known)
        now = self.chance.randrange(len(self._known) + 1)
        await _hear(self._known[:now])
        del self._known[:now]

    async def rest(self) -> None:
        """Deliver what has not come yet."""
        await self()
        await _hear(self._known)

    async def _new(self) -> list[tuple[bytes, str]]:
        """Take the events that wait to be sent."""
        async with transaction() as session:
            waiting = (col(StoredJob.kind) == objects.JOB, col(StoredJob.ended_at).is_(None))
            rows = list(
                await session.scalars(select(StoredJob).where(*waiting).order_by(col(StoredJob.id)))
            )
            ended = {"ended_at": col(StoredJob.created_at), "outcome": "done"}
            await session.execute(update(StoredJob).where(*waiting).values(**ended))
        return [objects.signed(row.id, row.payload) for row in rows]


async def _hear(deliveries: list[tuple[bytes, str]]) -> None:
    """Receive events, and run the jobs that read their objects."""
    for body, signature in deliveries:
        await webhooks.receive(body, signature)
        waiting = (col(StoredJob.kind) == webhooks.WEBHOOK_JOB, col(StoredJob.ended_at).is_(None))
        async with reading() as session:
            rows = list(await session.scalars(select(StoredJob).where(*waiting)))
        for row in rows:
            await HANDLERS[webhooks.WEBHOOK_JOB].run(Job(row.id, row.kind, row.payload, 1))
            async with transaction() as session:
                done = update(StoredJob).where(col(StoredJob.id) == row.id)
                await session.execute(done.values(ended_at=row.created_at, outcome="done"))


async def _start(number: int, card: str = WORKS, *, lost: bool = False) -> str:
    person_id = await plan_money.a_customer(number)
    await give_card(person_id, card)
    if lost:
        faults().fail_next("lost", on="payment_intents")
    with suppress(PaymentPending, PaymentDeclined):
        await plan_money.start(person_id, "family")
    return person_id


async def _intent_of(person_id: str) -> str:
    async with reading() as session:
        payer = (await invoices.payers_of(session, [person_id]))[person_id]
        theirs = select(col(StandInObject.id)).where(
            col(StandInObject.owner) == payer.provider_id,
            col(StandInObject.kind) == "payment_intent",
        )
        return (await session.scalars(theirs)).one()


async def _refund(person_id: str, deliver: Deliveries, *, fails: bool) -> None:
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, person_id)
        theirs = select(StoredInvoice).where(col(StoredInvoice.payer_id) == payer.id)
        row = (await session.scalars(theirs.with_for_update())).one()
        about = {"reason": "Asked", "actor": SYSTEM, "key": f"r:{person_id}"}
        note = await payments.add_credit_note(session, row, dollars(10), payments.TO_CARD, **about)
        begun = select(Refund).where(col(Refund.credit_note_id) == note.id)
        refund = (await session.scalars(begun)).one()
    intent_id = await _intent_of(person_id)  # the process dies before it stores the answer
    made = await stripe.refund(refund.id, intent_id=intent_id, amount=dollars(10))
    await deliver()
    if fails:
        await banks.fail_refund(made.id)
        await deliver()


async def _hold(number: int) -> tuple[str, str]:
    """Hold an amount, whose answer is lost. Return the customer and the payment."""
    person_id = await plan_money.a_customer(number)
    await give_card(person_id)
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, person_id)
        about: dict[str, Any] = {"key": f"hold:{number}", "booking_id": f"{number:036}"}
        row = await payments.begin_payment(
            session, kind=HOLD, payer=payer, amount=dollars(80), **about
        )
    faults().fail_next("lost", on="payment_intents")
    with suppress(stripe.Unavailable):
        await charges.perform_payment(row.id)
    return person_id, row.id


async def _expired(number: int, deliver: Deliveries) -> None:
    person_id, _ = await _hold(number)
    await deliver()
    await banks.expire_hold(await _intent_of(person_id))


async def _captured(number: int, deliver: Deliveries) -> None:
    person_id, payment_id = await _hold(number)
    await deliver()
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, person_id)
        new = {"key": f"fill:{number}", "kind": FILL, "payer": payer, "booking_id": f"{number:036}"}
        lines = [Line("fuel", "Regular", dollars(70), 20_000, 3500)]
        row = await invoices.draft_invoice(session, lines=lines, **new)
        await invoices.open_invoice(session, row)
    await charges.perform_payment(
        payment_id
    )  # by its key, as the job would, where no webhook has come
    faults().fail_next("lost", on="capture")
    with suppress(stripe.Unavailable):
        await charges.settle_invoice(row.id, "first")


async def _disputed(number: int, deliver: Deliveries, status: str) -> None:
    person_id = await _start(number, lost=True)
    await deliver()
    dispute_id = await banks.open_dispute(await _intent_of(person_id))
    await deliver()
    await banks.close_dispute(dispute_id, status)


async def _returned(number: int, deliver: Deliveries, *, fails: bool) -> None:
    await _refund(await _start(number), deliver, fails=fails)


STORIES: tuple[Callable[[int, Deliveries], Awaitable[Any]], ...] = (
    lambda number, _: _start(number, lost=True),
    lambda number, _: _start(number, "insufficient_funds", lost=True),
    lambda number, deliver: _returned(number, deliver, fails=False),
    lambda number, deliver: _returned(number, deliver, fails=True),
    lambda number, deliver: _disputed(number, deliver, "won"),
    lambda number, deliver: _disputed(number, deliver, "lost"),
    _expired,
    _captured,
)


async def history(deliver: Deliveries, rounds: int = 1) -> list[dict[str, Any]]:
    """Let all stories happen. Return how each customer's money stands at the end."""
    for number in range(rounds * len(STORIES)):
        await STORIES[number % len(STORIES)](number, deliver)
        await deliver()
    await deliver.rest()
    found = await books()
    assert found.problems() == []
    return [_state(found, payer) for payer in sorted(found.payers, key=lambda each: each.id)]


def _state(found: Books, payer: Payer) -> dict[str, Any]:
    invoices = [each for each in found.invoices if each.payer_id == payer.id]
    payments = [each for each in found.payments if each.payer_id == payer.id]
    accounts: Counter[str] = Counter()
    for entry in found.journal:
        if entry.invoice_id in {each.id for each in invoices}:
            accounts[entry.debit] += entry.amount_cents
            accounts[entry.credit] -= entry.amount_cents
    own = {each.id for each in payments}
    plan = next(each for each in found.subscriptions if each.person_id == payer.person_id)
    return {
        "invoices": [(e.kind, e.state, e.paid_cents, e.refunded_cents) for e in invoices],
        "payments": [(e.state, e.captured_cents, e.refunded_cents, e.dispute) for e in payments],
        "refunds": sorted((e.amount_cents, e.state) for e in found.refunds if e.payment_id in own),
        "accounts": {name: cents for name, cents in accounts.items() if cents},
        "plan": plan.state,
        "fills": sum(e.fills for e in found.entries if e.person_id == payer.person_id),
        "problem": payer.card_problem,
    }
