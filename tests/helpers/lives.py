"""Random lives of customers with one car: what they book and pay, and all that is written."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from fuel_app.billing.providers import stripe
from fuel_app.billing.providers.stand_in.objects import LIMITED, TEST_CARDS, WORKS, add_card
from fuel_app.billing.service import invoices
from fuel_app.billing.tables import InvoiceLine, Payer, StoredInvoice, StoredPayment
from fuel_app.bookings.rules.states import OPEN_STATES, REASONS
from fuel_app.bookings.service import changes
from fuel_app.bookings.tables import BookingEvent, StoredBooking
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.money import dollars
from fuel_app.kit.outbox import Message
from fuel_app.plans.tables import LedgerEntry
from tests.helpers import fills, periods
from tests.helpers.bookings import (
    NOW,
    TODAY,
    Customer,
    a_customer,
    at,
    booked,
    offer_free_fills,
    slot,
)
from tests.helpers.people import rows

PLAN_IDS = ("solo", "family", "big-family")
CAPS = (None, dollars(20), dollars(50))
CARDS = sorted({*TEST_CARDS} - {LIMITED})  # those that there were before the table `fills`


@dataclass
class Life:
    """One customer, and how each step ended."""

    who: Customer
    area: str
    chance: Random
    monkeypatch: pytest.MonkeyPatch
    bookings: list[str]
    steps: list[str]

    async def tried(self, name: str, attempt: Any) -> Any:
        """Await a step; what is refused is noted."""
        try:
            done = await attempt
        except Refusal as refusal:
            self.steps.append(f"{name}: {type(refusal).__name__}")
            return None
        self.steps.append(name)
        return done

    async def open_ones(self) -> list[StoredBooking]:
        theirs = {row.id: row for row in await rows(StoredBooking)}
        return [theirs[each] for each in self.bookings if theirs[each].state in OPEN_STATES]


async def live(number: int, area: str, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Live a life by its number. Return all that it leaves."""
    chance = Random(number)
    at(monkeypatch, NOW)
    plan, state = chance.choice(PLAN_IDS), chance.choice(("active", "active", "incomplete"))
    who = await a_customer(number, plan=plan, state=state)
    life = Life(who, area, chance, monkeypatch, [], [])
    kind = WORKS if chance.random() < 0.85 else chance.choice(CARDS)
    await _add_card(who, number, kind)
    with monkeypatch.context() as patched:
        if chance.random() < 0.3:
            offer_free_fills(patched, chance.choice(CAPS))
        days = sorted(chance.sample(range(1, 7), chance.randint(1, 4)))
        for day in days:
            wanted = slot(area, day, chance.choice((8, 10, 12, 14)))
            if made := await life.tried("book", booked(who, wanted)):
                life.bookings.append(made.id)
    for _ in range(chance.randint(0, 3)):
        await _change(life)
    for row in sorted(await life.open_ones(), key=lambda each: each.starts_at):
        await _end(life, row)
    return await _left(life)


async def _add_card(who: Customer, number: int, kind: str) -> None:
    about = {"name": "Ada Lovelace", "email": f"person{number}@example.com"}
    customer_id = await stripe.create_customer(f"life-{number}", **about)
    card_id = await add_card(customer_id, kind)
    async with transaction() as session:
        payer = await invoices.payer_of_person(session, who.id, lock=True)
        payer.provider_id, payer.card_id = customer_id, card_id
        payer.card_last4, payer.card_fingerprint = TEST_CARDS[kind].last4, card_id


async def _change(life: Life) -> None:
    found = await life.open_ones()
    chance, kind = life.chance, life.chance.choice(("move", "cancel", "switch", "note"))
    if kind == "switch":
        plan = chance.choice(PLAN_IDS)
        await life.tried(f"switch {plan}", periods.switch(life.who.id, plan, TODAY))
        return
    if not found:
        return
    row = chance.choice(found)
    if kind == "move":
        wanted = slot(life.area, chance.randint(1, 9), chance.choice((8, 10, 12, 14)))
        await life.tried(kind, changes.move(life.who.actor, row.id, row.revision, wanted))
    elif kind == "note":
        given = {"notes": "Behind the house"}
        await life.tried(kind, changes.change_notes(life.who.actor, row.id, given))
    else:
        await _cancel(life, row.id)


async def _cancel(life: Life, booking_id: str) -> None:
    known = await fills.now_of(await _row(booking_id))
    fee = changes.allowed_changes(life.who.actor, known).late_fee
    await life.tried(
        f"cancel {fee}",
        changes.cancel(life.who.actor, booking_id, known.revision, seen_fee=fee),
    )


