"""The neighborhood card of a customer's account."""

from collections.abc import Awaitable
from typing import Any

import reflex as rx

from fuel_app.accounts.state.session import actor_of
from fuel_app.customers.service import neighborhood as own
from fuel_app.customers.state.customer import CustomerScreen, for_own
from fuel_app.joining import service as joining
from fuel_app.kit.errors import InvalidForm, problem_of
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.neighborhoods.rules import NeighborhoodForm
from fuel_app.neighborhoods.state.card import NeighborhoodCard
from fuel_app.neighborhoods.state.picker import CREATE_BUTTON, NeighborhoodPicker

CARD = "neighborhood-card"  # element id


class OwnNeighborhoodState(CustomerScreen, NeighborhoodPicker, rx.State):
    """The signed-in customer's neighborhood; in none, those of their ZIP."""

    card: NeighborhoodCard = NeighborhoodCard()
    saving: str = ""  # of its tier; empty without one
    is_pioneer: bool = False
    ready: bool = False

    @rx.event
    @for_own
    async def arrive(self):
        """Show the neighborhood as it is now."""
        self.refusal, self.busy = "", False
        await self._refresh()

    @rx.event
    @for_own
    async def choose(self, neighborhood_id: str):
        self._choose(neighborhood_id)

    @rx.event
    @for_own
    async def refresh(self):
        """Reload the list."""
        await self._refresh()

    @rx.event
    @for_own
    async def find(self, search: str):
        """List the neighborhoods whose name contains the text."""
        self._look_for(search)
        await self._refresh()
        self._choose(self.chosen)

    @rx.event
    @for_own
    async def start_creating(self, creating: bool):
        self._start_creating(creating)

    @rx.event
    @for_own
    async def cancel_creating(self):
        """Hide the form and focus the button that opened it."""
        self._start_creating(False)
        yield  # a button that does not show yet cannot take the focus
        yield rx.set_focus(CREATE_BUTTON)

    @rx.event
    @for_own
    async def join(self):
        """Join the selected neighborhood."""
        if self.chosen:
            self.busy = True
            yield
            yield await self._change(own.join(await self._person(), self.chosen), "You have joined")

    @rx.event
    @for_own
    async def create(self, form: dict[str, Any]):
        """Found a neighborhood with the customer as its pioneer."""
        self.creating, self.create_error = True, ""
        try:
            name = NeighborhoodForm.parse(form).name
        except InvalidForm as error:
            self.create_error = error.messages["name"]
            yield focus_field("neighborhood", "name")
            return
        self.busy = True
        yield
        yield await self._change(own.found(await self._person(), name), "You have founded")

    @rx.event
    @for_own
    async def leave(self):
        """Leave the neighborhood, after the dialog has asked."""
        left = self.card.name
        yield await self._change(own.leave(await self._person()), "You have left", left)

    async def _person(self) -> str:
        return (await actor_of(self)).person_id or ""

    async def _change(self, change: Awaitable[object], told: str, name: str = "") -> Any:
        """Await a change and show its outcome. Return the event that moves the focus."""
        refusal = await problem_of(change, "neighborhood.change_failed")
        self.busy = False
        await self._refresh()
        if refusal:
            self._refuse(refusal)
            return None
        self.creating, self.chosen, self.search = False, "", ""
        (await self.get_state(ToastState))._show(f"{told} {name or self.card.name}")
        return rx.set_focus(CARD)

    async def _refresh(self) -> None:
        found = await own.membership(await self._person())
        group = found.neighborhood
        self.card = NeighborhoodCard.of(group) if group else NeighborhoodCard()
        self.saving = group.tier.saving if group and group.tier.level else ""
        self.is_pioneer, self.zip_code, self.ready = found.is_pioneer, found.zip_code, True
        in_zip = found.zip_code and not group
        self._list(await joining.in_zip(found.zip_code, self.search) if in_zip else [])
