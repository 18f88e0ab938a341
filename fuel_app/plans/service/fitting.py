"""Fitting the ledger to a plan that has changed, while its subscription is locked."""

from collections.abc import Mapping, Sequence
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.accounts.rules import SYSTEM
from fuel_app.plans import queries
from fuel_app.plans.queries import BalanceKey
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
from fuel_app.plans.tables import LedgerEntry


async def fit(
    session: AsyncSession,
    subscriptions: Mapping[str, SubscriptionInfo],
    claims: Sequence[Claim] = (),
) -> dict[str, date | None]:
    """Grant and expire fills, release and reserve them, until all is as the plans have it.

    Where the next period has become too small the latest bookings lose their fill.

    The transaction has locked the subscriptions and the claims, which come the soonest first.
    Return the period that each booking takes its fill from; None where none is left.
    """
    ids = [each.booking_id for each in claims]
    held = await queries.reservations(session, ids) if ids else {}
    grants = {
        each.booking_id: grant_of(subscriptions[each.person_id], each.bucket, each.day)
        for each in claims
    }

    async def release(booking_id: str) -> None:
        _, number = held[booking_id]
        await ledger.release(session, booking_id, f"fit:{number}", SYSTEM)
        held[booking_id] = None, number + 1

    for booking_id, (where, _) in list(held.items()):
        grant = grants[booking_id]
        if where and (grant is None or grant.balance_key != where):
            await release(booking_id)
    changes = []
    for here, stock in await _stocks(session, subscriptions):
        fills = fills_of(subscriptions[here[0]], stock.bucket, stock.period)
        change, left = stock.change_to(fills), stock.balance
        for booking_id in reversed(ids):
            if left + change < 0 and booking_id in held and held[booking_id][0] == here:
                await release(booking_id)
                left += 1
        changes += _change(here, stock, max(change, -left))
    await queries.add_entries(session, changes)
    covered: dict[str, date | None] = {}
    for booking_id, grant in grants.items():
        where, number = held.get(booking_id, (None, 0))
        if grant and not where:
            wanted = Reservation(grant, booking_id, f"fit:{number}", str(SYSTEM))
            where = grant.balance_key if await _reserves(session, wanted) else None
        covered[booking_id] = where[1] if where else None
    return covered


async def _stocks(
    session: AsyncSession, subscriptions: Mapping[str, SubscriptionInfo]
) -> list[tuple[BalanceKey, Stock]]:
    """Return what is stored; each current period is among it, even if nothing was granted yet."""
    starts = {
        person_id: each.periods[0][0].starts if each.periods else date.max
        for person_id, each in subscriptions.items()
    }
    found = []
    for person_id, stocks in (await queries.stocks(session, starts)).items():
        day = starts[person_id]
        if day < date.max and (day, PLAN) not in [(each.period, each.bucket) for each in stocks]:
            stocks.append(Stock(day, PLAN))
        found += [((person_id, each.period, each.bucket), each) for each in stocks]
    return found


def _change(here: BalanceKey, stock: Stock, fills: int) -> list[LedgerEntry]:
    """Return the entry that grants or expires fills of a balance, if any."""
    person_id, period, bucket = here
    if fills > 0:
        again = f":{stock.number}" if stock.number else ""
        key = f"{grant_key(person_id, bucket, period)}{again}"
        return [ledger.entry_of(here, key, GRANTED, fills)]
    if fills < 0:
        key = f"expire:{person_id}:{period}:{bucket}:{stock.number}"
        return [ledger.entry_of(here, key, EXPIRED, fills)]
    return []


async def _reserves(session: AsyncSession, wanted: Reservation) -> bool:
    try:
        await ledger.reserve(session, [wanted])
    except NoFillsLeft:
        return False
    return True


async def roll_over(
    session: AsyncSession, changes: Sequence[tuple[SubscriptionInfo, SubscriptionInfo]]
) -> None:
    """Move the unused fills that plans roll over from their period to the one begun now.

    Each change is a subscription before and after.
    """
    moves: dict[BalanceKey, tuple[BalanceKey, int]] = {}
    for before, after in changes:
        if not before.periods or not after.periods:
            continue
        (former, plan), (period, _) = before.periods[0], after.periods[0]
        if former.starts != period.starts and plan.rolls_over:
            out, into = [(before.person_id, each.starts, PLAN) for each in (former, period)]
            moves[out] = into, plan.rolls_over
    entries = []
    stored = await queries.balances(session, moves) if moves else {}
    for out, (*_, left) in stored.items():
        into, most = moves[out]
        if fills := min(most, left):
            key = f"roll:{out[0]}:{out[1]}:{into[1]}"
            entries.append(ledger.entry_of(out, f"{key}:out", ROLLED, -fills))
            entries.append(ledger.entry_of(into, key, ROLLED, fills))
    await queries.add_entries(session, entries)
