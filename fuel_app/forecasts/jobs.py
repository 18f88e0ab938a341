"""Jobs of forecasts: reminders of cars that are due, and seats that are held for them."""

from datetime import datetime, time, timedelta

from fuel_app.forecasts.service import due_bookings, forecasts
from fuel_app.kit import jobs
from fuel_app.kit.jobs import Job


@jobs.scheduled("forecasts.remind", jobs.daily(time(10, 0)))
async def remind(now: datetime) -> int:
    """Queue the Fill-up Reminders of the day. Return for how many cars."""
    return await forecasts.queue_reminders(now)


@jobs.scheduled("forecasts.queue_proposals", jobs.daily(time(9, 0)))  # before the reminders
async def queue_proposals(now: datetime) -> int:
    """Queue the proposals of the day. Return for how many cars."""
    return await due_bookings.queue_proposals(now)


@jobs.handler(due_bookings.PROPOSE)
async def propose(job: Job) -> None:
    """Hold a seat for a car that is due, and ask its customer."""
    await due_bookings.propose(job.payload["due"])


@jobs.scheduled("forecasts.settle", jobs.every(timedelta(minutes=10)))
async def settle(now: datetime) -> int:
    """Give back the seats that were not confirmed or are not needed. Return how many."""
    return await due_bookings.settle_all(now)