async def _row(booking_id: str) -> StoredBooking:
    [row] = await rows(StoredBooking, id=booking_id)
    return row


async def _end(life: Life, row: StoredBooking) -> None:
    """Let a booking end: filled and paid, cancelled late, or not filled."""
    chance, monkeypatch = life.chance, life.monkeypatch
    booking = await fills.now_of(row)
    if booking.asked_fee.cents and chance.random() < 0.5:
        choice = changes.choose_fee(life.who.actor, booking.id, booking.revision, booking.asked_fee)
        await life.tried("pay fee", choice)
        booking = await fills.now_of(row)
    await fills.authorized(monkeypatch, booking)
    fills.morning(monkeypatch, booking)
    await fills.run(fills.AUTHORIZE)
    booking = await fills.now_of(row)
    if booking.state not in OPEN_STATES:
        return
    way = chance.random()
    if way < 0.15:
        at(monkeypatch, booking.starts_at - timedelta(hours=1))
        await _cancel(life, row.id)
    elif way < 0.3:
        at(monkeypatch, booking.starts_at)
        there = await fills.change(booking, state="arrived")
        reason = chance.choice(sorted(REASONS))
        await life.tried(f"fail {reason}", fills.failed(there, reason, "Tried twice"))
        await fills.run(fills.OPEN_FILL, fills.RELEASE, fills.SETTLE)
    else:
        gallons = f"{chance.randrange(0, 19_000) / 1000:.3f}"
        ticket = f"T-{life.bookings.index(row.id)}"
        done = await life.tried(
            f"fill {gallons}", fills.filled(monkeypatch, booking, gallons, ticket=ticket)
        )
        if done and chance.random() < 0.3:
            again = f"{chance.randrange(0, 17_000) / 1000:.3f}"
            await life.tried(
                f"correct {again}", fills.filled(monkeypatch, done, again, ticket=ticket)
            )
        at(monkeypatch, booking.starts_at + timedelta(minutes=16))
        await fills.run(fills.OPEN_FILL, fills.RELEASE, fills.SETTLE)


async def _left(life: Life) -> list[str]:
    """Return all that a life has written, without ids."""
    person_id = life.who.id
    [payer] = await rows(Payer, person_id=person_id)
    bills = await rows(StoredInvoice, payer_id=payer.id)
    lines = await rows(InvoiceLine)
    events = await rows(BookingEvent)
    found = [
        *(f"step {each}" for each in life.steps),
        *_sorted(
            f"entry {each.bucket} {each.period} {each.kind} {each.fills:+d}"
            for each in await rows(LedgerEntry, person_id=person_id)
        ),
        *_sorted(
            f"invoice {each.kind} {each.state} {each.total_cents} paid {each.paid_cents}"
            f" waived {each.waived_cents}: "
            + ", ".join(
                f"{line.kind} {line.text} {line.amount_cents} {line.milligallons}"
                f" {line.price_mills}"
                for line in sorted(lines, key=lambda line: line.position)
                if line.invoice_id == each.id
            )
            for each in bills
        ),
        *_sorted(
            f"payment {each.kind} {each.state} {each.amount_cents} {each.captured_cents}"
            f" {each.refunded_cents} {each.code}"
            for each in await rows(StoredPayment, payer_id=payer.id)
        ),
        *_sorted(
            f"message {each.kind} {each.channel} {each.state} {_said(each.payload)}"
            for each in await rows(Message, person_id=person_id)
        ),
    ]
    for number, booking_id in enumerate(life.bookings):
        row = await _row(booking_id)
        steps = [each for each in events if each.booking_id == booking_id]
        steps.sort(key=lambda each: each.number or 0)
        told = ", ".join(f"{each.kind} {each.state} {each.note}".strip() for each in steps)
        found.append(f"booking {number} {row.state} {row.late_fee_cents} {row.reason}: {told}")
    return found


def _sorted(lines: Iterable[str]) -> list[str]:
    return sorted(lines)


def _said(payload: dict[str, Any]) -> str:
    """Return what a message says, without ids."""
    kept = {name: value for name, value in payload.items() if not _is_id(value)}
    return " ".join(f"{name}={kept[name]}" for name in sorted(kept))


def _is_id(value: object) -> bool:
    return isinstance(value, str) and len(value) == 36 and value.count("-") == 4
