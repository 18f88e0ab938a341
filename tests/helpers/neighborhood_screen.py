"""A neighborhood's screen in a tab without a browser."""

from typing import Any, Self

from fuel_app.accounts.state.screens import UndoState
from fuel_app.office.state.neighborhood import NeighborhoodState, NeighborhoodToolsState
from tests.helpers.staff_tab import StaffTab
from tests.helpers.tabs import focused, run


class Staff(StaffTab[NeighborhoodState]):
    """A signed-in tab on a neighborhood's screen."""

    state = NeighborhoodState

    @classmethod
    async def on(cls, neighborhood_id: str, query: str = "") -> Self:
        return await cls.at(f"/neighborhoods/{neighborhood_id}{query}")

    async def arrive(self, address: str) -> None:
        await super().arrive(address)
        await self.use("load")

    async def tools(self) -> NeighborhoodToolsState:
        return await self.tab.get_state(NeighborhoodToolsState)

    async def use(self, event: str, *arguments: Any) -> list[str | None]:
        """Fire an event of the tools. Return the ids of the fields that got the focus."""
        sent = await run(getattr(NeighborhoodToolsState, event).fn(await self.tools(), *arguments))
        return [name for each in sent if (name := focused(each))]

    async def offered(self) -> str:
        undo = await self.tab.get_state(UndoState)
        return undo.text if undo.action_id else ""

    async def undo(self) -> list[str]:
        """Undo the offered change. Return the toasts."""
        undo = await self.tab.get_state(UndoState)
        await run(UndoState.undo.fn(undo, undo.action_id))  # type: ignore[attr-defined]
        await (await self.screen())._refresh()
        return await self.said()
