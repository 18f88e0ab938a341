"""What the tests of providers share."""

from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis, from_url


@pytest.fixture(params=["memory", pytest.param("redis", marks=pytest.mark.slow)])
async def between_processes(request: pytest.FixtureRequest) -> AsyncIterator[Redis | None]:
    """What processes share: an empty Redis, or nothing where there is only one of them."""
    if request.param == "memory":
        yield None
        return
    async with from_url(request.getfixturevalue("redis_url"), decode_responses=True) as shared:
        await shared.flushall()
        yield shared
