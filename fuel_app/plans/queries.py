"""Queries on subscriptions and on the ledger of fills."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date, datetime
from functools import cache
from typing import Any

from sqlalchemy import Table, bindparam, case, delete, func, or_, select, tuple_, union_all, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import upsert
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
from fuel_app.plans.tables import LedgerBalance, LedgerEntry, Subscription

_period, _bucket = col(LedgerEntry.period), col(LedgerEntry.bucket)
_fills, _booking = col(LedgerEntry.fills), col(LedgerEntry.booking_id)
_kind, _balance = col(LedgerEntry.kind), col(LedgerBalance.balance)
_ENTRIES: Table = LedgerEntry.__table__  # pyright: ignore[reportAttributeAccessIssue]
_BALANCES: Table = LedgerBalance.__table__  # pyright: ignore[reportAttributeAccessIssue]
_KEY_NAMES = ("person_id", "period", "bucket")
_BALANCE_KEY = tuple(_BALANCES.c[name] for name in _KEY_NAMES)

# A statement that is made once costs half of one that is made for each entry.
_NEW_BALANCE = _BALANCES.c.balance + bindparam("added")
_CHANGE = (
    update(_BALANCES)
    .where(*(key == bindparam(f"of_{key.name}") for key in _BALANCE_KEY))
    .values(balance=_NEW_BALANCE)
)
_TAKE = _CHANGE.where(_NEW_BALANCE >= 0).returning(_BALANCES.c.balance)
_BALANCE_COLUMNS = tuple(_ENTRIES.c[name] for name in _KEY_NAMES)

_SAME_KEY = tuple(_ENTRIES.c[name] == _BALANCES.c[name] for name in _KEY_NAMES)


def _of_kinds(what: Any, *kinds: str) -> Any:
    found = select(func.coalesce(what, 0)).where(*_SAME_KEY, _ENTRIES.c.kind.in_(kinds))
    return found.scalar_subquery()


_STOCKS = (
    select(
        *(_BALANCES.c.person_id, _BALANCES.c.period, _BALANCES.c.bucket, _BALANCES.c.balance),
        _of_kinds(func.sum(_ENTRIES.c.fills), GRANTED),
        _of_kinds(func.sum(_ENTRIES.c.fills), EXPIRED),
        _of_kinds(func.sum(_ENTRIES.c.fills), ROLLED, ADJUSTED),
        _of_kinds(func.count(), GRANTED, EXPIRED),
    )
    .where(
        _BALANCES.c.person_id.in_(bindparam("people", expanding=True)),
        (_BALANCES.c.period >= bindparam("since")) | (_BALANCES.c.balance > 0),
    )
    .order_by(_BALANCES.c.period)
)


@cache
def _insert_entry(upsert: Callable[..., Any]) -> Any:
    return upsert(_ENTRIES).on_conflict_do_nothing().returning(_ENTRIES.c.id)


@cache
def _give(upsert: Callable[..., Any]) -> Any:
    new = upsert(_BALANCES)
    more = {"balance": _BALANCES.c.balance + new.excluded.balance}
    return new.on_conflict_do_update(index_elements=_KEY_NAMES, set_=more)


BalanceKey = tuple[str, date, str]  # person, period, bucket


async def add(session: AsyncSession, person_id: str, plan_id: str) -> None:
    """Store the plan that a new customer has chosen; it is not started."""
    session.add(Subscription(person_id=person_id, plan_id=plan_id))
    await session.flush()


async def locked(session: AsyncSession, ids: Collection[str]) -> list[Subscription]:
    """Return people's subscriptions, locked to change them."""
    theirs = select(Subscription).where(col(Subscription.person_id).in_(ids))
    theirs = theirs.order_by(col(Subscription.person_id)).with_for_update()
    return list(await session.scalars(theirs, execution_options={"populate_existing": True}))


async def infos(
    session: AsyncSession, ids: Collection[str], *, shared: bool = False
) -> dict[str, SubscriptionInfo]:
    """Return people's subscriptions as their rules know them; `shared` keeps them as they are."""
    theirs = select(Subscription).where(col(Subscription.person_id).in_(ids))
    theirs = theirs.order_by(col(Subscription.person_id))
    theirs = theirs.with_for_update(read=True) if shared else theirs
    rows = await session.scalars(theirs, execution_options={"populate_existing": True})
    return {row.person_id: info_of(row) for row in rows}


