"""Joining or creating a neighborhood of a ZIP: of a visitor, and on a customer's account."""

from collections.abc import Awaitable
from typing import Any

import reflex as rx
import structlog

from fuel_app.accounts.state.session import Answer, guarded_event
from fuel_app.joining import service as neighborhoods
from fuel_app.kit import contact
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.neighborhoods.rules import (
    NAME_MAX,
    PICKER_LIMIT,
    NeighborhoodForm,
    NeighborhoodSummary,
)
from fuel_app.neighborhoods.state.card import NeighborhoodCard

log = structlog.get_logger(__name__)

CREATE_BUTTON = "picker-create"  # element id


async def _check(tab: Any) -> Answer:
    return await tab._may_pick()


in_picker = guarded_event(_check)


class NeighborhoodPicker(rx.State, mixin=True):
    """The picker; who has one adds whose place it takes, and what follows."""

    busy: bool = False
    refusal: str = ""
    zip_code: str = ""
    neighborhoods: list[NeighborhoodCard] = []
    many: bool = False  # more exist than are listed
    search: str = ""
    chosen: str = ""
    creating: bool = False
    create_error: str = ""
    invitation: NeighborhoodCard = NeighborhoodCard()
    # Said of an unexpected error, which the waitlist only logs, says its specification.
    _failed: str = ""

    async def _may_pick(self) -> Answer:
        """Return None if an event may run now, else the answer that refuses it."""
        raise NotImplementedError

    async def _member(self) -> str:
        """Return the id of the submission that takes a place."""
        raise NotImplementedError

    async def _settle(self, neighborhood: NeighborhoodSummary) -> Any:
        """Show what was joined. Return an event, such as one that moves the focus."""
        raise NotImplementedError

    @in_picker
    async def choose(self, neighborhood_id: str):
        """Select a listed neighborhood, or none."""
        self._choose(neighborhood_id)

    @in_picker
    async def refresh(self):
        """Reload the list."""
        await self._look_around(self.zip_code)

    @in_picker
    async def find(self, search: str):
        """List the neighborhoods whose name contains the text; deselect one that is not listed."""
        self.search = search[:NAME_MAX] if isinstance(search, str) else ""
        await self._look_around(self.zip_code)
        self._choose(self.chosen)

    @in_picker
    async def join(self):
        """Join the selected neighborhood; ignore a second click."""
        if self.chosen:
            self.busy, self.refusal = True, ""
            yield
            yield await self._take_place(self._join())

    @in_picker
    async def start_creating(self, creating: bool):
        """Show or hide the form for a new neighborhood."""
        self.creating, self.create_error, self.refusal = creating is True, "", ""

    @in_picker
    async def cancel_creating(self):
        """Hide the form and focus the button that opened it."""
        self.creating, self.create_error, self.refusal = False, "", ""
        yield  # a button that does not show yet cannot take the focus
        yield rx.set_focus(CREATE_BUTTON)

    @in_picker
    async def create(self, form: dict[str, Any]):
        """Create a neighborhood with the visitor or customer as its pioneer."""
        self.busy, self.create_error, self.refusal = True, "", ""
        yield
        try:
            name = NeighborhoodForm.parse(form).name
        except InvalidForm as error:
            self.create_error, self.busy = error.messages["name"], False
            yield focus_field("neighborhood", "name")
            return
        yield await self._take_place(self._create(name))

    async def _join(self) -> NeighborhoodSummary:
        return await neighborhoods.join(await self._member(), self.chosen)

    async def _create(self, name: str) -> NeighborhoodSummary:
        return await neighborhoods.create(await self._member(), name, self.zip_code)

    async def _take_place(self, deed: Awaitable[NeighborhoodSummary]) -> Any:
        """Await a join or creation and show its outcome. Return an event, or None."""
        try:
            answer = await self._settle(await deed)
            (await self.get_state(ToastState))._show("Successfully joined neighborhood!")
            self.creating = False
        except Refusal as error:
            await self._refuse_place(error)
        except Exception:
            log.exception("neighborhoods.join_failed")
            self.refusal = self._failed
        else:
            return answer
        finally:
            self.busy = False
        return None

    async def _refuse_place(self, error: Refusal) -> None:
        """Show a refusal where the form that met it is."""
        self.create_error = str(error) if self.creating else ""
        self.refusal = "" if self.creating else str(error)
        await self._look_around(self.zip_code)

    def _choose(self, neighborhood_id: object) -> None:
        listed = (each.id for each in self.neighborhoods if each.id == neighborhood_id)
        self.chosen, self.refusal = next(listed, ""), ""

    async def _look_around(self, zip_code: str) -> None:
        """Fetch the neighborhoods of a complete ZIP; the inviting one comes first."""
        if zip_code != self.zip_code:
            self.search, self.many = "", False
        self.zip_code, self.neighborhoods = zip_code, []
        if not contact.is_zip_code(zip_code):
            return
        try:
            listed = await neighborhoods.in_zip(zip_code, self.search)
        except Exception:  # logged only, says the specification
            log.exception("neighborhoods.fetch_failed")
            return
        found = [NeighborhoodCard.of(each) for each in listed[:PICKER_LIMIT]]
        self.many = self.many if self.search else len(listed) > PICKER_LIMIT
        invited = [self.invitation] if self.invitation.id and not self.search else []
        self.neighborhoods = invited + [each for each in found if each.id != self.invitation.id]
