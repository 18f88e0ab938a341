"""The free first fill of who waited for the opening."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from fuel_app.customers.queries import accounts
from fuel_app.customers.rules.profile import FreeFillOffer
from fuel_app.kit import figures
from fuel_app.kit.money import Money
from fuel_app.waitlist.service import FREE_FILL_CAP

Waiting = tuple[str | None, datetime | None]  # the waitlist submission, the area's opening


async def free_fills(
    session: AsyncSession, wanted: Collection[Waiting]
) -> dict[Waiting, FreeFillOffer]:
    """Return the free first fills of customers who were on the waitlist before their area opened.

    The bookings tell whether one has been used.
    """
    ids = {submission_id for submission_id, opened_at in wanted if submission_id and opened_at}
    waited = await accounts.waited(session, ids) if ids else {}
    if not waited:
        return {}
    capped = FreeFillOffer(Money(await figures.value(session, FREE_FILL_CAP)))
    found = {}
    for submission_id, opened_at in wanted:
        joined_at, whole = waited.get(submission_id or "", (None, False))
        if joined_at and opened_at and joined_at < opened_at:
            found[submission_id, opened_at] = FreeFillOffer(None) if whole else capped
    return found
