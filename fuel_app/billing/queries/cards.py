"""Queries on payers' cards and visits to the provider's page."""

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlmodel import col

from fuel_app.billing.tables import CardSetup, Payer, StoredPayment


async def is_visit_of(session: AsyncSession, session_id: str, key: str) -> bool:
    """Return whether a visit, by the provider's id, is that of a payer."""
    visits = select(col(CardSetup.id)).join(Payer, col(Payer.id) == col(CardSetup.payer_id))
    theirs = visits.where(col(CardSetup.session_id) == session_id, col(Payer.key) == key)
    return await session.scalar(theirs) is not None


async def has_visit(session: AsyncSession, setup_id: str, key: str) -> bool:
    """Return whether a visit, by our id, is that of a payer."""
    visits = select(col(CardSetup.id)).join(Payer, col(Payer.id) == col(CardSetup.payer_id))
    theirs = visits.where(col(CardSetup.id) == setup_id, col(Payer.key) == key)
    return await session.scalar(theirs) is not None


async def is_payment(session: AsyncSession, session_id: str) -> bool:
    """Return whether a payment is to be confirmed in a visit, by the provider's id."""
    visits = select(col(CardSetup.id)).join(
        StoredPayment, col(StoredPayment.id) == col(CardSetup.id)
    )
    return await session.scalar(visits.where(col(CardSetup.session_id) == session_id)) is not None


async def payer(session: AsyncSession, key: str) -> Payer | None:
    return await session.scalar(select(Payer).where(col(Payer.key) == key))


async def with_card(session: AsyncSession, card_id: str) -> str | None:
    """Return the id of the payer who has a card."""
    return await session.scalar(select(col(Payer.id)).where(col(Payer.card_id) == card_id))
