"""A screen of the staff, in a signed-in tab without a browser."""

from typing import Any, ClassVar, Generic, Self, TypeVar

import reflex as rx

from fuel_app.accounts.state.session import COOKIE
from fuel_app.kit.ui.toast import ToastState
from tests.helpers.tabs import go_to, redirected, run, tab_at
from tests.staff import a_token

Screen = TypeVar("Screen", bound=rx.State)


class StaffTab(Generic[Screen]):
    """Somebody of the staff on one screen: fires its events and goes where they lead."""

    state: type[Screen]
    after_load: ClassVar[tuple[str, ...]] = ()  # what the page fires then when it is opened

    def __init__(self, tab: rx.State, cookie: str) -> None:
        self.tab, self.cookie = tab, cookie

    @classmethod
    async def at(cls, address: str) -> Self:
        cookie = f"{COOKIE}={await a_token()}"
        staff = cls(tab_at(address, cookie=cookie), cookie)
        await staff.run("load")
        return staff

    async def screen(self) -> Screen:
        return await self.tab.get_state(self.state)

    async def ask(self, event: str, *arguments: Any) -> str | None:
        """Fire an event; returns where it leads."""
        sent = await run(getattr(self.state, event).fn(await self.screen(), *arguments))
        return next((to for each in sent if (to := redirected(each))), None)

    async def arrive(self, address: str) -> None:
        go_to(self.tab, address, cookie=self.cookie)
        await self.run("load")

    async def run(self, event: str, *arguments: Any) -> str | None:
        """Fire an event and go where it leads, which is returned."""
        address = await self.ask(event, *arguments)
        if event == "load":
            for more in self.after_load:
                await self.ask(more)
        if address:
            await self.arrive(address)
        return address

    async def names(self) -> list[str]:
        return [row.name for row in (await self.screen()).rows]  # type: ignore[attr-defined]

    async def said(self) -> list[str]:
        return [toast.text for toast in (await self.tab.get_state(ToastState)).toasts]
