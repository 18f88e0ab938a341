"""Staff at the list of leads, in a tab without a browser."""

from typing import Any

import reflex as rx

from fuel_app.services import leads, quotes
from fuel_app.states.admin.leads import LeadsState
from fuel_app.states.admin.session import COOKIE
from fuel_app.states.toasts import ToastState
from tests.factories import fleet_quote
from tests.staff import HERE, a_token
from tests.states.tabs import go_to, redirected, run, tab_at


class Staff:
    """A signed-in tab on the list."""

    def __init__(self, tab: rx.State, cookie: str) -> None:
        self.tab, self.cookie = tab, cookie

    @classmethod
    async def at(cls, address: str = "/submissions") -> "Staff":
        cookie = f"{COOKIE}={await a_token()}"
        staff = cls(tab_at(address, cookie=cookie), cookie)
        await staff.run("load")
        return staff

    async def screen(self) -> LeadsState:
        return await self.tab.get_state(LeadsState)

    async def run(self, event: str, *arguments: Any) -> str | None:
        """Fire an event of the list; returns where it leads, and goes there."""
        sent = await run(getattr(LeadsState, event).fn(await self.screen(), *arguments))
        address = next((to for each in sent if (to := redirected(each))), None)
        if address:
            go_to(self.tab, address, cookie=self.cookie)
            await self.run("load")
        return address

    async def names(self) -> list[str]:
        return [row.name for row in (await self.screen()).rows]

    async def said(self) -> list[str]:
        return [toast.text for toast in (await self.tab.get_state(ToastState)).toasts]


async def fleet(**differs: Any) -> str:
    return await quotes.request(fleet_quote(**differs), address=HERE)


async def status_of(lead_id: str) -> str:
    known = await leads.details(lead_id)
    assert known is not None
    return known.row.status
