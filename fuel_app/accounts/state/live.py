"""Live updates of a staff screen while it is open."""

import asyncio
from collections.abc import Awaitable, Callable

import reflex as rx

from fuel_app.accounts.state.session import SessionState
from fuel_app.kit import signals as live
from fuel_app.kit.signals import SESSIONS

_PAUSE_S = 0.5


async def follow(tab: rx.State, refresh: Callable[[], Awaitable[None]], *topics: str) -> None:
    """Refresh a screen whenever a topic has changed, while its browser is signed in.

        @rx.event(background=True)
        @staff_only
        async def follow(self):
            await live.follow(self, self._refresh, LEADS)

    Such an event belongs in its page's `on_load`, after the one that loads: the framework cancels
    those when the tab goes to another page or is closed.

    Args:
        tab: The state, in a background event.
        refresh: Called with the tab's lock held.
    """
    async with live.listening(*topics, SESSIONS) as changes:
        while await changes.next():
            async with tab:
                if not await (await tab.get_state(SessionState))._look():
                    return
                await refresh()
            await asyncio.sleep(_PAUSE_S)  # a burst of joins is one refresh, not one each
