"""A tab that changes processes keeps its name, and what it holds; a copy gets a name of its own."""

import asyncio
import uuid
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis, from_url

from fuel_app.server.reflex import redis_tabs
from fuel_app.server.reflex.redis_tabs import TabNames

pytestmark = pytest.mark.slow


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    async with from_url(redis_url) as client:
        yield client


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redis_tabs, "_LET_GO_S", 0.1)


@pytest.fixture
def tab() -> str:
    return str(uuid.uuid4())


async def test_a_tab_that_reconnects_early_keeps_its_token(redis, tab):
    before, after = TabNames(redis), TabNames(redis)
    await before.link_token_to_sid(tab, "first")
    coming = asyncio.create_task(after.link_token_to_sid(tab, "second"))
    assert not (await asyncio.wait({coming}, timeout=0.2))[0]
    await before.disconnect_token(tab, "first")
    assert await coming is None
    assert after.sid_to_token["second"] == tab


async def test_a_duplicated_tab_at_another_process_gets_a_new_token(redis, tab, impatient):
    here, there = TabNames(redis), TabNames(redis)
    await here.link_token_to_sid(tab, "first")
    named = await there.link_token_to_sid(tab, "copy")
    assert named not in (None, tab)
    assert here.sid_to_token["first"] == tab


async def test_a_duplicated_tab_at_the_same_process_gets_a_new_token_at_once(redis, tab):
    here = TabNames(redis)
    await here.link_token_to_sid(tab, "first")
    async with asyncio.timeout(redis_tabs._LET_GO_S / 2):
        assert await here.link_token_to_sid(tab, "copy") not in (None, tab)


async def test_without_redis_a_tab_keeps_its_token(tab):
    here = TabNames(from_url("redis://127.0.0.1:1/0"))
    assert await here.link_token_to_sid(tab, "first") is None
