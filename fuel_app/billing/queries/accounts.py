"""Queries on what staff see of one customer: payments, credit notes, refunds, credit."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Select, select, union_all, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.tables import CreditEntry, CreditNote, Payer, StoredInvoice, WaivedFee
from fuel_app.kit.limits import Given

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


async def given_to(session: AsyncSession, payer_id: str, since: datetime) -> list[Given]:
    """Return what was given to a payer since a moment, whoever has given it."""
    return await _given(
        session,
        since,
        notes=col(StoredInvoice.payer_id) == payer_id,
        credit=col(CreditEntry.payer_id) == payer_id,
        fees=col(WaivedFee.payer_id) == payer_id,
    )


async def given_by(session: AsyncSession, actor: str, since: datetime) -> list[Given]:
    """Return what an actor has given since a moment, to whomever."""
    return await _given(
        session,
        since,
        notes=col(CreditNote.actor) == actor,
        credit=col(CreditEntry.actor) == actor,
        fees=col(WaivedFee.actor) == actor,
    )


async def _given(
    session: AsyncSession, since: datetime, *, notes: Any, credit: Any, fees: Any
) -> list[Given]:
    """Return credit notes, credit by hand, and late fees waived with a booking.

    The credit entry of a credit note is not counted again.
    """
    of_invoice = col(StoredInvoice.id) == col(CreditNote.invoice_id)
    by_hand = col(CreditEntry.key).startswith(GIVEN)
    found = union_all(
        _columns(CreditNote)
        .join(StoredInvoice, of_invoice)
        .where(notes, col(CreditNote.at) > since),
        _columns(CreditEntry).where(credit, by_hand, col(CreditEntry.at) > since),
        _columns(WaivedFee).where(fees, col(WaivedFee.at) > since),
    )
    return [Given(*row) for row in await session.execute(found)]


def _columns(table: type[CreditNote | CreditEntry | WaivedFee]) -> Select[str, int, datetime]:
    return select(col(table.actor), col(table.amount_cents), col(table.at))


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
