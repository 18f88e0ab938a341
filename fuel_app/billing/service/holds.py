"""Holds: what is authorised on a card for a booked fill, until it is captured or released."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.providers import stripe
from fuel_app.billing.queries import invoices as queries
from fuel_app.billing.rules.fills import Whose
from fuel_app.billing.rules.payments import HOLD, HOSTED, NEW, OPEN_STATES, Payment, PaymentPending
from fuel_app.billing.service import hosted, payers, paying
from fuel_app.billing.tables import CardSetup, Payer, StoredPayment
from fuel_app.kit import jobs
from fuel_app.kit.db.rows import get_row
from fuel_app.kit.db.session import transaction
from fuel_app.kit.jobs import NewJob
from fuel_app.kit.money import Money

RELEASE = "billing.release"


async def payer_of(session: AsyncSession, whose: Whose) -> Payer:
    if whose.payer_id:
        return await get_row(session, Payer, whose.payer_id)
    return await payers.of_person(session, whose.person_id or "")


async def begin(
    session: AsyncSession, key: str, whose: Whose, amount: Money, *, since: int
) -> Payment:
    """Return the live hold of a locked booking, else begin one with this key.

    The caller performs it, in a job.

    Args:
        key: 'hold:<booking>:<revision>:<name of the try>'.
        since: The revision by which the booking was last planned; holds of former ones are being
            released. Steps in between, such as publishing a route, keep the hold.
    """
    for row in await queries.holds_of(session, whose.booking_id, *OPEN_STATES):
        if _revision_in(row.key) >= since:
            return paying.payment_of(row)
    payer = await payer_of(session, whose)
    new = paying.new_payment(key, HOLD, payer, amount, booking_id=whose.booking_id)
    return paying.payment_of(await paying.begin(session, new))


def _revision_in(key: str) -> int:
    """Return the revision of the booking for which a hold was begun."""
    return int(key.split(":")[2])


async def begin_confirmation(
    session: AsyncSession, key: str, whose: Whose, amount: Money
) -> tuple[StoredPayment, Payer]:
    """Begin a hold of a locked booking that its customer confirms on the provider's page.

    The caller opens the page after the commit, and has ended former visits before.

    Raises:
        PaymentPending: If a hold is live, or begun by another tab.
    """
    if await queries.holds_of(session, whose.booking_id, *OPEN_STATES):
        raise PaymentPending
    payer = await payer_of(session, whose)
    new = paying.new_payment(key, HOSTED, payer, amount, booking_id=whose.booking_id)
    row = await paying.begin(session, new)
    await hosted.add_visit(session, CardSetup(id=row.id, payer_id=payer.id))
    return row, payer


async def end_visits(booking_id: str) -> None:
    """End visits to the provider's page that have not confirmed a hold of a booking yet.

    Raises:
        stripe.Unavailable: If the outcome of one is still open.
    """
    async with transaction() as session:
        live = await queries.holds_of(session, booking_id, NEW)
    for row in live:
        if row.kind == HOSTED and not await hosted.end(row.id):
            raise stripe.Unavailable(row.id)


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
    if payment.kind == HOSTED and payment.is_pending and await hosted.end(payment_id):
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
