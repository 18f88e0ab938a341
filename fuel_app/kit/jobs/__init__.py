"""Background jobs and schedules, as packages use them. See docs/decisions/jobs.md."""

from fuel_app.kit.jobs.queue import NewJob, end, enqueue, enqueue_all, extend_lease
from fuel_app.kit.jobs.registry import (
    GiveUp,
    Job,
    Later,
    LeaseLost,
    daily,
    every,
    handler,
    scheduled,
)

__all__ = [
    "GiveUp", "Job", "Later", "LeaseLost", "NewJob", "daily", "end", "enqueue", "enqueue_all",
    "every", "extend_lease", "handler", "scheduled",
]  # fmt: skip
