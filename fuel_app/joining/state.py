"""The waitlist modal: form, neighborhood picker, confirmation.

The picker joins or creates a neighborhood of a ZIP: of a visitor, and on a customer's account.
"""

import secrets
from collections.abc import Awaitable, Mapping
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import Answer, guarded_event
from fuel_app.areas.rules.places import not_yet
from fuel_app.areas.service import company
from fuel_app.joining import service as neighborhoods
from fuel_app.kit import contact
from fuel_app.kit.errors import EmailTaken, InvalidForm, NotOnTheList, Refusal, attempt
from fuel_app.kit.forms import TYPED_MAX, Form, ZipCode
from fuel_app.kit.ui.button import site_address
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.neighborhoods.rules import (
    NAME_MAX,
    PICKER_LIMIT,
    NeighborhoodForm,
    NeighborhoodSummary,
)
from fuel_app.neighborhoods.state import NeighborhoodCard
from fuel_app.waitlist import service as waitlist
from fuel_app.waitlist.rules import WaitlistEntry

CREATE_BUTTON = "picker-create"  # element id


async def _check_picker(tab: Any) -> Answer:
    return await tab._may_pick()


in_picker = guarded_event(_check_picker)


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
            yield await self._take_location()

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
        yield await self._take_location(name)

    async def _take_location(self, name: str = "") -> Any:
        """Create a neighborhood of a name, or join the chosen one. Return an event, or None."""
        taking, event = self._take_or_refuse(name), "neighborhoods.join_failed"
        answer, problem = await attempt(taking, event, self._failed)
        self.busy, self.refusal = False, problem or self.refusal
        return answer

    async def _take_or_refuse(self, name: str) -> Any:
        try:
            member = await self._member()
            if name:
                neighborhood = await neighborhoods.create(member, name, self.zip_code)
            else:
                neighborhood = await neighborhoods.join(member, self.chosen)
            answer = await self._settle(neighborhood)
        except Refusal as error:
            return await self._refuse_location(error)
        (await self.get_state(ToastState))._show("Successfully joined neighborhood!")
        self.creating = False
        return answer

    async def _refuse_location(self, error: Refusal) -> None:
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
        fetching = neighborhoods.in_zip(zip_code, self.search)
        listed, problem = await attempt(fetching, "neighborhoods.fetch_failed")
        if problem or listed is None:  # logged only, says the specification
            return
        cards = [NeighborhoodCard.of(each) for each in listed[:PICKER_LIMIT]]
        self.many = self.many if self.search else len(listed) > PICKER_LIMIT
        invited = [self.invitation] if self.invitation.id and not self.search else []
        self.neighborhoods = invited + [each for each in cards if each.id != self.invitation.id]


FORM = "waitlist"
BLANK = WaitlistEntry.blank()
SUBMIT_FAILED = "An error occurred while submitting the form. Please try again."
ZIP_FORM = "waitlist-zip"
NOT_YET_ON_THE_LIST = "You are not on the list yet. Please send the form again."


class ZipForm(Form):
    zip_code: ZipCode


async def _is_served(zip_code: str) -> bool:
    return bool(zip_code) and await _check(company.serves(zip_code), "area")


async def _check(check: Awaitable[bool], about: str) -> bool:
    """Return the outcome of a check; a failing database leads to the waitlist."""
    found, _ = await attempt(check, f"joining.{about}_check_failed")
    return found is True


