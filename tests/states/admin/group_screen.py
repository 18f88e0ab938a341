"""A group's screen in a tab without a browser."""

from typing import Any

import reflex as rx

from fuel_app.states.admin.neighborhood import NeighborhoodState
from fuel_app.states.admin.neighborhood_tools import GroupToolsState
from fuel_app.states.admin.session import COOKIE
from fuel_app.states.admin.undo import UndoState
from fuel_app.states.toasts import ToastState
from tests.staff import a_token
from tests.states.tabs import focused, go_to, redirected, run, tab_at


class Staff:
    """A signed-in tab on a group's screen."""

    def __init__(self, tab: rx.State, cookie: str) -> None:
        self.tab, self.cookie = tab, cookie

    @classmethod
    async def at(cls, group_id: str, query: str = "") -> "Staff":
        cookie = f"{COOKIE}={await a_token()}"
        staff = cls(tab_at(f"/neighborhoods/{group_id}{query}", cookie=cookie), cookie)
        await staff.run("load")
        return staff

    async def screen(self) -> NeighborhoodState:
        return await self.tab.get_state(NeighborhoodState)

    async def tools(self) -> GroupToolsState:
        return await self.tab.get_state(GroupToolsState)

    async def run(self, event: str, *arguments: Any) -> str | None:
        """Fire an event of the screen; returns where it leads, and goes there."""
        sent = await run(getattr(NeighborhoodState, event).fn(await self.screen(), *arguments))
        address = next((to for each in sent if (to := redirected(each))), None)
        if address:
            go_to(self.tab, address, cookie=self.cookie)
            await self.run("load")
        return address

    async def use(self, event: str, *arguments: Any) -> list[str | None]:
        """Fire an event of the tools; returns what got the focus."""
        sent = await run(getattr(GroupToolsState, event).fn(await self.tools(), *arguments))
        return [name for each in sent if (name := focused(each))]

    async def offered(self) -> str:
        undo = await self.tab.get_state(UndoState)
        return undo.text if undo.action_id else ""

    async def undo(self) -> list[str]:
        """Take the offered change back; returns what is said then."""
        await run(UndoState.take_back.fn(await self.tab.get_state(UndoState)))  # type: ignore[attr-defined]
        await (await self.screen())._refresh()
        return [toast.text for toast in (await self.tab.get_state(ToastState)).toasts]
