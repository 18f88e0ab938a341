"""How several processes share what tabs hold: see docs/decisions/tab-state.md.

The process that a tab talks to keeps the tab's state in memory for a while, under a lock in Redis,
and writes it back when that is over or another process asks for it. The framework can do
that; what is here makes it safe to rely on.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast
from weakref import WeakValueDictionary

import structlog
from redis.exceptions import RedisError
from reflex.app import App
from reflex.istate.manager.redis import RedisPubSubMessage, StateManagerRedis
from reflex.istate.manager.token import StateToken
from reflex_base.utils.exceptions import LockExpiredError

from fuel_app.kit import background

log = structlog.get_logger()
T = TypeVar("T")

_HELD_MS = 5_000  # most visitors press something else within this time
_LOCK_MS = 7_000  # so long the lock of a process that is killed outlives it
_RENEWED_S = 3.0  # so often a living process renews its own
_EVENT_S = 40  # for so long: no event of ours takes longer, and stopping waits less

_NO_REDIS = (RedisError, OSError)
_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
"""
_RENEW = """
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
"""


def share(app: App) -> None:
    """Have an app with Redis keep its tabs as this module does."""
    if isinstance(app.state_manager, StateManagerRedis):
        app._state_manager = TabStates(redis=app.state_manager.redis)


def forget(app: App) -> None:
    """Let go of what is in memory: Redis has lost it, or the way to Redis is."""
    if isinstance(app.state_manager, TabStates):
        app.state_manager.forget()


async def _uncancelled(question: Coroutine[Any, Any, T]) -> T:
    """Ask Redis in a task of its own.

    In one that was cancelled, a time limit that is reached cancels it once more (Python before
    3.11.3), and each question to Redis has one.
    """
    return await asyncio.shield(asyncio.create_task(question))


@dataclass
class TabStates(StateManagerRedis):
    """The framework's own, with the lock of a tab released and renewed by nobody but its holder."""

    lock_expiration: int = _LOCK_MS
    oplock_hold_time_ms: int = _HELD_MS
    _oplock_enabled: bool = field(default=True, init=False)
    # The framework never forgets one of these, half a kilobyte for each tab there has ever been.
    _cached_states_locks: Any = field(default_factory=WeakValueDictionary, init=False)

    def forget(self) -> None:
        """What is written back after this is refused; a tab that comes again starts afresh."""
        self._cached_states.clear()
        for lease in self._local_leases.values():
            lease.cancel()

    @asynccontextmanager
    async def _lock(
        self, token: StateToken[Any], event_name: str | None = None
    ) -> AsyncIterator[bytes]:
        """Unlike the framework's: who was cancelled while asking leaves no lock behind that nobody
        holds, a long event keeps its lock, a late one does not release somebody else's, and none is
        released before everything is written back."""
        key, mine = self._lock_key(token), f"{event_name or ''}:{uuid.uuid4().hex}".encode()
        # As long as the lock is ours, so is this: the leases find it by its name.
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
                async with turn:  # a lease that is asked for while it ends leaves before it writes
                    await self._release(key, mine)
            finally:
                renewing.cancel()

    async def _release(self, key: bytes, mine: bytes) -> None:
        with suppress(*_NO_REDIS):  # then it ends by itself
            await _uncancelled(cast("Any", self.redis.eval)(_RELEASE, 1, key, mine))
        self._notify_next_waiter(key)

    async def _renew(self, key: bytes, mine: bytes) -> None:
        for _ in range(round(_EVENT_S / _RENEWED_S)):
            await asyncio.sleep(_RENEWED_S)
            with suppress(*_NO_REDIS):
                await cast("Any", self.redis.eval)(_RENEW, 1, key, mine, self.lock_expiration)

    async def _try_extend_lock(self, lock_key: bytes) -> bool | None:
        with suppress(*_NO_REDIS):  # or the lease would end before it has tidied up
            return await _uncancelled(super()._try_extend_lock(lock_key))

    @asynccontextmanager
    async def _request_lock_release(self, lock_key: bytes, lock_id: bytes) -> AsyncIterator[None]:
        """Two who begin to wait in the moment in which the lock is released have missed the news,
        and each would take the other for the one who tries next."""
        async with super()._request_lock_release(lock_key, lock_id):
            self._notify_next_waiter(lock_key)
            yield

    async def _handle_lock_contention(self, message: RedisPubSubMessage) -> None:
        """It waits for the tab's event. Meanwhile the others' news have to be heard."""
        background.start(super()._handle_lock_contention(message))

    async def set_state(
        self, token: Any, state: Any, *, lock_id: bytes | None = None, **context: Any
    ) -> None:
        try:
            await super().set_state(token, state, lock_id=lock_id, **context)
        except (LockExpiredError, *_NO_REDIS) as error:
            # An event that cannot keep what it has done fails; at the end of a lease there is no
            # event any more, and nobody to tell.
            if lock_id is None or self._coerce_token(token).lock_key not in self._local_leases:
                raise
            log.warning("tab.not_kept", why=type(error).__name__)
