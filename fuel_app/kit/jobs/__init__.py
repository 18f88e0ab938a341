"""Background jobs and schedules: what a package needs to have some. See docs/decisions/jobs.md."""

from fuel_app.kit.jobs.queue import end, enqueue, hold
from fuel_app.kit.jobs.registry import (
    GiveUp,
    Job,
    LeaseLost,
    Retry,
    daily,
    every,
    handler,
    scheduled,
)

__all__ = [
    "GiveUp", "Job", "LeaseLost", "Retry", "daily", "end", "enqueue", "every", "handler", "hold",
    "scheduled",
]  # fmt: skip
