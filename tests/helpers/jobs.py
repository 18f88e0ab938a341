"""Jobs run to their end, without a worker that waits."""

from collections.abc import Callable
from datetime import datetime

from fuel_app.kit import clock
from fuel_app.kit.jobs.worker import Worker


async def run_due(now: Callable[[], datetime] = clock.now) -> None:
    """Run the jobs that are due, and those that they enqueue, until none is left."""
    worker = Worker(now)
    while await worker.start_due():
        await worker.ended()
