"""While Redis is gone, this process has no tabs.

What a tab holds is kept there, so nothing that it sends could be answered, or even refused in
words. A tab that is sent away says by itself that the connection is interrupted, keeps what is
typed in it, and tries again. When Redis is back, perhaps with nothing in it, the tab starts afresh
with what its browser keeps.
"""

import asyncio
from collections.abc import Callable
from functools import partial

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError
from reflex.app import App
from reflex.istate.manager.redis import enable_keyspace_notifications

from fuel_app.kit import background
from fuel_app.kit.redis import redis
from fuel_app.server import shutdown
from fuel_app.server.reflex import tab_states

log = structlog.get_logger()

_LOOK_S = 1.0
_PATIENCE_S = 3.0

_gone = False


def is_gone() -> bool:
    return _gone


async def watch(app: App) -> None:
    """Look as long as this process runs; where there is no Redis, there is nothing to see."""
    connections, known = redis(), ""
    while connections:
        known = await look(connections, known, partial(tab_states.forget, app))
        await asyncio.sleep(_LOOK_S)


async def look(connections: Redis, known: str, forget: Callable[[], None]) -> str:
    """Send the tabs away if Redis is gone, or is another one than before: each start has a name.

    Args:
        known: What the last look has returned: the name of the start that there was.
        forget: Lets go of what tabs hold in this process's memory.
    """
    global _gone
    name = await _name_of_start(connections)
    restarted = bool(known) and name not in {"", known}
    was_gone, _gone = _gone, not name
    if restarted:
        await _have_changes_told(connections)
    if (_gone or restarted) and not was_gone:
        log.error("redis.gone")
        forget()
        background.start(shutdown.send_away())  # which takes a while; Redis may be back before
    elif was_gone and name:
        log.info("redis.back")
    return name or known


async def _name_of_start(connections: Redis) -> str:
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return (await connections.info("server"))["run_id"]
    except (RedisError, OSError):  # a timeout is an OSError, too
        return ""


async def _have_changes_told(connections: Redis) -> None:
    """The framework asks for this once: with a Redis that has forgotten it, who waits for a tab's
    turn would not hear that it has come."""
    try:
        await enable_keyspace_notifications(connections)
    except (RedisError, OSError):
        log.exception("redis.not_prepared")
