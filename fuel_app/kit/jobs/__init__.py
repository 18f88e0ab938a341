"""Background jobs and schedules, as packages use them. See docs/decisions/jobs.md."""

from fuel_app.kit.jobs.queue import end, enqueue, hold
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
    "GiveUp", "Job", "Later", "LeaseLost", "daily", "end", "enqueue", "every", "handler", "hold",
    "scheduled",
]  # fmt: skip
