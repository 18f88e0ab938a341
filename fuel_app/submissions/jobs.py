"""Jobs on leads that run by the clock."""

from datetime import datetime, timedelta

from fuel_app.kit import audit, jobs
from fuel_app.kit.db.session import transaction


@jobs.scheduled("submissions.purge_deleted_leads", jobs.every(timedelta(minutes=1)))
async def purge_deleted_leads(now: datetime) -> int:
    """Empty the stored personal data of leads deleted ten minutes ago or more. Return how many."""
    async with transaction() as session:
        return await audit.purge_expired(session, now)
