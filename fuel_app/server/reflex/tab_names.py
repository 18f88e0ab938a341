"""A tab keeps its name when it changes processes: see docs/decisions/tab-state.md."""

import asyncio
from contextlib import suppress

from redis.exceptions import RedisError
from reflex.app import App
from reflex.utils.token_manager import RedisTokenManager

_LET_GO_S = 2.0  # a process that is busy has told Redis by then that a tab has left
_PAUSE_S = 0.05


def share(app: App) -> None:
    """Have an app with Redis name its tabs as this module does."""
    namespace = app.event_namespace
    if namespace and isinstance(names := namespace._token_manager, RedisTokenManager):
        namespace._token_manager = TabNames(names.redis)


class TabNames(RedisTokenManager):
    """The framework's own, with a little patience.

    To it, a name that is still taken belongs to a copy of the tab, which gets another name and
    starts afresh. It may be the tab itself, here sooner than Redis knows that it has left.
    """

    async def link_token_to_sid(self, token: str, sid: str) -> str | None:
        with suppress(RedisError, OSError, TimeoutError):
            async with asyncio.timeout(_LET_GO_S):
                await self._let_go(token)
        return await super().link_token_to_sid(token, sid)

    async def _let_go(self, token: str) -> None:
        while not self._is_here(token) and await self.redis.exists(self._get_redis_key(token)):  # noqa: ASYNC110
            await asyncio.sleep(_PAUSE_S)  # Redis tells nobody here

    def _is_here(self, token: str) -> bool:
        """Whether another connection of this process has the name: that is a copy."""
        record = self.token_to_socket.get(token)
        return record is not None and record.instance_id == self.instance_id
