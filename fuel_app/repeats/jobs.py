"""Jobs of repeats: the dates of each series, daily and after a change of one."""

from datetime import datetime, time

from fuel_app.kit import jobs
from fuel_app.kit.jobs import Job
from fuel_app.repeats import service


@jobs.scheduled("repeats.queue", jobs.daily(time(8, 0)))  # not at night: each visit is told
async def queue(now: datetime) -> int:
    """Queue the booking of each active series. Return how many."""
    return await service.queue_all(now)


@jobs.handler(service.BOOK)
async def book(job: Job) -> None:
    """Book the dates of a series that are due, or end it."""
    await service.book_due(job.payload["series"])
