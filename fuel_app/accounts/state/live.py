"""Live updates of a staff screen while it is open."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import ClassVar

import reflex as rx
import structlog

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.session import SessionState, StaffScreen, actor_of, admin_only
from fuel_app.kit import signals as live
from fuel_app.kit.errors import Refusal
from fuel_app.kit.signals import SESSIONS

log = structlog.get_logger()

_PAUSE_S = 0.5


async def follow(
    tab: rx.State,
    refresh: Callable[[], Awaitable[None]],
    *topics: str,
    every_s: float | None = None,
    after_s: float = 0,
) -> None:
    """Refresh a screen whenever a topic has changed, while its browser is signed in.

        @staff_only(background=True)
        async def follow(self):
            await live.follow(self, self._refresh, LEADS)

    Such an event belongs in its page's `on_load`, after the one that loads: the framework cancels
    those when the tab goes to another page or is closed.

    Args:
        tab: The state, in a background event.
        refresh: Called with the tab's lock held.
        every_s: Refresh also after so long without a change.
        after_s: Wait so long first: the tab that has made the change is answered before others.
    """
    async with live.listening(*topics, SESSIONS) as changes:
        while await changes.next(every_s) or every_s:
            await asyncio.sleep(after_s)
            async with tab:
                if not await (await tab.get_state(SessionState))._look():
                    return
                began = time.monotonic()
                await refresh()
                took = time.monotonic() - began
            # A burst of joins is one refresh, and no screen refreshes for over a tenth of the time.
            await asyncio.sleep(max(_PAUSE_S, 9 * took))


class AdminScreen(StaffScreen, mixin=True):
    """A screen for admins that is read again whenever one of its topics has changed."""

    ROLES: ClassVar[tuple[Role, ...]] = (Role.ADMIN,)
    TOPICS: ClassVar[tuple[str, ...]]

    loading: bool = True
    failed: bool = False

    @admin_only
    async def load(self):
        await self._refresh()

    @admin_only(background=True)
    async def follow(self):
        """Show what others change without a reload."""
        await follow(self, self._refresh, *self.TOPICS)

    async def _refresh(self) -> None:
        try:
            await self._read(await actor_of(self))
            self.failed = False
        except Refusal:  # the role has gone meanwhile
            self._start_over()
        except Exception:
            log.exception("screen.read_failed", screen=type(self).__name__)
            self.failed = True
        self.loading = False

    async def _read(self, actor: Actor) -> None:
        """Read what it shows; where that fails, it keeps what it has shown."""
        raise NotImplementedError
