"""Concurrent bookings in batches: those that wait for a transaction share the next one.

A booking takes about twenty statements, fifty take hardly more: docs/decisions/bookings.md.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from fuel_app.bookings.queries import bookings as queries
from fuel_app.bookings.rules.bookings import NeedsCard, NeedsVerifiedEmail, SlotClosed
from fuel_app.bookings.rules.estimates import FreeFillUsed, PriceChanged
from fuel_app.bookings.rules.states import FREE_FILL
from fuel_app.bookings.service import estimating, storing
from fuel_app.bookings.service.estimating import Order
from fuel_app.bookings.service.lookups import BookingRequest
from fuel_app.bookings.service.storing import NewBooking, Ready, row_of
from fuel_app.bookings.tables import StoredBooking
from fuel_app.kit import background, clock
from fuel_app.kit.db.session import transaction
from fuel_app.kit.errors import Refusal
from fuel_app.kit.signals import BOOKINGS, signals

BATCH_MAX = 50
DEADLOCK = "40P01"  # PostgreSQL's code


@dataclass(eq=False, slots=True)
class _Waiting:
    """A booking that waits for its outcome."""

    new: NewBooking
    asked: BookingRequest
    outcome: asyncio.Future[StoredBooking]

    def settle(self, outcome: StoredBooking | Exception) -> None:
        if self.outcome.done():  # its tab has closed
            return
        if isinstance(outcome, Exception):
            self.outcome.set_exception(outcome)
        else:
            self.outcome.set_result(outcome)


@dataclass(slots=True)
class _Queue:
    """The bookings of this process that wait, and whether they are being worked on."""

    waiting: list[_Waiting] = field(default_factory=list)
    is_running: bool = False

    def next_batch(self) -> list[_Waiting]:
        """Take the next bookings, one of each customer; drop those whose tab has closed."""
        there = [each for each in self.waiting if not each.outcome.done()]
        firsts: dict[str, _Waiting] = {}
        for each in there:
            firsts.setdefault(each.new.person_id or each.new.key, each)
        batch = list(firsts.values())[:BATCH_MAX]
        self.waiting = [each for each in there if each not in batch]
        return batch

    async def run(self) -> None:
        """Book what waits, batch by batch, until nothing does."""
        try:
            while batch := self.next_batch():
                await _book(batch)
                background.start(signals().publish(BOOKINGS))
        finally:
            self.is_running = False


_QUEUE = _Queue()


async def book(new: NewBooking, asked: BookingRequest) -> StoredBooking:
    """Store a booking together with those that wait beside it. A known key returns its booking.

    Raises:
        PriceChanged
        Refusal: Nothing is stored.
    """
    outcome = asyncio.get_running_loop().create_future()
    _QUEUE.waiting.append(_Waiting(new, asked, outcome))
    if not _QUEUE.is_running:
        _QUEUE.is_running = True
        background.start(_QUEUE.run())
    return await outcome


async def _book(batch: Sequence[_Waiting]) -> None:
    """Bring each booking its outcome. An outage is one for all; any other error is one's own."""
    while left := [each for each in batch if not each.outcome.done()]:
        try:
            await _book_once(left)
        except Exception as raised:
            error = raised
        else:
            continue
        if len(left) == 1 or _is_outage(error):
            for each in left:
                each.settle(error)
        else:
            for each in left:
                await _book([each])


def _is_outage(error: Exception) -> bool:
    """Return whether an error is none that a single booking may have caused."""
    if isinstance(error, DBAPIError):
        is_deadlock = getattr(error.orig, "sqlstate", "") == DEADLOCK
        return not is_deadlock and not isinstance(error, (IntegrityError, DataError))
    return isinstance(error, OSError)  # a timeout is one, too


async def _book_once(batch: Sequence[_Waiting]) -> None:
    """Try to store bookings in one transaction; those that need another one have no outcome yet."""
    async with transaction() as session:
        asked = [each.asked for each in batch]
        orders = await estimating.orders(session, asked, clock.now(), lock=True)
        known = await queries.by_keys(session, [each.new.key for each in batch])
        outcomes: list[StoredBooking | Refusal | Ready | None] = [
            known.get(each.new.key) or _check(each, order)
            for each, order in zip(batch, orders, strict=True)
        ]
        ready = [each for each in outcomes if isinstance(each, Ready)]
        stored = iter(await storing.store(session, ready))
        outcomes = [next(stored) if isinstance(each, Ready) else each for each in outcomes]
    for each, outcome in zip(batch, outcomes, strict=True):
        if isinstance(outcome, (StoredBooking, Refusal)):
            each.settle(outcome)


def _check(each: _Waiting, order: Order | Refusal) -> Ready | Refusal:
    """Return what is ready to be stored, or why it is not."""
    if isinstance(order, Refusal):
        return order
    estimate, seen = order.estimate, each.asked.seen
    if seen is None or estimate.terms != seen.terms:
        had_free = seen and seen.pays_by == FREE_FILL != estimate.pays_by
        return FreeFillUsed(estimate) if had_free else PriceChanged(estimate)
    if order.slot is None:
        return SlotClosed()
    if order.customer and not order.customer.email_verified:
        return NeedsVerifiedEmail()
    if order.customer and not order.customer.has_card:
        return NeedsCard()
    return Ready(each.new, order, row_of(each.new, order, order.slot))
