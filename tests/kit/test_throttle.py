"""Rate limits in one process, in several, and without Redis."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import redis.asyncio
from limits.aio.storage import MemoryStorage

from fuel_app.kit import throttle
from fuel_app.kit.errors import TooManyRequests, WrongPassword
from fuel_app.kit.throttle import Limit, Throttle, household

HERE = "203.0.113.1"
ELSEWHERE = "203.0.113.2"
THRICE = Limit("try", times=3, minutes=15)


def in_memory() -> Throttle:
    return Throttle(MemoryStorage())


async def spend(throttle: Throttle, times: int, address: str = HERE) -> None:
    for _ in range(times):
        await throttle.spend(THRICE, address)


async def test_limit_is_per_action_and_address():
    throttle = in_memory()
    await spend(throttle, 3)
    with pytest.raises(TooManyRequests, match=r"Too many attempts\. Try again in 15 minutes\."):
        await spend(throttle, 1)
    await spend(throttle, 3, ELSEWHERE)
    await throttle.spend(Limit("another", times=3, minutes=15), HERE)


async def test_limit_resets_after_its_window(monkeypatch):
    throttle = in_memory()
    now = 1_800_000_000.0
    monkeypatch.setattr("time.time", lambda: now)
    await spend(throttle, 3)
    now += 14 * 60 + 30
    with pytest.raises(TooManyRequests, match=r"Try again in 1 minute\."):
        await spend(throttle, 1)
    now += 31
    await spend(throttle, 1)


@pytest.mark.parametrize("make", [in_memory, throttle.Unlimited])
async def test_a_forgotten_address_begins_anew(make):
    throttle = make()
    await spend(throttle, 3)
    await throttle.forget(THRICE, HERE)
    await spend(throttle, 3)


async def fail(throttle: Throttle, address: str = HERE) -> None:
    with pytest.raises(WrongPassword):
        async with throttle.failing(THRICE, address):
            raise WrongPassword


async def succeed(throttle: Throttle, address: str = HERE) -> None:
    async with throttle.failing(THRICE, address):
        pass


async def fail_at_once(*throttles: Throttle, times: int) -> list[type]:
    tries = [fail(throttle) for throttle in throttles for _ in range(times)]
    answers = await asyncio.gather(*tries, return_exceptions=True)
    return [type(answer) for answer in answers]


async def test_failing_counts_only_refusals():
    throttle = in_memory()
    for _ in range(10):
        await succeed(throttle)
    await fail(throttle)
    await fail(throttle)
    await succeed(throttle)
    await fail(throttle)
    with pytest.raises(TooManyRequests, match=r"Try again in 15 minutes\."):
        await succeed(throttle)
    await succeed(throttle, ELSEWHERE)


async def test_parallel_failures_are_counted():
    answers = await fail_at_once(in_memory(), times=20)
    assert (answers.count(type(None)), answers.count(TooManyRequests)) == (3, 17)


async def test_an_attempt_waits_no_longer_than_the_longest_attempt(monkeypatch):
    monkeypatch.setattr(throttle, "_LOCK_S", 0.05)
    here = in_memory()
    async with here.failing(THRICE, HERE):
        with pytest.raises(TooManyRequests, match=r"Try again in 1 minute\."):
            await succeed(here)
    await succeed(here)


async def test_unexpected_errors_are_not_counted():
    throttle = in_memory()
    for _ in range(5):
        with pytest.raises(ConnectionError):
            async with throttle.failing(THRICE, HERE):
                raise ConnectionError


@pytest.mark.parametrize(
    ("address", "counted_as"),
    [
        ("203.0.113.7:5678", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::1", "2001:db8:1:2::/64"),
        ("[2001:db8:1:3::1]:50123", "2001:db8:1:3::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("", ""),
        ("unknown", "unknown"),
    ],
)
def test_ipv6_network_is_one_address(address, counted_as):
    assert household(address) == counted_as


@pytest.fixture
async def empty_redis(redis_url: str) -> AsyncIterator[redis.asyncio.Redis]:
    async with redis.asyncio.from_url(redis_url) as client:
        await client.flushall()
        yield client


@pytest.fixture
def two_processes(redis_url: str, empty_redis, throttle_on: Callable[[str], Throttle]) -> list[Any]:
    return [throttle_on(redis_url) for _ in range(2)]


@pytest.mark.slow
async def test_two_processes_count_together(two_processes):
    one, other = two_processes
    await spend(one, 2)
    await spend(other, 1)
    for process in two_processes:
        with pytest.raises(TooManyRequests, match=r"Too many attempts\. Try again in 15 minutes\."):
            await spend(process, 1)
        await spend(process, 1, ELSEWHERE)


@pytest.mark.slow
async def test_parallel_failures_at_two_processes_are_counted(two_processes, empty_redis):
    answers = await fail_at_once(*two_processes, times=10)
    assert (answers.count(type(None)), answers.count(TooManyRequests)) == (3, 17)
    assert not [key for key in await empty_redis.keys() if b"fuel:lock" in key]


@pytest.mark.slow
async def test_a_shared_lock_is_renewed_while_its_block_runs(
    two_processes, empty_redis, monkeypatch
):
    monkeypatch.setattr(throttle, "_LOCK_S", 3)
    async with two_processes[0].alone(THRICE, HERE):
        [key] = [key for key in await empty_redis.keys() if b"fuel:lock" in key]
        left = [await empty_redis.pttl(key)]
        async with asyncio.timeout(10):
            while left[-1] <= min(left):
                await asyncio.sleep(0.1)
                left.append(await empty_redis.pttl(key))
        assert min(left) > 0
    assert not await empty_redis.exists(key)


async def test_without_redis_nothing_is_limited(throttle_on, logged):
    without_redis = throttle_on("redis://127.0.0.1:1/0")
    await spend(without_redis, 5)
    for _ in range(5):
        await fail(without_redis)
    await succeed(without_redis)
    await without_redis.forget(THRICE, HERE)
    assert {(entry["log_level"], entry["event"]) for entry in logged} == {
        ("error", "throttle.unavailable")
    }
