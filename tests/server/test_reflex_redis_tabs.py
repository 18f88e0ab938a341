"""Two processes share the tabs' states, also when one of them or their Redis fails."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

import pytest
import reflex as rx
from redis.asyncio import from_url
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from reflex.istate.manager.token import BaseStateToken
from reflex_base.utils.exceptions import LockExpiredError
from structlog.testing import capture_logs

from fuel_app.joining.state import WaitlistState
from fuel_app.server.reflex import redis_tabs
from fuel_app.server.reflex.redis_tabs import TabStates
from tests.servers import redis_server
from tests.waiting import comes_true

pytestmark = pytest.mark.slow

SOON_S = 1  # much less than a lock lasts
LONG_MS = 4_000


@pytest.fixture
async def process(redis_url) -> AsyncIterator[Callable[..., Awaitable[TabStates]]]:
    """Start another process that serves tabs."""
    async with AsyncExitStack() as stack:

        async def start(kind: type[TabStates] = TabStates, **differs: Any) -> TabStates:
            states = kind(redis=from_url(redis_url), **differs)
            stack.push_async_callback(states.close)
            await states._ensure_lock_task_subscribed()  # before that it keeps nothing in memory
            return states

        yield start


@pytest.fixture
def tab() -> BaseStateToken:
    return BaseStateToken(ident=str(uuid.uuid4()), cls=rx.State)


@asynccontextmanager
async def event(
    states: TabStates, tab: BaseStateToken, within: float = SOON_S
) -> AsyncIterator[Any]:
    """Run an event of a tab at a process; give the tab's state."""
    async with asyncio.timeout(within), states.modify_state(tab) as root:
        yield await root.get_state(WaitlistState)


async def held(states: TabStates, tab: BaseStateToken) -> str:
    async with event(states, tab) as state:
        return state.stage


async def set_stage(states: TabStates, tab: BaseStateToken, stage: Any) -> None:
    async with event(states, tab) as state:
        state.stage = stage


async def ended(states: TabStates) -> bool:
    """Wait until a process has released every tab by itself."""
    return await comes_true(partial(_nothing_held, states), within=5)


async def _nothing_held(states: TabStates) -> bool:
    return not states._local_leases and not await states.redis.keys("*_lock")


async def _let_go(states: TabStates) -> bool:
    return not states._local_leases


async def _waited_for(states: TabStates, tab: BaseStateToken) -> bool:
    return await states.redis.exists(f"{tab.lock_key}_lock_waiters")


async def test_a_tab_finds_its_latest_state_at_another_process(process, tab):
    here, there = await process(oplock_hold_time_ms=LONG_MS), await process()
    await set_stage(here, tab, "picker")
    await set_stage(here, tab, "joined")
    assert await held(there, tab) == "joined"
    assert await held(here, tab) == "joined"


async def test_an_idle_tabs_lease_ends(process, tab):
    states = await process(oplock_hold_time_ms=50)
    await set_stage(states, tab, "joined")
    assert await ended(states)
    assert not states._cached_states
    assert not states._cached_states_locks
    assert await held(states, tab) == "joined"


async def test_concurrent_events_of_one_tab_at_two_processes_are_all_kept(process, tab):
    states = await process(), await process()

    async def add(number: int) -> None:
        async with event(states[number % 2], tab, within=60) as state:  # the last waits for all
            state.neighborhoods = [*state.neighborhoods, number]

    await asyncio.gather(*map(add, range(30)))
    async with event(states[0], tab) as state:
        assert sorted(state.neighborhoods) == list(range(30))


async def test_two_new_waiters_at_a_release_do_not_deadlock(process, tab):
    class TooEarly(TabStates):
        early = 2

        async def _try_get_lock(self, lock_key: bytes, lock_id: bytes) -> bool | None:
            if self.early:
                self.early -= 1
                await asyncio.sleep(0)
                return False
            return await super()._try_get_lock(lock_key, lock_id)

    states = await process(TooEarly)
    assert await asyncio.gather(held(states, tab), held(states, tab)) == ["form", "form"]


