"""One person's subscription and ledger: for their own download, and what goes with the account."""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.kit.db.rows import find_row
from fuel_app.plans import queries
from fuel_app.plans.tables import Subscription

_OF_ENTRY = {"kind", "bucket", "period", "fills", "booking_id", "reason", "at"}


async def data_of(session: AsyncSession, person_id: str) -> dict[str, Any]:
    """Return a person's subscription, and the entries of their ledger, the newest first."""
    found = await find_row(session, Subscription, person_id)
    return {
        "subscription": found.model_dump(exclude={"person_id"}) if found else None,
        "ledger": [
            each.model_dump(include=_OF_ENTRY) for each in await queries.entries(session, person_id)
        ],
    }


async def empty(session: AsyncSession, person_id: str) -> None:
    """Remove what the staff wrote; numbers and ids stay."""
    await queries.forget_reasons(session, person_id)
