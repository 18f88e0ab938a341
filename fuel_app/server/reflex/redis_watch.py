"""Disconnects the tabs while Redis is unavailable.

Tab states are in Redis, so no event could be answered, or even refused in words. A disconnected tab
says that the connection is interrupted, keeps what was typed, and retries. When Redis is back,
perhaps empty, the tab starts anew with what its browser keeps.
"""

import asyncio
from collections.abc import Callable
from functools import partial

import structlog
from redis.asyncio import Redis
from reflex.app import App
from reflex.istate.manager.redis import enable_keyspace_notifications

from fuel_app.kit import background
from fuel_app.kit.redis import UNAVAILABLE, redis
from fuel_app.server.reflex import redis_tabs, shutdown

log = structlog.get_logger()

_INTERVAL_S = 1.0
_TIMEOUT_S = 3.0

_gone = False


def is_gone() -> bool:
    return _gone


async def watch(app: App) -> None:
    """Check Redis for as long as this process runs; return at once without one."""
    connections, known = redis(), ""
    while connections:
        known = await look(connections, known, partial(redis_tabs.forget, app))
        await asyncio.sleep(_INTERVAL_S)


async def look(connections: Redis, known: str, forget: Callable[[], None]) -> str:
    """Send the tabs away if Redis is gone or was restarted, which its run id tells.

    Return the run id, which the next call is given as `known`.
    """
    global _gone
    run_id = await _run_id(connections)
    restarted = bool(known) and run_id not in {"", known}
    was_gone, _gone = _gone, not run_id
    if restarted:
        await _enable_notifications(connections)
    if (_gone or restarted) and not was_gone:
        log.error("redis.lost")
        forget()
        background.start(shutdown.send_away())  # takes a while; Redis may be back before
    elif was_gone and run_id:
        log.info("redis.restored")
    return run_id or known


async def _run_id(connections: Redis) -> str:
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            return (await connections.info("server"))["run_id"]
    except UNAVAILABLE:  # a timeout is an OSError, too
        return ""


async def _enable_notifications(connections: Redis) -> None:
    """Enable the keyspace notifications that waits for a tab's lock need; Reflex does so only once,
    and a restarted Redis has forgotten it."""
    try:
        await enable_keyspace_notifications(connections)
    except UNAVAILABLE:
        log.exception("redis.notifications_failed")
