"""Queries on what staff see of one customer: payments, credit notes, refunds, credit."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.tables import CreditEntry, CreditNote, Payer, StoredInvoice

SHOWN = 200
GIVEN = "given:"  # begins the keys of the credit that staff give


async def payer_of(session: AsyncSession, person_id: str) -> Payer | None:
    return await session.scalar(select(Payer).where(col(Payer.person_id) == person_id))


async def latest(
    session: AsyncSession, table: type[StoredInvoice | CreditEntry], payer_id: str
) -> list[Any]:
    """Return a payer's latest rows, the last one first."""
    theirs = select(table).where(col(table.payer_id) == payer_id)
    return list(await session.scalars(theirs.order_by(col(table.id).desc()).limit(SHOWN)))


async def by(
    session: AsyncSession, column: Any, values: Collection[str]
) -> defaultdict[str, list[Any]]:
    """Return a table's rows by the value of a column, the oldest first."""
    found = defaultdict(list)
    rows = select(column.class_).where(column.in_(values)).order_by(column.class_.id)
    for row in await session.scalars(rows):
        found[getattr(row, column.key)].append(row)
    return found


async def given_by_staff(session: AsyncSession, payer_id: str, since: datetime) -> int:
    """Return the cents that staff have given a payer as credit since a moment."""
    total = func.coalesce(func.sum(col(CreditEntry.amount_cents)), 0)
    theirs = select(total).where(
        col(CreditEntry.payer_id) == payer_id,
        col(CreditEntry.key).startswith(GIVEN),
        col(CreditEntry.at) >= since,
    )
    return await session.scalar(theirs) or 0


async def forget_reasons(
    session: AsyncSession, payer_id: str, invoice_ids: Collection[str]
) -> None:
    """Empty what the staff wrote about a payer, the one thing that changes in these rows."""
    notes = update(CreditNote).where(col(CreditNote.invoice_id).in_(invoice_ids))
    entries = update(CreditEntry).where(col(CreditEntry.payer_id) == payer_id)
    await session.execute(notes.values(reason=""))
    await session.execute(entries.values(text=""))


async def has(session: AsyncSession, column: Any, value: str) -> bool:
    """Return whether a row has a value in a column."""
    return await session.scalar(select(column).where(column == value)) is not None
