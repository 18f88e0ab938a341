"""Background jobs of areas: proposing the week's fuel prices."""

from datetime import datetime, time, timedelta

from fuel_app.areas import providers, queries
from fuel_app.areas.rules.prices import FIRST_PUBLISHED, published_week
from fuel_app.kit import jobs
from fuel_app.kit.db.session import reading, transaction
from fuel_app.kit.jobs import GiveUp, Later
from fuel_app.kit.signals import PRICES, signals
from fuel_app.settings import settings

RETRIED_AFTER = timedelta(hours=1)


@jobs.scheduled("areas.propose_prices", jobs.daily(time(12)))
async def propose_prices(now: datetime) -> None:
    """Store the EIA's prices of the newest week for staff to look at.

    They are published on Tuesday morning, after a holiday on Wednesday: from Tuesday noon on this
    retries until they are there. On other days it has nothing to do.
    """
    week = published_week(now)
    if settings.eia_api_key is None:
        return
    async with reading() as session:
        if await queries.is_proposed(session, FIRST_PUBLISHED, week):
            return
    try:
        proposals = await providers.weekly_prices(settings.eia_api_key.get_secret_value())
    except providers.EiaRefused as refused:
        raise GiveUp(f"the EIA refuses FUEL_EIA_API_KEY ({refused})") from None
    async with transaction() as session:
        await queries.propose(session, proposals)
    await signals().publish(PRICES)
    if not any((each.grade, each.week) == (FIRST_PUBLISHED, week) for each in proposals):
        raise Later(now + RETRIED_AFTER)
