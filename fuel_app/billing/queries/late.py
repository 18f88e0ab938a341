"""Queries on payments and refunds whose outcome should be known by now, and is not."""

from datetime import datetime

from sqlalchemy import ColumnElement, and_, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.rules.payments import AUTHORIZED, HOSTED, NEW
from fuel_app.billing.tables import Refund, StoredPayment


def _payments(before: datetime) -> ColumnElement[bool]:
    """Select payments from before a moment: captures, too, but no visits to the provider's page."""
    state = col(StoredPayment.state)
    is_capture = and_(state == AUTHORIZED, col(StoredPayment.invoice_id).is_not(None))
    is_late = col(StoredPayment.created_at) < before
    return and_(is_late, col(StoredPayment.kind) != HOSTED, or_(state == NEW, is_capture))


def _refunds(before: datetime) -> ColumnElement[bool]:
    return and_(col(Refund.state) == NEW, col(Refund.created_at) < before)


async def late(session: AsyncSession, before: datetime, most: int) -> list[StoredPayment | Refund]:
    """Return payments, and then refunds, from before a moment, the last tried at the end.

    One index scan of each table. `most` of each are returned.
    """
    found: list[StoredPayment | Refund] = []
    for table, are_late in ((StoredPayment, _payments), (Refund, _refunds)):
        in_turn = col(table.tried_at).nulls_first(), col(table.created_at)
        theirs = select(table).where(are_late(before)).order_by(*in_turn)
        found.extend(await session.scalars(theirs.limit(most)))
    return found


async def count(session: AsyncSession, before: datetime) -> int:
    """Return how many there are."""
    total = 0
    for table, are_late in ((StoredPayment, _payments), (Refund, _refunds)):
        counted = select(func.count()).select_from(table).where(are_late(before))
        total += await session.scalar(counted) or 0
    return total


async def note_try(session: AsyncSession, row: StoredPayment | Refund, now: datetime) -> None:
    """Note that the outcome of a payment or refund is asked for: the others come first next."""
    table = type(row)
    await session.execute(update(table).where(col(table.id) == row.id).values(tried_at=now))
