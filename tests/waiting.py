"""Waiting for another process."""

from collections.abc import Awaitable, Callable
from operator import not_

from tenacity import AsyncRetrying, Retrying, retry_if_result, stop_after_delay, wait_fixed

_PAUSE_S = 0.02


def came_true(condition: Callable[[], bool], *, within: float, pause_s: float = _PAUSE_S) -> bool:
    """Poll a condition for so many seconds. Return True if it held."""
    looks = Retrying(
        retry=retry_if_result(not_),
        wait=wait_fixed(pause_s),
        stop=stop_after_delay(within),
        retry_error_callback=lambda _: False,
    )
    return looks(condition)


async def comes_true(
    condition: Callable[[], Awaitable[bool]], *, within: float, pause_s: float = _PAUSE_S
) -> bool:
    """Poll an awaitable condition for so many seconds. Return True if it held."""
    looks = AsyncRetrying(
        retry=retry_if_result(not_),
        wait=wait_fixed(pause_s),
        stop=stop_after_delay(within),
        retry_error_callback=lambda _: False,
    )
    return await looks(condition)
