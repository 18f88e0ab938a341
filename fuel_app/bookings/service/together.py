"""Bookings that are asked for at the same moment, stored in one transaction.

One booking is about twenty statements, many are hardly more: see docs/decisions/bookings.md.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from fuel_app.bookings.rules.bookings import NeedsCard, NeedsVerifiedEmail, SlotClosed
from fuel_app.bookings.rules.estimates import PriceChanged
from fuel_app.bookings.service import estimating, storing
from fuel_app.bookings.service.estimating import Order
from fuel_app.bookings.service.known import Asked
from fuel_app.bookings.service.storing import NewBooking, Wanted
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit import clock
from fuel_app.kit.db import session as database
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.signals import BOOKINGS, signals

MOST = 50  # bookings of one transaction


@dataclass(eq=False, slots=True)
class Press:
    """One press of 'Schedule Service', and what came of it."""

    new: NewBooking
    asked: Asked
    outcome: StoredBooking | Exception | None = None


@dataclass(slots=True)
class _Line:
    """The presses of this process that wait for the transaction of those before them."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: list[Press] = field(default_factory=list)

    def next_batch(self, first: Press) -> list[Press]:
        """Take the next presses out of the line, of each customer one."""
        by_customer = {first.new.person_id or first.new.key: first}
        for press in self.waiting:
            by_customer.setdefault(press.new.person_id or press.new.key, press)
        batch = list(by_customer.values())[:MOST]
        self.waiting = [press for press in self.waiting if press not in batch]
        return batch


@cache
def _line(_engine: AsyncEngine) -> _Line:
    return _Line()


async def book(new: NewBooking, asked: Asked) -> StoredBooking:
    """Store a booking together with those that wait beside it.

    Raises:
        PriceChanged
        Refusal, IntegrityError: Nothing is stored, or it was by an earlier press with this key.
    """
    press, line = Press(new, asked), _line(database.engine())
    line.waiting.append(press)
    batch: list[Press] = []
    try:
        async with line.turn:
            if press.outcome is None:  # else the turn of another has brought it
                batch = line.next_batch(press)
                await _settle(batch)
    finally:  # a tab that is closed in its turn leaves the others of its batch waiting
        left = [*batch, *line.waiting]
        line.waiting = [other for other in left if other is not press and other.outcome is None]
    if isinstance(press.outcome, StoredBooking):
        return press.outcome
    raise press.outcome or SlotClosed


async def _settle(batch: Sequence[Press]) -> None:
    """Bring each press its outcome; an outage is one for all."""
    try:
        await _book(batch)
    except Exception as error:
        for press in batch:
            press.outcome = press.outcome or error
    if any(isinstance(press.outcome, StoredBooking) for press in batch):
        await signals().publish(BOOKINGS)


async def _book(batch: Sequence[Press]) -> None:
    while left := [press for press in batch if press.outcome is None]:
        try:
            await _book_once(left)
        except (Refusal, IntegrityError) as error:
            if len(left) == 1:
                left[0].outcome = error
            else:  # one of them cannot be stored, and the transaction is none by now
                for press in left:
                    await _book([press])


async def _book_once(presses: Sequence[Press]) -> None:
    """Try to store bookings in one transaction; those that need another keep no outcome."""
    async with transaction() as session:
        asked = [press.asked for press in presses]
        orders = await estimating.orders(session, asked, clock.now())
        checked = list(map(_check, presses, orders))
        wanted = [each for each in checked if not isinstance(each, Refusal)]
        stored = iter(await storing.store(session, wanted))
    for press, each in zip(presses, checked, strict=True):
        press.outcome = each if isinstance(each, Refusal) else next(stored)


def _check(press: Press, order: Order | Refusal) -> Wanted | Refusal:
    """Return what is to be stored, or why it cannot be."""
    if isinstance(order, Refusal):
        return order
    if not press.asked.seen or order.estimate.terms != press.asked.seen.terms:
        return PriceChanged(order.estimate)
    if order.slot is None:
        return SlotClosed()
    if order.customer and not order.customer.email_verified:
        return NeedsVerifiedEmail()
    if order.customer and not order.customer.has_card:
        return NeedsCard()
    return press.new, order, order.slot