async def due(session: AsyncSession, day: date) -> list[str]:
    """Return the people whose active plan's period has ended by a day, or whose plan is unpaid."""
    state, ends = col(Subscription.state), col(Subscription.period_ends)
    theirs = select(col(Subscription.person_id)).where(
        or_((state == ACTIVE) & (ends <= day), state == PAST_DUE)
    )
    return list(await session.scalars(theirs.order_by(col(Subscription.person_id))))


async def renewing(session: AsyncSession, first: date, last: date) -> list[SubscriptionInfo]:
    """Return the active plans that renew from `first` to `last`."""
    ends = col(Subscription.period_ends)
    theirs = select(Subscription).where(
        col(Subscription.state) == ACTIVE,
        ends.between(first, last),
        col(Subscription.cancel_at_period_end).is_(False),
    )
    rows = await session.scalars(theirs.order_by(col(Subscription.person_id)))
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
    """Add an entry, and its fills to the balance. Return False where its key is known already.

    Raises:
        NoFillsLeft: If the balance would be negative. Nothing is added, and the transaction
            may go on.
    """
    if await session.scalar(_insert_entry(upsert(session)), entry.model_dump()) is None:
        return False
    if entry.fills and not await _count(session, entry):  # rare: a savepoint would cost all others
        await session.execute(delete(LedgerEntry).where(col(LedgerEntry.id) == entry.id))
        raise NoFillsLeft
    return True


async def _count(session: AsyncSession, entry: LedgerEntry) -> bool:
    """Add an entry's fills to its balance, unless that would be negative."""
    key = dict(zip(_KEY_NAMES, _key(entry), strict=True))
    if entry.fills > 0:
        await session.execute(_give(upsert(session)), key | {"balance": entry.fills})
        return True
    return await session.scalar(_TAKE, _change_of(_key(entry), entry.fills)) is not None


async def add_entries(session: AsyncSession, entries: Sequence[LedgerEntry]) -> None:
    """Add those entries whose key is new, and their fills to the balances: four statements.

    Raises:
        IntegrityError: If a balance would be negative.
    """
    if not entries:
        return
    added = [entry.model_dump() for entry in entries]
    new = set(await session.scalars(_insert_entry(upsert(session)), added))
    fills: Counter[BalanceKey] = Counter()
    for entry in entries:
        fills[_key(entry)] += entry.fills if entry.id in new else 0
    given = [
        dict(zip(_KEY_NAMES, key, strict=True)) | {"balance": count}
        for key, count in fills.items()
        if count > 0
    ]
    taken = [_change_of(key, count) for key, count in fills.items() if count < 0]
    if given:
        await session.execute(_give(upsert(session)), given)
    if taken:
        await session.execute(_CHANGE, taken)


def _change_of(key: BalanceKey, fills: int) -> dict[str, Any]:
    """Return the parameters of `_CHANGE`."""
    return {f"of_{name}": key[place] for place, name in enumerate(_KEY_NAMES)} | {"added": fills}


async def take(session: AsyncSession, entries: Sequence[LedgerEntry]) -> list[LedgerEntry]:
    """Add entries that take one fill each, of as many balances. Return those that find none left.

    Nothing is added for these, nor where a key is known already.
    """
    added = [entry.model_dump() for entry in entries]
    new = set(await session.scalars(_insert_entry(upsert(session)), added))
    by_key = {_key(entry): entry for entry in entries if entry.id in new}
    theirs = update(_BALANCES).where(tuple_(*_BALANCE_KEY).in_(by_key), _BALANCES.c.balance > 0)
    counted = theirs.values(balance=_BALANCES.c.balance - 1).returning(*_BALANCE_KEY)
    for row in await session.execute(counted):
        del by_key[tuple(row)]
    if by_key:
        ids = [entry.id for entry in by_key.values()]
        await session.execute(delete(_ENTRIES).where(_ENTRIES.c.id.in_(ids)))
    return list(by_key.values())


def _key(entry: LedgerEntry) -> BalanceKey:
    return entry.person_id, entry.period, entry.bucket


