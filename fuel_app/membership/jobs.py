"""Schedule of accounts: closed ones are erased some days later."""

from datetime import datetime, time

from fuel_app.kit import jobs
from fuel_app.membership import service


@jobs.scheduled("customers.empty_deleted", jobs.daily(time(4, 0)))
async def erase_due(now: datetime) -> int:
    """Erase the accounts whose days are over. Return how many."""
    return await service.erase_due(now)
