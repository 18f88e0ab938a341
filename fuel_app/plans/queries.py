"""Queries on subscriptions and on the ledger of fills."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import Table, case, delete, func, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import insert_new
from fuel_app.kit.limits import Given
from fuel_app.plans.rules.ledger import (
    ADJUSTED,
    EXPIRED,
    GRANTED,
    OF_BOOKINGS,
    ROLLED,
    USED,
    NoFillsLeft,
    Stock,
)
from fuel_app.plans.rules.plans import ACTIVE, BY_ID, PAST_DUE, SubscriptionInfo
from fuel_app.plans.tables import LedgerEntry, Subscription

_person, _period = col(LedgerEntry.person_id), col(LedgerEntry.period)
_fills, _booking = col(LedgerEntry.fills), col(LedgerEntry.booking_id)
_fill = col(LedgerEntry.fill_id)
_kind = col(LedgerEntry.kind)
_ENTRIES: Table = LedgerEntry.__table__  # pyright: ignore[reportAttributeAccessIssue]
_KEY: tuple[Any, ...] = (_person, _period, col(LedgerEntry.bucket))

BalanceKey = tuple[str, date, str]  # person, period, bucket


@dataclass(frozen=True, slots=True)
class FillEntries:
    """The entries of one fill of a booking."""

    booking_id: str
    where: BalanceKey | None = None  # it is reserved; None if it is not, or is used
    entries: int = 0


def _sum_of(condition: Any) -> Any:
    return func.coalesce(func.sum(case((condition, _fills), else_=0)), 0)


async def subscriptions(
    session: AsyncSession, person_ids: Collection[str], *, lock: bool = False
) -> list[Subscription]:
    """Return people's subscriptions; `lock` keeps the rows until the commit."""
    asked = select(Subscription).where(col(Subscription.person_id).in_(person_ids))
    asked = asked.order_by(col(Subscription.person_id))
    asked = asked.with_for_update() if lock else asked
    return list(await session.scalars(asked, execution_options={"populate_existing": True}))


async def due(session: AsyncSession, day: date) -> list[str]:
    """Return the people whose active plan's period has ended by a day, or whose plan is unpaid."""
    state, ends = col(Subscription.state), col(Subscription.period_ends)
    is_due = or_((state == ACTIVE) & (ends <= day), state == PAST_DUE)
    people = select(col(Subscription.person_id)).where(is_due)
    return list(await session.scalars(people.order_by(col(Subscription.person_id))))


async def renewing(session: AsyncSession, first: date, last: date) -> list[SubscriptionInfo]:
    """Return the active plans that renew from `first` to `last`."""
    coming = select(Subscription).where(
        col(Subscription.state) == ACTIVE,
        col(Subscription.period_ends).between(first, last),
        col(Subscription.cancel_at_period_end).is_(False),
    )
    rows = await session.scalars(coming.order_by(col(Subscription.person_id)))
    return [info_of(row) for row in rows]


def info_of(row: Subscription) -> SubscriptionInfo:
    plan = BY_ID[row.plan_id]
    return SubscriptionInfo(
        person_id=row.person_id,
        plan=plan,
        state=row.state,
        anchor=row.anchor,
        period_starts=row.period_starts,
        period_ends=row.period_ends,
        following=None if row.cancel_at_period_end else BY_ID[row.pending_plan_id or plan.id],
    )


async def add_entry(session: AsyncSession, entry: LedgerEntry) -> bool:
    """Add an entry. Return False where its key is known already.

    One that takes fills needs the lock of the subscription, so that nobody else takes the last one.

    Raises:
        NoFillsLeft: If fewer would be left than none. Nothing is added, and the transaction may go
            on.
    """
    if not await session.scalar(
        insert_new(session, _ENTRIES).returning(_ENTRIES.c.id), entry.model_dump()
    ):
        return False
    key = entry.person_id, entry.period, entry.bucket
    if entry.fills < 0 and await fills_left(session, key) < 0:
        await session.execute(delete(LedgerEntry).where(col(LedgerEntry.id) == entry.id))
        raise NoFillsLeft
    return True