class WaitlistState(NeighborhoodPicker, rx.State):
    """The waitlist modal of one tab; survives closing and reloading."""

    opened: bool = False
    stage: str = "form"  # then "picker", then "joined"
    asks_zip: bool = False  # before the form: once open, the ZIP decides where joining leads
    zip_error: str = ""
    reason: str = ""  # why another form led here

    joined: NeighborhoodCard = NeighborhoodCard()
    referral_link: str = ""
    join_link: str = ""

    form: dict[str, str] = BLANK
    field_errors: dict[str, str] = BLANK
    invitation_missing: bool = False

    # Resumes this tab's entry after the server has dropped its state. A secret, not an id.
    resume_key: str = rx.SessionStorage("", name="waitlist_resume")
    _referrer: str = ""
    _opened_on: str = ""  # the address where it was opened last
    # Set by this tab's own submission, never from an id that a browser sends.
    _submission_id: str = ""

    @rx.event
    async def arrive(self):
        """Open the page from a join link, a referral or neither."""
        self.busy = False
        asked = self.router.url.query_parameters
        waits = asked.get("waitlist") == "true"
        # Neither a reload nor a press before the page has arrived closes it.
        if self._opened_on != str(self.router.url):
            self.opened = self.invitation_missing = False
            self.reason = self.reason if waits else ""
        if referrer := asked.get("ref"):
            self._referrer = referrer[:TYPED_MAX]
        await self._resume()
        if invited_to := routes.neighborhood_in(self.router.url.path):
            await self._welcome_to(invited_to)
        if invited_to and self.stage == "form" and await _is_served(self.invitation.zip_code):
            return self._sign_up(self.invitation.id, replace=True)
        if invited_to or referrer or waits:
            await self._open()
        return None

    @rx.event
    async def show(self, opened: bool):
        """Open the modal where the visitor left it, or close it."""
        self.reason = ""
        if opened is True:
            await self._open()
        else:
            self.opened = False

    @rx.event
    async def check_zip(self, form: dict[str, Any]):
        """Lead to the sign-up where we are open, else to the waitlist's form."""
        try:
            zip_code = ZipForm.parse(form).zip_code
        except InvalidForm as error:
            self.zip_error = error.messages["zip_code"]
            return focus_field(ZIP_FORM, "zip_code")
        if await _is_served(zip_code):
            return await self._welcome(zip_code)
        await self._wait_for(zip_code, not_yet(zip_code))
        return focus_field(FORM, "first_name")

    @rx.event
    async def edit(self, form: dict[str, Any]):
        """Keep what is typed; validate invalid fields again."""
        if self.stage != "form":
            return  # a last keystroke may arrive after the form has gone
        before, self.form = self.form, WaitlistEntry.typed(form)
        if any(self.field_errors.values()):
            problems = WaitlistEntry.problems(self.form)
            # An unchanged value keeps its message: only the database knows that an e-mail is taken.
            self.field_errors = {
                field: problems[field] if message and self.form[field] != before[field] else message
                for field, message in self.field_errors.items()
            }
        if (zip_code := self.form["zip_code"].strip()) != self.zip_code:
            await self._look_around(zip_code)

    @rx.event
    async def submit(self, form: dict[str, Any]):
        """Join the waitlist. A second click finds the stage changed and does nothing."""
        if self.stage != "form":
            return
        self.form = WaitlistEntry.typed(form)
        self.busy, self.refusal, self.reason, self.field_errors = True, "", "", BLANK
        self.resume_key = self.resume_key or secrets.token_urlsafe(24)
        yield  # show 'Submitting...', and let the tab keep its key, before the work starts
        # After an outage it may be stored all the same: a retry with the same key resumes it.
        answer, problem = await attempt(self._join(form), "waitlist.join_failed", SUBMIT_FAILED)
        self.busy, self.refusal = False, problem or self.refusal
        yield answer

    @rx.event
    async def shared(self, outcome: str):
        """Report the outcome of a press on Share."""
        toasts = await self.get_state(ToastState)
        if outcome == "copied":
            toasts._show("Link copied to clipboard!")
        elif outcome == "failed":
            toasts._show("Your browser did not let us copy. Select the link instead.", "problem")

    async def _join(self, form: object) -> Any:
        """Join the waitlist, or lead to the sign-up. Return the event that follows."""
        try:
            entry = WaitlistEntry.parse(form)
            if await company.serves(entry.zip_code):
                self.resume_key = ""
                return await self._welcome(entry.zip_code)
            return await self._enter(entry)
        except Refusal as refusal:
            return await self._refused(refusal)

    async def _open(self) -> None:
        """Open the modal; once the company is open it asks for the ZIP first."""
        self._appear()
        self.zip_error = ""
        known = self.form["zip_code"]  # a served one led to the sign-up before
        is_new = self.stage == "form" and (not known or await _is_served(known))
        self.asks_zip = is_new and await _check(company.is_open(), "opening")

    async def _welcome(self, zip_code: str) -> rx.event.EventSpec:
        """Lead from an open ZIP to the sign-up, and say why."""
        (await self.get_state(ToastState))._show(f"Good news: we deliver in {zip_code}.", seconds=6)
        return self._start(zip_code)

    def _start(self, zip_code: str) -> rx.event.EventSpec:
        """Lead from an open ZIP to the sign-up, which takes it over."""
        self.opened, self.form = False, self.form | {"zip_code": zip_code}
        return self._sign_up(self.invitation.id)

    async def _wait_for(self, zip_code: str, reason: str) -> None:
        """Open the form with a ZIP; what was typed stays."""
        await self._prefill({**self.form, "phone": self.form["phone_number"]}, zip_code, reason)
        self._appear()

    def _appear(self) -> None:
        self.opened, self._opened_on = True, str(self.router.url)

    def _sign_up(self, neighborhood_id: str, *, replace: bool = False) -> rx.event.EventSpec:
        """Lead to the sign-up, which keeps the friend, the neighborhood and what is typed.

        Args:
            replace: Back leads past this page: a join link would lead on to the sign-up again.
        """
        kept = {"ref": self._referrer, "neighborhood": neighborhood_id}
        return rx.redirect(routes.asking(routes.ONBOARDING, kept), replace=replace)

    async def _refused(self, refusal: Refusal) -> rx.event.EventSpec | None:
        """Show a refusal. Return an event that focuses the field, or None."""
        if isinstance(refusal, EmailTaken):
            await self._resume()  # by this tab, whose answer was lost?
            if self.stage != "form":
                return None
            refusal = InvalidForm({"email": str(refusal)})
        self.resume_key, self.refusal = "", ""
        if isinstance(refusal, InvalidForm):
            self.field_errors = BLANK | refusal.messages
            return focus_field(FORM, next(iter(refusal.messages)))
        self.refusal = str(refusal)
        return None

    async def _enter(self, entry: WaitlistEntry) -> None:
        self._submission_id = await waitlist.join(
            entry,
            referrer=self._referrer,
            address=self.router.session.client_ip,
            resume_key=self.resume_key,
        )
        self.stage, self.form = "picker", BLANK
        if entry.zip_code != self.zip_code or not self.neighborhoods:
            await self._look_around(entry.zip_code)
        self._choose(self.invitation.id)

    async def _resume(self) -> None:
        """Resume this tab's entry after a restart or a long pause."""
        if self.stage != "form" or not self.resume_key:
            return
        resuming = waitlist.resume(self.resume_key)
        entry, problem = await attempt(resuming, "waitlist.resume_failed")
        finding = neighborhoods.find(entry and entry.neighborhood_id)
        neighborhood, missed = await attempt(finding, "waitlist.resume_failed")
        if problem or missed:  # it will be there on the next visit
            return
        self._appear()
        if entry:
            self._submission_id, self.stage = entry.submission_id, "picker"
            await self._look_around(entry.zip_code)
        elif not self.refusal:
            self.refusal = NOT_YET_ON_THE_LIST
        if neighborhood:
            self._show_confirmation(neighborhood)

    async def _prefill(self, contact: Mapping[str, str], zip_code: str, reason: str) -> None:
        """Fill the form in with what was typed elsewhere, unless it was sent already."""
        self.reason, self.asks_zip = reason, False
        if self.stage == "form":
            own = {"phone_number": contact.get("phone", ""), "zip_code": zip_code}
            self.form = WaitlistEntry.typed({**contact, **own})
            self.field_errors, self.refusal = BLANK, ""
            await self._look_around(self.form["zip_code"])

    async def _welcome_to(self, neighborhood_id: str) -> None:
        finding = neighborhoods.find(neighborhood_id)
        neighborhood, problem = await attempt(finding, "neighborhoods.find_failed")
        if problem:  # the visitor joins without the invitation
            return
        self.invitation = NeighborhoodCard.of(neighborhood) if neighborhood else NeighborhoodCard()
        self.invitation_missing = neighborhood is None
        if neighborhood and self.stage == "form":
            zip_code = self.form["zip_code"] or neighborhood.zip_code
            self.form = self.form | {"zip_code": zip_code}
            await self._look_around(zip_code)
        elif neighborhood and self.stage == "picker":
            await self._look_around(self.zip_code)
            self._choose(neighborhood.id)

    async def _may_pick(self) -> Answer:
        return None if self.stage == "picker" else ()

    async def _member(self) -> str:
        return self._submission_id

    async def _settle(self, neighborhood: NeighborhoodSummary) -> None:
        self._show_confirmation(neighborhood)

    async def _refuse_location(self, error: Refusal) -> None:
        if isinstance(error, NotOnTheList):  # staff deleted the entry meanwhile
            self.stage, self.refusal = "form", str(error)
        else:
            await super()._refuse_location(error)

    def _show_confirmation(self, neighborhood: NeighborhoodSummary) -> None:
        site = site_address(self)
        self.stage, self.joined, self.creating = "joined", NeighborhoodCard.of(neighborhood), False
        self.referral_link = site + routes.referral(self._submission_id)
        self.join_link = site + routes.join_neighborhood(neighborhood.id)
