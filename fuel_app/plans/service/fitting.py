"""Fitting the ledger to a plan that has changed, while its subscription is locked."""

from collections.abc import Sequence
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM
from fuel_app.plans import queries
from fuel_app.plans.rules.ledger import (
    EXPIRED,
    GRANTED,
    PLAN,
    ROLLED,
    Claim,
    NoFillsLeft,
    Reservation,
    Stock,
    fills_of,
    grant_key,
    grant_of,
)
from fuel_app.plans.rules.subscriptions import SubscriptionInfo
from fuel_app.plans.service import ledger


async def fit(
    session: AsyncSession, subscription: SubscriptionInfo, claims: Sequence[Claim] = ()
) -> dict[str, date | None]:
    """Grant and expire fills, release and reserve them, until all is as the plan has it.

    Where the next period has become too small the latest bookings lose their fill.

    Args:
        session: Of the transaction that has locked the subscription and the bookings.
        subscription: As it is by now.
        claims: The open bookings, the soonest first.

    Returns:
        The period that each booking takes its fill from; None where none is left.
    """
    ids = [each.booking_id for each in claims]
    held = await queries.reservations(session, ids) if ids else {}
    grants = {each.booking_id: grant_of(subscription, each.bucket, each.day) for each in claims}

    async def release(booking_id: str) -> None:
        _, number = held[booking_id]
        await ledger.release(session, booking_id, f"fit:{number}", SYSTEM)
        held[booking_id] = None, number + 1

    for booking_id, (where, _) in list(held.items()):
        grant = grants[booking_id]
        if where and (grant is None or grant.balance_key != where):
            await release(booking_id)
    for stock in await _stocks(session, subscription):
        here = subscription.person_id, stock.period, stock.bucket
        fills = fills_of(subscription, stock.bucket, stock.period)
        change, left = stock.change_to(fills), stock.balance
        for booking_id in reversed(ids):
            if left + change < 0 and booking_id in held and held[booking_id][0] == here:
                await release(booking_id)
                left += 1
        await _change(session, subscription.person_id, stock, max(change, -left))
    covered: dict[str, date | None] = {}
    for booking_id, grant in grants.items():
        where, number = held.get(booking_id, (None, 0))
        if grant and not where:
            wanted = Reservation(grant, booking_id, f"fit:{number}", str(SYSTEM))
            where = grant.balance_key if await _reserves(session, wanted) else None
        covered[booking_id] = where[1] if where else None
    return covered


async def _stocks(session: AsyncSession, subscription: SubscriptionInfo) -> list[Stock]:
    """Return what is stored; this period is among it, even if nothing was granted yet."""
    starts = [period.starts for period, _ in subscription.periods][:1]
    found = await queries.stocks(session, subscription.person_id, starts[0] if starts else date.max)
    known = {stock.period for stock in found if stock.bucket == PLAN}
    return [*found, *(Stock(day, PLAN) for day in starts if day not in known)]


async def _change(session: AsyncSession, person_id: str, stock: Stock, fills: int) -> None:
    where = {"person_id": person_id, "period": stock.period, "bucket": stock.bucket}
    if fills > 0:
        again = f":{stock.number}" if stock.number else ""
        key = f"{grant_key(person_id, stock.bucket, stock.period)}{again}"
        await ledger.add(session, SYSTEM, key, GRANTED, fills, **where)
    if fills < 0:
        key = f"expire:{person_id}:{stock.period}:{stock.bucket}:{stock.number}"
        await ledger.add(session, SYSTEM, key, EXPIRED, fills, **where)


async def _reserves(session: AsyncSession, wanted: Reservation) -> bool:
    try:
        await ledger.reserve(session, [wanted])
    except NoFillsLeft:
        return False
    return True


async def roll_over(
    session: AsyncSession, before: SubscriptionInfo, after: SubscriptionInfo
) -> None:
    """Move the unused fills that a plan rolls over from its period to the one begun now."""
    if not before.periods or not after.periods:
        return
    (former, plan), (period, _) = before.periods[0], after.periods[0]
    if former.starts == period.starts or not plan.rolls_over:
        return
    person_id = before.person_id
    stocks = await queries.stocks(session, person_id, former.starts)
    here = former.starts, PLAN
    left = next((each.balance for each in stocks if (each.period, each.bucket) == here), 0)
    if fills := min(plan.rolls_over, left):
        key = f"roll:{person_id}:{former.starts}:{period.starts}"
        where = {"person_id": person_id, "bucket": PLAN}
        out = where | {"period": former.starts}
        await ledger.add(session, SYSTEM, f"{key}:out", ROLLED, -fills, **out)
        await ledger.add(session, SYSTEM, key, ROLLED, fills, **where, period=period.starts)
