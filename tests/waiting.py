"""Waiting for another process."""

from collections.abc import Awaitable, Callable
from operator import not_

from tenacity import AsyncRetrying, Retrying, retry_if_result, stop_after_delay, wait_fixed

_PAUSE_S = 0.02  # between two looks, not instead of one


def came_true(condition: Callable[[], bool], *, within: float) -> bool:
    """Look until it is so, or for so many seconds."""
    looks = Retrying(
        retry=retry_if_result(not_),
        wait=wait_fixed(_PAUSE_S),
        stop=stop_after_delay(within),
        retry_error_callback=lambda _: False,
    )
    return looks(condition)


async def comes_true(condition: Callable[[], Awaitable[bool]], *, within: float) -> bool:
    """The same for what has to be awaited."""
    looks = AsyncRetrying(
        retry=retry_if_result(not_),
        wait=wait_fixed(_PAUSE_S),
        stop=stop_after_delay(within),
        retry_error_callback=lambda _: False,
    )
    return await looks(condition)
