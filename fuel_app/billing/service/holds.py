"""Holds: what is authorised on a card for a booked fill, until it is captured or released."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.providers import stripe
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.fills import Whose
from fuel_app.billing.rules.payments import HOLD, OPEN_STATES, Payment
from fuel_app.billing.service import payers, paying
from fuel_app.billing.tables import Payer
from fuel_app.kit import jobs
from fuel_app.kit.db.rows import get_row
from fuel_app.kit.jobs import NewJob
from fuel_app.kit.money import Money

RELEASE = "billing.release"


async def payer_of(session: AsyncSession, whose: Whose) -> Payer:
    if whose.payer_id:
        return await get_row(session, Payer, whose.payer_id)
    return await payers.of_person(session, whose.person_id or "")


async def begin(session: AsyncSession, key: str, whose: Whose, amount: Money) -> Payment:
    """Return the live hold of this revision of a locked booking, else begin one with this key.

    The caller performs it, in a job. Holds of former revisions are being released. The key is
    'hold:<booking>:<revision>:<name of the try>'.
    """
    revision = key.rpartition(":")[0]
    for row in await queries.holds_of(session, whose.booking_id, *OPEN_STATES):
        if row.key.startswith(f"{revision}:"):
            return paying.payment_of(row)
    payer = await payer_of(session, whose)
    new = paying.new_payment(key, HOLD, payer, amount, booking_id=whose.booking_id)
    return paying.payment_of(await paying.begin(session, new))


async def release(session: AsyncSession, booking_id: str) -> None:
    """Release what is held for a booking, by jobs after the commit."""
    live = await queries.holds_of(session, booking_id, *OPEN_STATES)
    new = (NewJob(RELEASE, {"id": row.id}, f"{RELEASE}:{row.id}") for row in live)
    await jobs.enqueue_all(session, list(new))


async def perform(payment_id: str) -> Payment:
    """Ask for a hold, and return what has become of it.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    payment = await paying.perform(payment_id)
    if payment.is_pending:
        raise stripe.Unavailable(payment_id)
    return payment


async def release_now(payment_id: str) -> None:
    """Release a hold, whose outcome may not be known yet.

    Raises:
        stripe.Unavailable: If the outcome is not known.
    """
    await perform(payment_id)
    await paying.release(payment_id)


async def last_of(session: AsyncSession, booking_ids: Collection[str]) -> dict[str, Payment]:
    """Return the last hold of bookings, by booking."""
    rows = await queries.last_holds(session, booking_ids)
    return {booking_id: paying.payment_of(row) for booking_id, row in rows.items()}


async def declined_of(session: AsyncSession, payer_id: str, since: datetime) -> set[str]:
    """Return the bookings of a payer for which a hold was declined, even if not the last one."""
    return await queries.declined_of(session, payer_id, since)
