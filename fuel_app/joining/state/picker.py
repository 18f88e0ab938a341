"""The neighborhood picker: list, join, create."""

from collections.abc import Awaitable
from typing import Any

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.joining import service as neighborhoods
from fuel_app.kit import contact
from fuel_app.kit.errors import InvalidForm, NotOnTheList, Refusal
from fuel_app.kit.ui.toast import ToastState
from fuel_app.neighborhoods.rules import (
    NAME_MAX,
    NeighborhoodForm,
    NeighborhoodSummary,
)
from fuel_app.neighborhoods.state.card import NeighborhoodCard
from fuel_app.settings import settings

log = structlog.get_logger(__name__)

CREATE_BUTTON = "picker-create"  # element id


class NeighborhoodPicker(rx.State, mixin=True):
    """The neighborhood part of `WaitlistState`."""

    stage: str = "form"  # then "picker", then "joined"
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
    joined: NeighborhoodCard = NeighborhoodCard()
    referral_link: str = ""
    join_link: str = ""

    # Set by this tab's own submission, never from an id that a browser sends.
    _submission_id: str = ""

    @rx.event
    def choose(self, neighborhood_id: str):
        """Select a listed neighborhood, or none."""
        listed = any(each.id == neighborhood_id for each in self.neighborhoods)
        self.chosen, self.refusal = (neighborhood_id if listed else ""), ""

    @rx.event
    async def refresh(self):
        """Reload the list."""
        if self.stage == "picker":
            await self._look_around(self.zip_code)

    @rx.event
    async def find(self, search: str):
        """List the neighborhoods whose name contains the text; deselect one that is not listed."""
        if self.stage == "picker":
            self.search = search[:NAME_MAX] if isinstance(search, str) else ""
            await self._look_around(self.zip_code)
            self.choose(self.chosen)

    @rx.event
    async def join(self):
        """Join the selected neighborhood; ignore a second click."""
        if self.stage != "picker" or not self.chosen:
            return
        self.busy, self.refusal = True, ""
        yield
        await self._take_place(neighborhoods.join(self._submission_id, self.chosen))

    @rx.event
    def start_creating(self, creating: bool):
        """Show or hide the form for a new neighborhood."""
        self.creating, self.create_error, self.refusal = creating is True, "", ""

    @rx.event
    def cancel_creating(self):
        """Hide the form and focus the button that opened it."""
        self.start_creating(False)
        yield  # a button that does not show yet cannot take the focus
        yield rx.set_focus(CREATE_BUTTON)

    @rx.event
    async def create(self, form: dict[str, Any]):
        """Create a neighborhood with the visitor as its pioneer."""
        if self.stage != "picker":
            return
        self.busy, self.create_error, self.refusal = True, "", ""
        yield
        try:
            name = NeighborhoodForm.parse(form).name
        except InvalidForm as error:
            self.create_error, self.busy = error.messages["name"], False
            yield rx.set_focus("neighborhood-name")
            return
        await self._take_place(neighborhoods.create(self._submission_id, name, self.zip_code))

    @rx.event
    async def shared(self, outcome: str):
        """Report the outcome of a press on Share."""
        toasts = await self.get_state(ToastState)
        if outcome == "copied":
            toasts._show("Link copied to clipboard!")
        elif outcome == "failed":
            toasts._show("Your browser did not let us copy. Select the link instead.", "problem")

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
        found = [NeighborhoodCard.of(each) for each in listed]
        self.many = self.many if self.search else len(found) >= neighborhoods.PICKER_LIMIT
        invited = [self.invitation] if self.invitation.id and not self.search else []
        self.neighborhoods = invited + [each for each in found if each.id != self.invitation.id]

    async def _take_place(self, deed: Awaitable[NeighborhoodSummary]) -> None:
        """Await a join or creation and show its outcome."""
        try:
            self._show_confirmation(await deed)
            (await self.get_state(ToastState))._show("Successfully joined neighborhood!")
        except NotOnTheList as error:  # staff deleted the entry meanwhile
            self.stage, self.refusal = "form", str(error)
        except Refusal as error:
            self.create_error = str(error) if self.creating else ""
            self.refusal = "" if self.creating else str(error)
            await self._look_around(self.zip_code)
        except Exception:  # logged only, says the specification
            log.exception("neighborhoods.join_failed")
        finally:
            self.busy = False

    def _show_confirmation(self, neighborhood: NeighborhoodSummary) -> None:
        site = settings.site_url or self.router.url.origin
        self.stage, self.joined, self.creating = "joined", NeighborhoodCard.of(neighborhood), False
        self.referral_link = site + routes.referral(self._submission_id)
        self.join_link = site + routes.join_neighborhood(neighborhood.id)
