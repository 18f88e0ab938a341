"""Work that goes on after its request has been answered, such as an import."""

import asyncio
from collections.abc import Coroutine
from typing import Any

_tasks: set[asyncio.Task[None]] = set()  # the event loop itself would forget them


def start(work: Coroutine[Any, Any, None]) -> None:
    """Go on with it; a process that stops waits for it."""
    task = asyncio.create_task(work)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)


def under_way() -> frozenset[asyncio.Task[None]]:
    """What has not ended yet."""
    return frozenset(_tasks)