async def add_entries(session: AsyncSession, entries: Sequence[LedgerEntry]) -> None:
    """Add those entries whose key is new, in one statement. The caller knows what is left."""
    if entries:
        await session.execute(
            insert_new(session, _ENTRIES), [each.model_dump() for each in entries]
        )


async def fills_left(session: AsyncSession, key: BalanceKey) -> int:
    """Return the fills left of a period: the sum of its entries."""
    total = select(func.coalesce(func.sum(_fills), 0))
    return await session.scalar(total.where(tuple_(*_KEY) == key)) or 0


async def balances(
    session: AsyncSession, keys: Collection[BalanceKey]
) -> dict[BalanceKey, tuple[int, int, int]]:
    """Return periods' fills before reservations, those rolled over, and those left.

    Periods without an entry are left out.
    """
    given, rolled = _sum_of(_kind.not_in(OF_BOOKINGS)), _sum_of(_kind == ROLLED)
    sums = select(*_KEY, given, rolled, func.sum(_fills)).where(tuple_(*_KEY).in_(keys))
    rows = await session.execute(sums.group_by(*_KEY))
    return {row[:3]: row[3:] for row in map(tuple, rows)}


async def stocks(session: AsyncSession, since: Mapping[str, date]) -> dict[str, list[Stock]]:
    """Return people's periods that begin from their day on, or have fills left.

    All entries of these people are summed, by the index of person and period.
    """
    sums = select(
        *_KEY,
        func.sum(_fills),
        _sum_of(_kind == GRANTED),
        _sum_of(_kind == EXPIRED),
        _sum_of(_kind.in_((ROLLED, ADJUSTED))),
        func.sum(case((_kind.in_((GRANTED, EXPIRED)), 1), else_=0)),
    )
    sums = sums.where(_person.in_(since)).group_by(*_KEY).order_by(_period)
    found: dict[str, list[Stock]] = {person_id: [] for person_id in since}
    for person_id, *row in await session.execute(sums) if since else ():
        stock = Stock(*row)
        if stock.period >= since[person_id] or stock.balance > 0:
            found[person_id].append(stock)
    return found


async def entries(
    session: AsyncSession, person_id: str, limit: int | None = None
) -> list[LedgerEntry]:
    """Return a person's entries, the newest first."""
    statement = (
        select(LedgerEntry)
        .where(_person == person_id)
        .order_by(col(LedgerEntry.at).desc(), col(LedgerEntry.id).desc())
    )
    return list(await session.scalars(statement.limit(limit)))


async def has_entry(session: AsyncSession, key: str) -> bool:
    """Return whether the ledger has an entry with this key."""
    statement = select(col(LedgerEntry.id)).where(col(LedgerEntry.key) == key)
    return await session.scalar(statement) is not None


async def added(session: AsyncSession, person_id: str, since: datetime) -> list[Given]:
    """Return the fills that were added for a person by hand since a moment."""
    statement = select(col(LedgerEntry.actor), _fills, col(LedgerEntry.at)).where(
        _person == person_id,
        _kind == ADJUSTED,
        _fills > 0,
        col(LedgerEntry.at) > since,
    )
    return [Given(*row) for row in await session.execute(statement)]


async def forget_reasons(session: AsyncSession, person_id: str) -> None:
    """Empty what the staff wrote about a person, the one thing that changes in an entry."""
    await session.execute(update(LedgerEntry).where(_person == person_id).values(reason=""))


async def reservations(session: AsyncSession, fill_ids: Collection[str]) -> dict[str, FillEntries]:
    """Return where fills are reserved, by fill. One that is used is reserved no more.

    Fills without an entry are left out.
    """
    used = func.max(case((_kind == USED, 1), else_=0))
    sums = select(_fill, *_KEY, func.max(_booking), func.sum(_fills), used, func.count())
    sums = sums.where(_fill.in_(fill_ids)).group_by(_fill, *_KEY)
    found: dict[Any, FillEntries] = {}
    rows: Any = await session.execute(sums)
    for fill_id, person_id, period, bucket, booking_id, fills, is_used, count in rows:
        known = found.get(fill_id, FillEntries(booking_id))
        is_reserved = fills < 0 and not is_used
        found[fill_id] = FillEntries(
            booking_id,
            (person_id, period, bucket) if is_reserved else known.where,
            known.entries + count,
        )
    return found
