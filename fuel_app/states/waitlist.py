"""Where a visitor is in joining: filling in, choosing a neighborhood, or on the list."""

from collections.abc import Awaitable
from typing import Any

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.domain import contact
from fuel_app.domain.errors import EmailTaken, InvalidForm, NotOnTheList, Refusal
from fuel_app.domain.neighborhoods import Group, NeighborhoodForm, clean_name
from fuel_app.domain.waitlist import CLEANERS, WaitlistEntry, WaitlistForm
from fuel_app.services import neighborhoods, waitlist
from fuel_app.settings import settings
from fuel_app.states.group_card import GroupCard
from fuel_app.states.toasts import ToastState

log = structlog.get_logger(__name__)

FORM = "waitlist"
TYPED_MAX = 1000  # kept of a field between closing and opening again; far above any rule
BLANK = dict.fromkeys(CLEANERS, "")
SUBMIT_FAILED = "An error occurred while submitting the form. Please try again."


class WaitlistState(rx.State):
    """The waitlist modal of one tab. What it remembers survives closing and reloading."""

    opened: bool = False
    stage: str = "form"  # then "picker", then "joined"
    busy: bool = False
    refusal: str = ""
    form: dict[str, str] = BLANK
    field_errors: dict[str, str] = BLANK

    zip_code: str = ""
    groups: list[GroupCard] = []
    chosen: str = ""
    creating: bool = False
    create_error: str = ""

    invitation: GroupCard = GroupCard()
    invitation_missing: bool = False

    joined: GroupCard = GroupCard()
    referral_link: str = ""
    join_link: str = ""

    _submission_id: str = ""
    _referrer: str = ""

    @rx.event
    async def arrive(self):
        """A visitor opens the page: by a join link, by a referral, or on their own."""
        self.busy = False
        asked = self.router.url.query_parameters
        invited_to = routes.neighborhood_in(self.router.url.path)
        if referrer := asked.get("ref"):
            self._referrer = referrer[:TYPED_MAX]
        if invited_to:
            await self._welcome_to(invited_to)
        if invited_to or referrer or asked.get("waitlist") == "true":
            self.opened = True

    @rx.event
    def show(self, opened: bool = True):
        """Open the modal where the visitor left it, or close it."""
        self.opened = opened is True

    @rx.event
    async def edit(self, field: str, value: str):
        """Keep what is typed; a field that was wrong is looked at again at once."""
        if field not in CLEANERS or not isinstance(value, str) or value == self.form[field]:
            return
        self.form = self.form | {field: value[:TYPED_MAX]}
        if self.field_errors[field]:
            problem = contact.problem(field, value, CLEANERS)
            self.field_errors = self.field_errors | {field: problem}
        if field == "zip_code" and self.stage == "form":
            await self._look_around(value.strip())

    @rx.event
    async def submit(self, form: WaitlistForm):
        """Join the waitlist. A second click finds the stage changed and does nothing."""
        if self.stage != "form":
            return
        self.busy, self.refusal, self.field_errors = True, "", BLANK
        yield  # show 'Submitting...' before the work starts
        try:
            await self._enter(WaitlistEntry.parse(form))
        except InvalidForm as error:
            self.field_errors = BLANK | error.messages
            yield rx.set_focus(f"{FORM}-{next(iter(error.messages))}")
        except EmailTaken as error:
            self.field_errors = BLANK | {"email": str(error)}
            yield rx.set_focus(f"{FORM}-email")
        except Refusal as error:
            self.refusal = str(error)
        except Exception:
            log.exception("waitlist.join_failed")
            self.refusal = SUBMIT_FAILED
        finally:
            self.busy = False

    @rx.event
    def choose(self, neighborhood_id: str):
        """Mark a group of the list, or none."""
        listed = any(group.id == neighborhood_id for group in self.groups)
        self.chosen, self.refusal = (neighborhood_id if listed else ""), ""

    @rx.event
    async def refresh(self):
        """Look again which groups there are."""
        if self.stage == "picker":
            await self._look_around(self.zip_code)

    @rx.event
    async def join(self):
        """Join the chosen group."""
        if self.stage != "picker" or not self.chosen:
            return
        self.busy, self.refusal = True, ""
        yield
        await self._take_place(neighborhoods.join(self._submission_id, self.chosen))

    @rx.event
    def start_creating(self, creating: bool = True):
        """Show the form for a new group, or put it away."""
        self.creating, self.create_error, self.refusal = creating is True, "", ""

    @rx.event
    async def create(self, form: NeighborhoodForm):
        """Found a group and be its pioneer."""
        if self.stage != "picker":
            return
        self.busy, self.create_error, self.refusal = True, "", ""
        yield
        try:
            name = clean_name(form.get("name"))
        except ValueError as error:
            self.create_error, self.busy = str(error), False
            yield rx.set_focus("neighborhood-name")
            return
        await self._take_place(neighborhoods.create(self._submission_id, name, self.zip_code))

    @rx.event
    async def shared(self, outcome: str):
        """The browser says what became of a press on Share."""
        toasts = await self.get_state(ToastState)
        if outcome == "copied":
            toasts._show("Link copied to clipboard!")
        elif outcome == "failed":
            toasts._show(
                "Your browser did not let us copy. Select the link and copy it.", "problem"
            )

    async def _enter(self, entry: WaitlistEntry) -> None:
        address = self.router.session.client_ip
        self._submission_id = await waitlist.join(entry, referrer=self._referrer, address=address)
        self.stage, self.form = "picker", BLANK
        await self._look_around(entry.zip_code)
        self.choose(self.invitation.id)

    async def _look_around(self, zip_code: str) -> None:
        """Fetch the groups of a ZIP once it is whole; a group that invited stands first."""
        self.zip_code, self.groups = zip_code, []
        if contact.problem("zip_code", zip_code, CLEANERS):
            return
        try:
            found = [GroupCard.of(group) for group in await neighborhoods.in_zip(zip_code)]
        except Exception:  # logged only, says the specification
            log.exception("neighborhoods.fetch_failed")
            return
        invited = [self.invitation] if self.invitation.id else []
        self.groups = invited + [group for group in found if group.id != self.invitation.id]

    async def _welcome_to(self, neighborhood_id: Any) -> None:
        try:
            group = await neighborhoods.find(neighborhood_id)
        except Exception:
            log.exception("neighborhoods.find_failed")
            return
        self.invitation = GroupCard.of(group) if group else GroupCard()
        self.invitation_missing = group is None
        if group and self.stage == "form":
            self.form = self.form | {"zip_code": self.form["zip_code"] or group.zip_code}
            await self._look_around(self.form["zip_code"])
        elif group and self.stage == "picker":
            await self._look_around(self.zip_code)
            self.choose(group.id)

    async def _take_place(self, deed: Awaitable[Group]) -> None:
        """Become a group's member, and say what came of it."""
        try:
            await self._celebrate(await deed)
        except NotOnTheList as error:  # staff deleted the entry meanwhile
            self.stage, self.refusal = "form", str(error)
        except Refusal as error:
            if self.creating:
                self.create_error = str(error)
            else:
                self.refusal = str(error)
            await self._look_around(self.zip_code)
        except Exception:  # logged only, says the specification
            log.exception("neighborhoods.join_failed")
        finally:
            self.busy = False

    async def _celebrate(self, group: Group) -> None:
        site = settings.site_url or self.router.url.origin
        self.stage, self.joined, self.creating = "joined", GroupCard.of(group), False
        self.referral_link = site + routes.referral(self._submission_id)
        self.join_link = site + routes.join_neighborhood(group.id)
        (await self.get_state(ToastState))._show("Successfully joined neighborhood!")
