"""The staff's figures on the dashboard of one tab."""

import reflex as rx

from fuel_app.accounts.state import live
from fuel_app.accounts.state.session import StaffScreen, StaffState
from fuel_app.kit.signals import LEADS, MEMBERS
from fuel_app.kit.ui.charts import Bar, bars
from fuel_app.services import figures
from fuel_app.states.admin.figure_rows import NearGroup, TypeBar, in_words


class FiguresState(StaffScreen, rx.State):
    """How many leads and groups there are; they change while somebody looks."""

    leads: str = ""
    new: str = ""
    new_by_type: str = ""
    groups: str = ""
    members: str = ""
    types: list[TypeBar] = []
    days: list[Bar] = []
    nearest: list[NearGroup] = []

    @rx.event(background=True)
    async def follow(self):
        """The dashboard is open. Everybody's is: strangers are told nothing and asked nothing."""
        async with self:
            if not await (await self.get_state(StaffState))._look():
                return
            await self._refresh()
        await live.follow(self, self._refresh, LEADS, MEMBERS)

    async def _refresh(self) -> None:
        now = await figures.now()
        self.leads, self.new = f"{now.leads:,}", f"{now.new:,}"
        self.new_by_type = in_words(now.new_by_type)
        self.groups, self.members = f"{now.groups:,}", f"{now.members:,}"
        self.types = [TypeBar.of(count) for count in now.types[::-1]]
        self.days = bars((f"{each.day:%a}", each.leads, f"{each.leads:,}") for each in now.days)
        self.nearest = [NearGroup.of(row) for row in now.nearest]
