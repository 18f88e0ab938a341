"""A staff screen with one event of each kind, and tabs that open it."""

from typing import Any

import reflex as rx

from fuel_app.accounts.state.screens import follow
from fuel_app.accounts.state.session import COOKIE, SessionState, StaffScreen, staff_only
from tests.helpers.tabs import run, tab_at
from tests.staff import a_token

PAGE = "/submissions"
SECRET = "Ada Lovelace"


class SecretsState(StaffScreen, rx.State):
    """A staff screen with a secret."""

    shown: list[str] = []

    @staff_only
    async def plain(self, suffix: str):
        self.shown = [SECRET + suffix]
        return rx.toast("plain")

    @staff_only
    async def yielding(self, suffix: str):
        yield
        self.shown = [SECRET + suffix]

    @staff_only(background=True)
    async def background(self, suffix: str):
        async with self:
            self.shown = [SECRET + suffix]

    @staff_only(background=True)
    async def follow(self, _suffix: str):
        await follow(self, self._reload, "secrets")

    async def _reload(self) -> None:
        self.shown = [*self.shown, SECRET]


EVENTS = ("plain", "yielding", "background")


async def fire(tab: rx.State, name: str) -> list[Any]:
    state = await tab.get_state(SecretsState)
    return await run(SecretsState.event_handlers[name].fn(state, "!"))


async def secrets_of(tab: rx.State) -> list[str]:
    return (await tab.get_state(SecretsState)).shown


async def staff_tab(address: str = PAGE, token: str = "") -> rx.State:
    """Return a tab of a signed-in browser."""
    return tab_at(address, cookie=f"{COOKIE}={token or await a_token()}")


async def opened(tab: rx.State) -> list[Any]:
    return await run((await tab.get_state(SessionState)).require())


async def signed_in(tab: rx.State) -> bool:
    return (await tab.get_state(SessionState)).is_staff
