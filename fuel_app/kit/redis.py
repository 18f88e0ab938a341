"""The Redis that several processes share, where there is one."""

from functools import cache

from redis.asyncio import Redis, from_url

from fuel_app.settings import settings


@cache
def redis() -> Redis | None:
    """This process's connections, or None for a process that is alone."""
    if not settings.redis_url:
        return None
    return from_url(settings.redis_url, decode_responses=True)
