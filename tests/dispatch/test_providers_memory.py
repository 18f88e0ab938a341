"""What was answered lately is not asked again, whichever process asked."""

import json
from collections.abc import Callable
from math import inf

import pytest
from redis.asyncio import Redis, from_url

from fuel_app.dispatch.providers import choice as module
from fuel_app.dispatch.providers import memory
from fuel_app.dispatch.providers.chain import FirstThatAnswers
from fuel_app.dispatch.providers.memory import Memory, OwnMemory, SharedMemory
from fuel_app.dispatch.rules.geography import Point
from fuel_app.dispatch.rules.route import Drive, Leg
from tests.servers import free_port

A, B, C = (Point(27.3 + 0.01 * number, -82.5) for number in range(3))
DRIVE = Drive((Leg.lasting(60, 900),), (A, B), "Remote", order=(0, 1))
MATRIX = ((0.0, 1.5), (inf, 0.0))


@pytest.fixture
def process(between_processes: Redis | None) -> Callable[[], Memory]:
    """The memory of one process."""
    alone = OwnMemory()
    return lambda: SharedMemory(between_processes) if between_processes else alone


async def test_what_one_process_was_told_another_knows(process):
    one, other = process(), process()
    await one.keep("drive", [A, B], DRIVE)
    await one.keep("matrix", [A, B], MATRIX)
    assert await other.recall("drive", [A, B]) == DRIVE
    assert await other.recall("matrix", [A, B]) == MATRIX


async def test_another_question_is_another_question(process):
    known = process()
    await known.keep("drive", [A, B], DRIVE)
    for what, points in (("drive", [B, A]), ("drive", [A, B, C]), ("shortest", [A, B])):
        assert await known.recall(what, points) is None


async def test_what_is_too_large_is_not_kept(process):
    known = process()
    await known.keep("drive", [A, B], Drive(DRIVE.legs, (A,) * memory.REMEMBERED, "Remote"))
    assert await known.recall("drive", [A, B]) is None


async def test_the_oldest_goes_when_the_memory_is_full(monkeypatch):
    monkeypatch.setattr(memory, "REMEMBERED", 14)
    known = OwnMemory()
    for points in ([A, B], [B, A], [A, C]):
        await known.keep("drive", points, DRIVE)
    assert await known.recall("drive", [A, B]) is None
    assert await known.recall("drive", [A, C]) == DRIVE


@pytest.mark.slow
async def test_in_redis_it_ends_with_the_traffic_and_says_nothing_of_places(redis_url):
    async with from_url(redis_url, decode_responses=True) as shared:
        await shared.flushall()
        await SharedMemory(shared).keep("drive", [A, B], DRIVE)
        (key,) = await shared.keys()
        assert 0 < await shared.ttl(key) <= memory.FRESH_S
        assert str(A.lat) not in key


@pytest.mark.slow
async def test_what_another_release_has_kept_is_asked_again(redis_url):
    async with from_url(redis_url, decode_responses=True) as shared:
        await shared.flushall()
        known = SharedMemory(shared)
        await known.keep("drive", [A, B], DRIVE)
        (key,) = await shared.keys()
        await shared.set(key, json.dumps({"legs": "of another shape"}))
        assert await known.recall("drive", [A, B]) is None


async def test_without_redis_everything_is_asked():
    gone: Redis = from_url(f"redis://127.0.0.1:{free_port()}/0")
    async with gone:
        known = SharedMemory(gone)
        await known.keep("drive", [A, B], DRIVE)
        assert await known.recall("drive", [A, B]) is None


@pytest.mark.parametrize(
    ("redis_url", "kind"), [(None, OwnMemory), ("redis://localhost:6379/0", SharedMemory)]
)
def test_with_redis_the_providers_share_their_memory(redis_url, kind, monkeypatch):
    connections = from_url(redis_url) if redis_url else None
    monkeypatch.setattr(module, "redis", lambda: connections)
    providers = module.routing.__wrapped__()
    assert isinstance(providers, FirstThatAnswers)
    assert isinstance(providers._memory, kind)
