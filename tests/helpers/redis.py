"""A Redis for tests of what processes share."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis, from_url


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.slow)])
async def between_processes(request: pytest.FixtureRequest) -> AsyncIterator[Redis | None]:
    """Yield an empty Redis that processes share, or None for a single process."""
    if request.param == "memory":
        yield None
        return
    async with from_url(request.getfixturevalue("redis_url"), decode_responses=True) as shared:
        await shared.flushall()
        yield shared
