"""Background jobs of the launch: the waves of invitations."""

from datetime import datetime, timedelta

from fuel_app.kit import jobs
from fuel_app.launch.rules import JOB
from fuel_app.launch.service import waves


@jobs.scheduled(JOB, jobs.every(timedelta(minutes=15)))
async def invite(now: datetime) -> int:
    """Send the waves that are due."""
    return await waves.send_due(now)
