"""Schedule of forecasts: reminders of cars that are due."""

from datetime import datetime, time

from fuel_app.forecasts import service
from fuel_app.kit import jobs


@jobs.scheduled("forecasts.remind", jobs.daily(time(10, 0)))
async def remind(now: datetime) -> int:
    """Queue the Fill-up Reminders of the day. Return for how many cars."""
    return await service.queue_reminders(now)
