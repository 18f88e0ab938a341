"""Account Settings: the neighborhood, personal information, deletion, a change of the e-mail."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import Answer, actor_of
from fuel_app.customers.service import neighborhood as own
from fuel_app.customers.state.customer import (
    CustomerScreen,
    check_own,
    for_own,
)
from fuel_app.joining.state import NeighborhoodPicker
from fuel_app.kit.errors import FAILED, problem_of
from fuel_app.kit.ui.button import site_address
from fuel_app.kit.ui.toast import ToastState
from fuel_app.neighborhoods.rules import NeighborhoodSummary, members_confirmed
from fuel_app.neighborhoods.state import NeighborhoodCard

NEIGHBORHOOD_CARD = "neighborhood-card"  # element id


class OwnNeighborhoodState(CustomerScreen, NeighborhoodPicker, rx.State):
    """The signed-in customer's neighborhood; in none, those of their ZIP."""

    card: NeighborhoodCard = NeighborhoodCard()
    saving: str = ""  # of the tier that counts; empty without one
    confirmed: str = ""  # '5 confirmed'
    is_pioneer: bool = False
    join_link: str = ""
    ready: bool = False
    _failed: str = FAILED

    @for_own
    async def arrive(self):
        """Show the neighborhood as it is now."""
        self.refusal, self.busy, self.ready = "", False, True
        await self._show_own()

    @for_own
    async def leave(self):
        """Leave the neighborhood, after the dialog has asked."""
        left = self.card.name
        self.refusal = await problem_of(own.leave(await self._person()), "neighborhood.leave")
        await self._show_own()
        if not self.refusal:
            (await self.get_state(ToastState))._show(f"You have left {left}")
        return rx.set_focus(NEIGHBORHOOD_CARD)

    async def _may_pick(self) -> Answer:
        return await check_own(self)

    async def _member(self) -> str:
        return await own.claim_entry(await self._person())

    async def _settle(self, neighborhood: NeighborhoodSummary) -> Any:
        self.chosen = ""
        await self._show_own()
        return rx.set_focus(NEIGHBORHOOD_CARD)

    async def _person(self) -> str:
        return (await actor_of(self)).person_id

    async def _show_own(self) -> None:
        found = await own.membership(await self._person())
        group = found.neighborhood
        self.card = NeighborhoodCard.of(group) if group else NeighborhoodCard()
        self.join_link = site_address(self) + routes.join_neighborhood(group.id) if group else ""
        self.saving = (
            f"{found.tier.label}: you save {found.tier.saving}" if found.tier.level else ""
        )
        self.confirmed = members_confirmed(found.confirmed)
        self.is_pioneer = found.is_pioneer
        if group is None:
            await self._look_around(found.zip_code)
