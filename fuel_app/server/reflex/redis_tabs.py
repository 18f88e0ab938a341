"""Tab states and tab tokens shared by several processes through Redis: docs/framework.md.

Tabs are disconnected while Redis is unavailable.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

import structlog
from redis.asyncio import Redis
from reflex.app import App
from reflex.istate.manager.redis import (
    RedisPubSubMessage,
    StateManagerRedis,
    enable_keyspace_notifications,
)
from reflex.istate.manager.token import StateToken
from reflex.utils.token_manager import RedisTokenManager
from reflex_base.utils.exceptions import LockExpiredError

from fuel_app.kit import background
from fuel_app.kit.signals import UNAVAILABLE, redis
from fuel_app.server.reflex import shutdown

log = structlog.get_logger()
T = TypeVar("T")

_HELD_MS = 5_000  # most visitors press something else within this time
_LOCK_MS = 7_000  # the lock of a killed process outlives it by up to this
_RENEWED_S = 3.0
_EVENT_S = 40  # the longest event; stopping waits less
_LET_GO_S = 2.0  # by then a busy process has told Redis that a tab has left
_POLL_S = 0.05

_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""
_RENEW = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
"""


def share(app: App) -> None:
    """Keep the tabs of an app with Redis in the classes below."""
    if isinstance(app.state_manager, StateManagerRedis):
        app._state_manager = TabStates(redis=app.state_manager.redis)
    namespace = app.event_namespace
    if namespace and isinstance(names := namespace._token_manager, RedisTokenManager):
        namespace._token_manager = TabNames(names.redis)


def forget(app: App) -> None:
    """Drop the states in memory: Redis has lost its copy, or cannot be reached."""
    if isinstance(app.state_manager, TabStates):
        app.state_manager.forget()


async def _uncancelled(command: Coroutine[Any, Any, T]) -> T:
    """Run a Redis command in its own task: in a cancelled task its timeout would cancel once more
    (Python before 3.11.3)."""
    return await asyncio.shield(asyncio.create_task(command))


@dataclass
class TabStates(StateManagerRedis):
    """Reflex's own state manager, with locks released and renewed by their holder alone."""

    lock_expiration: int = _LOCK_MS
    oplock_hold_time_ms: int = _HELD_MS
    _oplock_enabled: bool = field(default=True, init=False)
    # Reflex keeps one of these per tab for ever, half a kilobyte each.
    _cached_states_locks: Any = field(default_factory=WeakValueDictionary, init=False)

    def forget(self) -> None:
        """Drop all states; later writes are refused, and returning tabs start anew."""
        self._cached_states.clear()
        for lease in self._local_leases.values():
            lease.cancel()

    @asynccontextmanager
    async def _lock(
        self, token: StateToken[Any], event_name: str | None = None
    ) -> AsyncIterator[bytes]:
        """Unlike Reflex's: a cancelled wait leaves no lock behind, a long event keeps its lock, a
        late one does not release another's, and none is released before the write-back."""
        key, mine = self._lock_key(token), f"{event_name or ''}:{uuid.uuid4().hex}".encode()
        # Referenced for as long as the lock is held: the leases find it by its key.
        turn = self._cached_states_locks.setdefault(token.lock_key, asyncio.Lock())
        try:
            await self._wait_lock(key, mine)
        except asyncio.CancelledError:
            await self._release(key, mine)
            raise
        renewing = asyncio.create_task(self._renew(key, mine))
        try:
            yield mine
        finally:
            try:
                async with turn:  # a lease that was asked for at its end would leave unwritten
                    await self._release(key, mine)
            finally:
                renewing.cancel()

    async def _release(self, key: bytes, mine: bytes) -> None:
        with suppress(*UNAVAILABLE):  # then it expires
            await _uncancelled(cast("Any", self.redis.eval)(_RELEASE, 1, key, mine))
        self._notify_next_waiter(key)

    async def _renew(self, key: bytes, mine: bytes) -> None:
        for _ in range(round(_EVENT_S / _RENEWED_S)):
            await asyncio.sleep(_RENEWED_S)
            with suppress(*UNAVAILABLE):
                await cast("Any", self.redis.eval)(_RENEW, 1, key, mine, self.lock_expiration)

    async def _try_extend_lock(self, lock_key: bytes) -> bool | None:
        with suppress(*UNAVAILABLE):  # or the lease would end without its clean-up
            return await _uncancelled(super()._try_extend_lock(lock_key))

    @asynccontextmanager
    async def _request_lock_release(self, lock_key: bytes, lock_id: bytes) -> AsyncIterator[None]:
        """Wake the first waiter: two that start waiting as the lock is released would miss it, and
        each would wait for the other."""
        async with super()._request_lock_release(lock_key, lock_id):
            self._notify_next_waiter(lock_key)
            yield

    async def _handle_lock_contention(self, message: RedisPubSubMessage) -> None:
        """Run beside the subscription: it waits for one tab's event, and the other tabs' messages
        must be heard meanwhile."""
        background.start(super()._handle_lock_contention(message))

    async def set_state(
        self, token: Any, state: Any, *, lock_id: bytes | None = None, **context: Any
    ) -> None:
        try:
            await super().set_state(token, state, lock_id=lock_id, **context)
        except (LockExpiredError, *UNAVAILABLE) as error:
            # An event whose state cannot be stored fails; at the end of a lease there is none.
            if lock_id is None or self._coerce_token(token).lock_key not in self._local_leases:
                raise
            log.warning("tab.state_lost", reason=type(error).__name__)


class TabNames(RedisTokenManager):
    """Reflex's own token manager, with a wait.

    Reflex takes a token that is still in use for a duplicated tab and gives it a new one with an
    empty state. It may be the tab itself, reconnecting before Redis knows that it has left.
    """

    async def link_token_to_sid(self, token: str, sid: str) -> str | None:
        with suppress(*UNAVAILABLE):
            async with asyncio.timeout(_LET_GO_S):
                await self._let_go(token)
        return await super().link_token_to_sid(token, sid)

    async def _let_go(self, token: str) -> None:
        while not self._is_here(token) and await self.redis.exists(self._get_redis_key(token)):  # noqa: ASYNC110
            await asyncio.sleep(_POLL_S)  # Redis sends no event for this

    def _is_here(self, token: str) -> bool:
        """Return whether another connection of this process has the token: a duplicated tab."""
        record = self.token_to_socket.get(token)
        return record is not None and record.instance_id == self.instance_id


_INTERVAL_S = 1.0
_TIMEOUT_S = 3.0

_gone = False


def is_gone() -> bool:
    return _gone


async def watch(app: App) -> None:
    """Check Redis for as long as this process runs; return at once without one."""
    connections, run_id = redis(), ""
    while connections:
        run_id = await look(connections, run_id, partial(forget, app))
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
