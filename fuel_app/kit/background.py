"""Tasks that go on after the request that started them has been answered."""

import asyncio
from collections.abc import Coroutine
from typing import Any

_tasks: set[asyncio.Task[None]] = set()  # the event loop itself would forget them


def start(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Run it in a task that a process waits for before it stops."""
    task = asyncio.create_task(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    return task


def under_way() -> frozenset[asyncio.Task[None]]:
    """Return the tasks that have not ended yet."""
    return frozenset(_tasks)
