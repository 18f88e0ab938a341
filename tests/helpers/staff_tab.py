"""A list of the staff's, in a signed-in tab without a browser."""

from typing import Any, Generic, Self, TypeVar

from fuel_app.accounts.state.screens import StaffList
from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit.ui.toast import ToastState
from tests.helpers.tabs import go_to, run, tab_at
from tests.staff import a_token

Screen = TypeVar("Screen", bound=StaffList)


class StaffTab(Generic[Screen]):
    """A staff member at one list, in a browser whose address follows."""

    state: type[Screen]

    def __init__(self, tab: Any, cookie: str) -> None:
        self.tab, self.cookie = tab, cookie

    @classmethod
    async def at(cls, address: str) -> Self:
        cookie = f"{COOKIE}={await a_token()}"
        staff = cls(tab_at(address, cookie=cookie), cookie)
        await staff.run("load")
        return staff

    async def screen(self) -> Screen:
        return await self.tab.get_state(self.state)

    async def arrive(self, address: str) -> None:
        """Open the page, or come back to it."""
        go_to(self.tab, address, cookie=self.cookie)
        await self.run("load")

    async def run(self, event: str, *arguments: Any) -> str:
        """Fire an event; return the address that follows."""
        screen = await self.screen()
        await run(getattr(self.state, event).fn(screen, *arguments))
        go_to(self.tab, screen.address, cookie=self.cookie)
        return screen.address

    async def names(self) -> list[str]:
        return [row.name for row in (await self.screen()).rows]  # type: ignore[attr-defined]

    async def said(self) -> list[str]:
        return [toast.text for toast in (await self.tab.get_state(ToastState)).toasts]
