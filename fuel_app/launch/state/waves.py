"""The areas with their waves, and the funnel of their invitations."""

from dataclasses import dataclass
from typing import ClassVar, Self

import reflex as rx

from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state.live import AdminScreen, follow
from fuel_app.accounts.state.session import actor_of, admin_only
from fuel_app.accounts.state.undo import UndoState
from fuel_app.areas.rules.areas import OPEN
from fuel_app.areas.state import STATUS_BADGES
from fuel_app.kit.errors import Refusal
from fuel_app.kit.signals import AREAS, BOOKINGS, FIGURES, INVITATIONS, LEADS
from fuel_app.kit.ui.toast import ToastState
from fuel_app.launch.rules.demand import AreaWaves
from fuel_app.launch.rules.funnel import FunnelLine
from fuel_app.launch.rules.waves import PAUSED, RUNNING, STEPS
from fuel_app.launch.service import demand as service
from fuel_app.launch.service import funnel, waves

_DONE = {
    "start": "Inviting the waitlist of {}",
    "pause": "Invitations of {} paused",
    "resume": "Invitations of {} resumed",
}
_FUNNEL_S = 5  # a burst of changes is one funnel


@dataclass(frozen=True)
class WavesCard:
    """One area."""

    area_id: str
    name: str
    status: str
    label: str
    color: str
    state: str  # of the waves
    state_text: str
    forecast: str
    invited: int
    invited_text: str
    total: int  # invited, or to invite

    @classmethod
    def of(cls, row: AreaWaves) -> Self:
        sent = f"{row.invited:,} invited, {row.sent_today:,} today" if row.invited else ""
        return cls(
            row.area_id,
            row.name,
            row.status,
            *STATUS_BADGES[row.status],
            row.state,
            _state_text(row),
            row.forecast,
            row.invited,
            sent,
            max(row.invited + row.waiting, 1),
        )


def _state_text(row: AreaWaves) -> str:
    if row.status != OPEN:
        waits = "The waves wait until the area is open again." if row.state == RUNNING else ""
        return waits or "Only an open area invites its waitlist."
    if row.state == PAUSED:
        return "Invitations are paused."
    if row.state == RUNNING and row.waiting:
        return "A wave goes out each day, 8 AM to 8 PM."
    return "Everybody has been invited." if row.state == RUNNING else "Nobody has been invited yet."


class WavesState(AdminScreen, rx.State):
    """The areas and their waves."""

    TOPICS: ClassVar = (AREAS, INVITATIONS, LEADS, FIGURES)

    areas: list[WavesCard] = []

    @admin_only
    async def step(self, kind: str, area_id: str):
        """Start, pause or resume the waves of an area."""
        area = next((each for each in self.areas if each.area_id == area_id), None)
        if area is None or not isinstance(kind, str) or kind not in STEPS:
            return
        try:
            done = await waves.step(kind, area_id, actor=await actor_of(self))
            undo = await self.get_state(UndoState)
            undo._offer(_DONE[kind].format(area.name), done.action_id)
        except Refusal as refusal:
            (await self.get_state(ToastState))._show(str(refusal), "problem")
        await self._refresh()

    async def _read(self, actor: Actor) -> None:
        self.areas = [WavesCard.of(row) for row in await service.waves(actor=actor)]


class FunnelState(AdminScreen, rx.State):
    """The funnel of invitations."""

    TOPICS: ClassVar = (INVITATIONS, BOOKINGS)

    areas: list[FunnelLine] = []
    days: list[FunnelLine] = []
    neighborhoods: list[FunnelLine] = []

    @admin_only(background=True)
    async def follow(self):
        """Show what has become of invitations since."""
        await follow(self, self._refresh, *self.TOPICS, after_s=_FUNNEL_S)

    async def _read(self, actor: Actor) -> None:
        found = await funnel.read(actor=actor)
        self.areas, self.days = list(found.areas), list(found.days)
        self.neighborhoods = list(found.neighborhoods)