async def test_waiting_for_a_long_event_blocks_no_other_tab(process, tab):
    here, there = await process(oplock_hold_time_ms=LONG_MS), await process()
    other = BaseStateToken(ident=str(uuid.uuid4()), cls=rx.State)
    await set_stage(here, other, "joined")
    async with event(here, tab):
        waiting = asyncio.create_task(held(there, tab))
        assert await comes_true(partial(_waited_for, here, tab), within=SOON_S)
        assert await held(there, other) == "joined"
    await waiting


async def test_a_request_at_the_end_of_a_lease_gets_the_latest_state(process, tab):
    here, there = await process(oplock_hold_time_ms=200), await process()
    async with event(here, tab) as state:
        state.stage = "joined"
        asking = asyncio.create_task(held(there, tab))

        async def both_wait_for_the_event() -> bool:
            turn = here._cached_states_locks[tab.lock_key]
            return len(turn._waiters or ()) == 2  # the other process's request, and the lease's end

        assert await comes_true(both_wait_for_the_event, within=SOON_S)
    assert await asking == "joined"


async def test_a_long_event_keeps_its_lock(process, tab, monkeypatch):
    monkeypatch.setattr(redis_tabs, "_RENEWED_S", 0.05)
    short = {"lock_expiration": 5000, "lock_warning_threshold": 4000, "oplock_hold_time_ms": 50}
    states, key = await process(**short), f"{tab.lock_key}_lock"
    async with event(states, tab) as state:
        state.stage = "joined"
        left = [await states.redis.pttl(key)]

        async def is_renewed() -> bool:
            left.append(await states.redis.pttl(key))
            return left[-1] > left[-2] > 0

        for _ in range(8):
            assert await comes_true(is_renewed, within=SOON_S)
    assert await ended(states)
    assert await held(await process(), tab) == "joined"


async def test_a_cancelled_wait_leaves_no_lock_behind(process, tab):
    class Cancelled(TabStates):
        async def _try_get_lock(self, lock_key: bytes, lock_id: bytes) -> bool | None:
            await super()._try_get_lock(lock_key, lock_id)
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await held(await process(Cancelled), tab)
    assert await held(await process(), tab) == "form"


async def test_a_stale_lease_does_not_overwrite_a_newer_state(process, tab):
    here = await process(oplock_hold_time_ms=LONG_MS)
    there = await process(oplock_hold_time_ms=LONG_MS)
    await set_stage(here, tab, "joined")
    await here.redis.flushall()
    await set_stage(there, tab, "picker")
    with capture_logs() as lines:
        here.forget()
        assert await comes_true(partial(_let_go, here), within=SOON_S)
    assert lines == [], "nothing is even tried"
    assert await there.redis.exists(f"{tab.lock_key}_lock"), "it is the other one's"
    assert await held(here, tab) == "picker"


@pytest.fixture
async def unhandled() -> list[dict[str, Any]]:
    """Collect what would be in the log with a traceback."""
    found: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: found.append(context))
    return found


async def test_states_are_dropped_when_redis_is_lost(tab, unhandled):
    with redis_server() as server:
        connections = from_url(server.url, retry=Retry(NoBackoff(), 0))
        states = TabStates(redis=connections, oplock_hold_time_ms=LONG_MS)
        await states._ensure_lock_task_subscribed()
        await set_stage(states, tab, "picker")
        async with event(states, tab) as state:
            server.stop()
            state.stage = "joined"
            states.forget()
        assert await comes_true(partial(_let_go, states), within=SOON_S)
        server.start()
        assert await held(states, tab) == "form"
        await states.close()
    assert unhandled == []


async def test_a_lost_lock_is_one_log_entry(process, tab, unhandled):
    states = await process(oplock_hold_time_ms=100)
    other = await process(oplock_hold_time_ms=LONG_MS)
    with capture_logs() as lines:
        await set_stage(states, tab, "joined")
        await states.redis.flushall()
        await set_stage(other, tab, "picker")
        assert await comes_true(partial(_let_go, states), within=SOON_S)
    assert [(line["event"], line["reason"]) for line in lines] == [
        ("tab.state_lost", LockExpiredError.__name__)
    ]
    assert unhandled == []
    assert await held(states, tab) == "picker"


async def test_an_event_whose_state_cannot_be_stored_fails(process, tab):
    states = await process()
    with pytest.raises(LockExpiredError):
        await states.set_state(tab, await states.get_state(tab), lock_id=b"somebody else's")
