"""The free first fill of who waited for the opening."""

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.customers.queries import accounts
from fuel_app.customers.rules.profile import FreeFillOffer
from fuel_app.kit import figures
from fuel_app.kit.money import Money
from fuel_app.waitlist.service import FREE_FILL_CAP


async def free_fill(
    session: AsyncSession, submission_id: str | None, area_opened_at: datetime | None
) -> FreeFillOffer | None:
    """Return the free first fill of a customer who was on the waitlist before the area opened.

    The bookings tell whether it has been used.
    """
    if submission_id is None or area_opened_at is None:
        return None
    waited = await accounts.waited(session, submission_id)
    if waited is None:
        return None
    joined_at, whole = waited
    if joined_at >= area_opened_at:
        return None
    return FreeFillOffer(None if whole else Money(await figures.value(session, FREE_FILL_CAP)))
