"""Payers: customers and guests as the payment provider knows them."""

from collections.abc import Collection

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.tables import CreditEntry, Payer
from fuel_app.kit.clock import now
from fuel_app.kit.db.session import insert_new
from fuel_app.kit.db.tables import new_id


async def of_person(session: AsyncSession, person_id: str, *, lock: bool = False) -> Payer:
    """Return a customer's payer, made if there is none; `lock` keeps it until the commit."""
    return await _of(session, f"person:{person_id}", person_id, lock=lock)


async def of_guest(session: AsyncSession, key: str) -> Payer:
    """Return a guest's payer by the key of their tab, made if there is none."""
    return await _of(session, f"guest:{key}", None, lock=False)


async def _of(session: AsyncSession, key: str, person_id: str | None, *, lock: bool) -> Payer:
    theirs = select(Payer).where(col(Payer.key) == key)
    found = await session.scalar(theirs.with_for_update() if lock else theirs)
    if found:
        return found
    row = {"id": new_id(), "key": key, "person_id": person_id, "created_at": now()}
    await session.execute(insert_new(session, Payer).values(**Payer(**row).model_dump()))
    return (await session.scalars(theirs.with_for_update())).one()


async def change_credit(
    session: AsyncSession, payer: Payer, key: str, cents: int, text: str, actor: str = "system"
) -> None:
    """Change a locked payer's credit balance, once for a key."""
    entry = CreditEntry(key=key, payer_id=payer.id, amount_cents=cents, text=text, actor=actor)
    session.add(entry)
    payer.credit_cents += cents
    await session.flush()


async def find_all(
    session: AsyncSession, person_ids: Collection[str], *, lock: bool = False
) -> dict[str, Payer]:
    """Return the payers of customers, by person; `lock` keeps them until the commit."""
    theirs = select(Payer).where(col(Payer.person_id).in_(person_ids)).order_by(col(Payer.id))
    theirs = theirs.with_for_update() if lock else theirs
    rows = await session.scalars(theirs.execution_options(populate_existing=True))
    return {row.person_id or "": row for row in rows}
