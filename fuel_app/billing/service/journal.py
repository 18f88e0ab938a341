"""Writing the journal, in the transaction of what it records."""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.billing.tables import JournalEntry
from fuel_app.kit.clock import day_of, now
from fuel_app.kit.db.session import insert_new
from fuel_app.kit.money import Money

_TABLE: Table = JournalEntry.__table__  # pyright: ignore[reportAttributeAccessIssue]


async def post(
    session: AsyncSession,
    key: str,
    debit: str,
    credit: str,
    amount: Money,
    *,
    invoice_id: str | None = None,
    text: str = "",
) -> None:
    """Move an amount from one account to another, once for a key; below nothing, the other way."""
    await post_all(session, [entry(key, debit, credit, amount, invoice_id, text)])


def entry(
    key: str, debit: str, credit: str, amount: Money, invoice_id: str | None, text: str
) -> dict[str, Any]:
    """Return one movement, for `post_all`."""
    if amount.cents < 0:
        debit, credit = credit, debit
    at = now()
    found = {"key": key, "day": day_of(at), "at": at, "debit": debit, "credit": credit}
    return found | {"amount_cents": abs(amount.cents), "invoice_id": invoice_id, "text": text[:200]}


async def post_all(session: AsyncSession, entries: Iterable[dict[str, Any]]) -> None:
    """Store several movements; one of nothing is left out."""
    if moving := [each for each in entries if each["amount_cents"]]:
        await session.execute(insert_new(session, _TABLE), moving)
