"""Queries on subscriptions and on the ledger of fills."""

from datetime import date
from typing import Any

from sqlalchemy import case, delete, func, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.kit.db.session import insert_new
from fuel_app.plans.rules.ledger import OF_BOOKINGS, USED, NoFillsLeft
from fuel_app.plans.rules.plans import BY_ID
from fuel_app.plans.rules.subscriptions import SubscriptionInfo
from fuel_app.plans.tables import LedgerBalance, LedgerEntry, Subscription

_period, _bucket = col(LedgerEntry.period), col(LedgerEntry.bucket)
_fills, _booking = col(LedgerEntry.fills), col(LedgerEntry.booking_id)
_kind, _balance = col(LedgerEntry.kind), col(LedgerBalance.balance)


async def add(session: AsyncSession, person_id: str, plan_id: str) -> None:
    """Store the plan that a new customer has chosen; it is not started."""
    session.add(Subscription(person_id=person_id, plan_id=plan_id))
    await session.flush()


async def find(
    session: AsyncSession, person_id: str, *, shared: bool = False, lock: bool = False
) -> Subscription | None:
    """Return a person's subscription.

    Args:
        shared: Let nobody change it until the end of the transaction.
        lock: It is going to be changed.
    """
    theirs = select(Subscription).where(col(Subscription.person_id) == person_id)
    if shared or lock:
        theirs = theirs.with_for_update(read=shared)
    return await session.scalar(theirs.execution_options(populate_existing=True))


async def info(
    session: AsyncSession, person_id: str, *, shared: bool = False
) -> SubscriptionInfo | None:
    """Return a person's subscription as its rules know it."""
    row = await find(session, person_id, shared=shared)
    return info_of(row) if row else None


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
    new = insert_new(session, LedgerEntry).values(entry.model_dump())
    if await session.scalar(new.returning(col(LedgerEntry.id))) is None:
        return False
    if entry.fills and not await _count(session, entry):  # rare: a savepoint would cost all others
        await session.execute(delete(LedgerEntry).where(col(LedgerEntry.id) == entry.id))
        raise NoFillsLeft
    return True


async def _count(session: AsyncSession, entry: LedgerEntry) -> bool:
    """Add an entry's fills to its balance, unless that would be negative."""
    key = {"person_id": entry.person_id, "period": entry.period, "bucket": entry.bucket}
    if entry.fills > 0:
        await session.execute(insert_new(session, LedgerBalance).values(**key, balance=0))
    theirs = update(LedgerBalance).filter_by(**key).where(_balance + entry.fills >= 0)
    counted = theirs.values(balance=_balance + entry.fills).returning(_balance)
    options = {"synchronize_session": False}
    return await session.scalar(counted, execution_options=options) is not None


async def balance(
    session: AsyncSession, person_id: str, period: date, bucket: str
) -> tuple[int, int] | None:
    """Return the fills of a period before reservations, and those left; None if none are stored."""
    key = {"person_id": person_id, "period": period, "bucket": bucket}
    given = select(func.sum(_fills)).filter_by(**key).where(_kind.not_in(OF_BOOKINGS))
    found = select(given.scalar_subquery(), _balance).select_from(LedgerBalance).filter_by(**key)
    row = (await session.execute(found)).first()
    return (row[0], row[1]) if row else None


async def entries(
    session: AsyncSession, person_id: str, limit: int | None = None
) -> list[LedgerEntry]:
    """Return a person's entries, the newest first."""
    theirs = select(LedgerEntry).where(col(LedgerEntry.person_id) == person_id)
    newest = theirs.order_by(col(LedgerEntry.at).desc(), col(LedgerEntry.id).desc())
    return list(await session.scalars(newest.limit(limit)))


async def forget_reasons(session: AsyncSession, person_id: str) -> None:
    """Empty what the staff wrote about a person, the one thing that changes in an entry."""
    theirs = update(LedgerEntry).where(col(LedgerEntry.person_id) == person_id)
    await session.execute(theirs.values(reason=""))


async def differences(session: AsyncSession, most: int) -> list[dict[str, Any]]:
    """Return the balances that are not the sum of their entries, and by how much they differ."""
    keys = ("person_id", "period", "bucket")
    rows = union_all(
        select(*[getattr(LedgerBalance, key) for key in keys], _balance.label("fills")),
        select(*[getattr(LedgerEntry, key) for key in keys], -_fills),
    ).subquery()
    more = func.sum(rows.c.fills)
    theirs = [rows.c[key] for key in keys]
    wrong = select(*theirs, more.label("more")).group_by(*theirs).having(more != 0)
    found = await session.execute(wrong.order_by(*theirs).limit(most))
    return [dict(row._mapping) for row in found]


async def reservation(session: AsyncSession, booking_id: str) -> dict[str, Any] | None:
    """Return person, period and bucket of a booking's reservation; None if it is used or gone."""
    theirs = col(LedgerEntry.person_id), _period, _bucket
    used = func.max(case((_kind == USED, 1), else_=0))
    found = select(*theirs).where(_booking == booking_id).group_by(*theirs)
    row = (await session.execute(found.having(func.sum(_fills) < 0, used == 0))).first()
    return dict(row._mapping) if row else None