async def balances(
    session: AsyncSession, keys: Collection[BalanceKey]
) -> dict[BalanceKey, tuple[int, int, int]]:
    """Return periods' fills before reservations, those rolled over, and those left.

    Periods of which nothing is stored are left out.
    """
    given = select(func.sum(_fills)).where(*_SAME_KEY, _kind.not_in(OF_BOOKINGS))
    given = given.scalar_subquery()
    rolled = _of_kinds(func.sum(_fills), ROLLED)
    found = select(*_BALANCE_KEY, given, rolled, _BALANCES.c.balance)
    rows = await session.execute(found.where(tuple_(*_BALANCE_KEY).in_(keys)))
    return {row[:3]: row[3:] for row in map(tuple, rows)}


async def stocks(session: AsyncSession, since: Mapping[str, date]) -> dict[str, list[Stock]]:
    """Return people's periods that begin from their day on, or have fills left."""
    found: dict[str, list[Stock]] = {person_id: [] for person_id in since}
    if since:
        given = {"people": list(since), "since": min(since.values())}
        for person_id, *row in await session.execute(_STOCKS, given):
            stock = Stock(*row)
            if stock.period >= since[person_id] or stock.balance > 0:
                found[person_id].append(stock)
    return found


async def entries(
    session: AsyncSession, person_id: str, limit: int | None = None
) -> list[LedgerEntry]:
    """Return a person's entries, the newest first."""
    theirs = select(LedgerEntry).where(col(LedgerEntry.person_id) == person_id)
    newest = theirs.order_by(col(LedgerEntry.at).desc(), col(LedgerEntry.id).desc())
    return list(await session.scalars(newest.limit(limit)))


async def has_entry(session: AsyncSession, key: str) -> bool:
    """Return whether the ledger has an entry with this key."""
    found = select(col(LedgerEntry.id)).where(col(LedgerEntry.key) == key)
    return await session.scalar(found) is not None


async def added(session: AsyncSession, person_id: str, since: datetime) -> list[Given]:
    """Return the fills that were added for a person by hand since a moment."""
    found = select(col(LedgerEntry.actor), _fills, col(LedgerEntry.at)).where(
        col(LedgerEntry.person_id) == person_id,
        _kind == ADJUSTED,
        _fills > 0,
        col(LedgerEntry.at) > since,
    )
    return [Given(*row) for row in await session.execute(found)]


async def forget_reasons(session: AsyncSession, person_id: str) -> None:
    """Empty what the staff wrote about a person, the one thing that changes in an entry."""
    theirs = update(LedgerEntry).where(col(LedgerEntry.person_id) == person_id)
    await session.execute(theirs.values(reason=""))


async def differences(session: AsyncSession, most: int) -> list[dict[str, Any]]:
    """Return the balances that are not the sum of their entries, and by how much they differ."""
    rows = union_all(
        select(*_BALANCE_KEY, _balance.label("fills")),
        select(*[_ENTRIES.c[key] for key in _KEY_NAMES], -_fills),
    ).subquery()
    more = func.sum(rows.c.fills)
    theirs = [rows.c[key] for key in _KEY_NAMES]
    wrong = select(*theirs, more.label("more")).group_by(*theirs).having(more != 0)
    found = await session.execute(wrong.order_by(*theirs).limit(most))
    return [dict(row._mapping) for row in found]


async def reservations(
    session: AsyncSession, booking_ids: Collection[str]
) -> dict[str, tuple[BalanceKey | None, int]]:
    """Return where bookings' fills are reserved, and how many entries each booking has.

    Bookings without an entry are left out.
    """
    found = select(_booking, *_BALANCE_COLUMNS, func.sum(_fills), func.count())
    found = found.where(_booking.in_(booking_ids)).group_by(_booking, *_BALANCE_COLUMNS)
    known: dict[str, tuple[BalanceKey | None, int]] = {}
    for row in map(tuple, await session.execute(found)):
        where, number = known.get(row[0], (None, 0))
        known[row[0]] = row[1:4] if row[4] < 0 else where, number + row[5]
    return known


async def reservation(session: AsyncSession, booking_id: str) -> dict[str, Any] | None:
    """Return person, period and bucket of a booking's reservation; None if it is used or gone."""
    theirs = col(LedgerEntry.person_id), _period, _bucket
    used = func.max(case((_kind == USED, 1), else_=0))
    found = select(*theirs).where(_booking == booking_id).group_by(*theirs)
    row = (await session.execute(found.having(func.sum(_fills) < 0, used == 0))).first()
    return dict(row._mapping) if row else None
