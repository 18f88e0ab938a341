"""Schedules of plans: the nightly comparison of balances with the ledger."""

from datetime import datetime, time

import structlog

from fuel_app.kit import jobs, metrics
from fuel_app.kit.db.session import reading
from fuel_app.plans import queries

log = structlog.get_logger()

LISTED = 100


@jobs.scheduled("plans.compare_ledger", jobs.daily(time(2, 30)))
async def compare(_now: datetime) -> int:
    """Log the balances that are not the sum of their entries, and repair none. Return how many."""
    async with reading() as session:
        wrong = await queries.differences(session, LISTED)
    for each in wrong:
        log.error("ledger.differs", **{name: str(value) for name, value in each.items()})
    metrics.LEDGER_DIFFERENCES.set(len(wrong))
    return len(wrong)
