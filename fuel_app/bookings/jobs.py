"""Jobs of bookings: authorising cards."""

from fuel_app.bookings.service import authorizing, charging
from fuel_app.kit import jobs
from fuel_app.kit.jobs import Job


@jobs.handler(charging.AUTHORIZE)
async def authorize(job: Job) -> None:
    """Authorise the card for a booking."""
    await authorizing.authorize(job.payload)
