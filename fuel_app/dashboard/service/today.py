"""Today's figures of the open company, for staff."""

from collections.abc import Mapping
from datetime import date, timedelta

from fuel_app.accounts.rules import Actor, Role
from fuel_app.areas.rules.areas import OPEN
from fuel_app.areas.service import company
from fuel_app.billing.rules.reports import Earned
from fuel_app.billing.service import reports
from fuel_app.bookings.service import dispatching
from fuel_app.customers.service import directory
from fuel_app.dashboard.rules import REVENUE_DAYS, Today
from fuel_app.kit.db.session import reading


async def earned_before(actor: Actor, day: date) -> dict[date, Earned]:
    """Return what the days before one have earned: of its month, and of the chart."""
    first = min(day.replace(day=1), day - timedelta(days=REVENUE_DAYS - 1))
    return await reports.earned(actor, first, day - timedelta(days=1))


async def figures(actor: Actor, day: date, before: Mapping[date, Earned]) -> Today:
    """Return a day's figures.

    Args:
        before: As of `earned_before`: those days do not change any more.
    """
    actor.require(Role.DISPATCHER)
    areas = [area.name for area in await company.areas() if area.status == OPEN]
    async with reading() as session:
        fills = await dispatching.fills_of_day(session, day)
        customers, plans = await directory.counts(session)
    earned = await reports.earned(actor, day, day)
    return Today(day, fills, customers, plans, tuple(areas), {**before, **earned})
