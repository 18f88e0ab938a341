"""The Redis that several processes share."""

from functools import cache

from redis.asyncio import Redis, from_url
from redis.exceptions import RedisError

from fuel_app.settings import settings

UNAVAILABLE = (RedisError, OSError)


@cache
def redis() -> Redis | None:
    """Return this process's connections, or None without Redis."""
    if not settings.redis_url:
        return None
    return from_url(settings.redis_url, decode_responses=True)
