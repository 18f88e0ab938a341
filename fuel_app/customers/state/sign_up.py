"""Sign-up: the contact (which a one-time fill shares), the plan, and the code of the mail."""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import SignUpGone
from fuel_app.accounts.state.session import (
    CookieState,
    visitor_of,
)
from fuel_app.customers.rules.sign_up import (
    INVITED,
    PARAMETERS,
    PASSWORD_AGAIN,
    PREVIEW,
    REFERRER,
    Beginning,
    Contact,
    NewAccount,
    NewContact,
    NotServed,
)
from fuel_app.customers.service import neighborhood
from fuel_app.customers.service import sign_up as customers
from fuel_app.customers.state.customer import WE_HAVE_OPENED, CustomerScreen
from fuel_app.joining.state import BLANK as WAITLIST_BLANK
from fuel_app.joining.state import WaitlistState
from fuel_app.kit.errors import InvalidForm, Refusal, attempt
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.ui.wizard import start_at
from fuel_app.plans.rules.plans import PLANS

CONTACT_FORM = "contact"
PRESELECTED = next(plan.id for plan in PLANS if plan.popular)
LINK_MAX = 200  # characters of a parameter
FAILED = "Signing up does not work just now. Please try again."
REASON_S = 8.0  # seconds that a message which leads elsewhere is shown


class SignupState(CustomerScreen, rx.State):
    """A visitor's sign-up. The password is validated, hashed and never kept."""

    ready: bool = False
    opens_account: bool = False  # else it is a preview
    contact: dict[str, str] = NewContact.blank()
    contact_errors: dict[str, str] = NewAccount.blank()
    contact_given: bool = False
    password_given: bool = False
    plan: str = PRESELECTED
    suggested_password: str = ""
    busy: bool = False
    refusal: str = ""
    promises: list[str] = []  # what comes along from the waitlist
    link_used: bool = False  # the invitation belongs to an account already
    edition: int = 0  # a new one shows what is kept, whatever the fields held before

    _beginning: Beginning | None = None
    _led_to_plan: bool = False
    _pending: str = ""  # this tab's stored sign-up,
    _stored: dict[str, str] = {}  # with this contact
    _completed: bool = False
    _link: dict[str, str] = {}  # the parameters that led here,
    _comes_from: dict[str, str] = {}  # and what is true of them

    @rx.event
    async def arrive(self):
        """Open a step, or redirect to the first incomplete one."""
        if self._completed:
            self.reset()
        await self._begin()
        await self._follow_link()
        self.busy, self.refusal = False, ""
        steps = ((routes.ONBOARDING, self._may_choose_plan()), (routes.ONBOARDING_PLAN, False))
        if instead := start_at(self.router.url.path, steps):
            return rx.redirect(instead, replace=True)
        self.ready = True
        return None

    async def _begin(self) -> bool:
        """Fill the form in once; later, check that the contact is still valid.

        Return False if the company has opened under a preview, which then begins anew.
        """
        now, before = await customers.beginning(), self._beginning
        goes_on = before is None or before.opens_account == now.opens_account
        if not goes_on:
            edition = self.edition + 1
            self.reset()
            self.edition = edition
            (await self.get_state(ToastState))._show(WE_HAVE_OPENED)
        if self._beginning is None:
            self._beginning, self.opens_account = now, now.opens_account
            self.contact = NewContact.blank() | dict(now.contact)
            self.suggested_password = now.password
        rules = now.rules(password=False)
        self.contact_given &= not any(rules.problems(self.contact).values())
        return goes_on

    async def _follow_link(self) -> None:
        """Keep what the link tells, and fill the contact in: an invitation wins over typed text."""
        if not self.opens_account:
            return
        asked = self.router.url.query_parameters
        link = {name: asked[name][:LINK_MAX] for name in (*PARAMETERS, "plan") if asked.get(name)}
        before = self.contact
        if not any(before.values()):  # the waitlist's form may have led here
            self.contact = before | await self._moved_from_waitlist()
        if link and link != self._link:
            found = await neighborhood.read_link(link)
            self._choose(link.get("plan"))
            self._link, self._comes_from = link, dict(found.comes_from)
            self.promises, self.link_used = list(found.promises), found.is_used
            typed = {name: value for name, value in self.contact.items() if value}
            wins = found.contact if INVITED in found.comes_from else {}
            self.contact = self.contact | dict(found.contact) | typed | dict(wins)
        if self.contact != before:
            self.edition += 1

    async def _moved_from_waitlist(self) -> dict[str, str]:
        """Return what is typed into the waitlist's form, which is then empty."""
        waitlist = await self.get_state(WaitlistState)
        typed = {**waitlist.form, "phone": waitlist.form["phone_number"]}
        waitlist.form = WAITLIST_BLANK
        return {name: typed[name] for name in self.contact}

    @rx.event
    async def edit_contact(self, form: dict[str, Any]):
        """Keep what is typed, the password apart."""
        self.contact = NewContact.typed(form)
        before = self.contact_errors
        now = NewAccount.blank() | self._rules(form).recheck(before, form)
        if self.opens_account and before["password"] and not now["password"]:
            weakness = await customers.password_problem(form, await visitor_of(self))
            now["password"] = before["password"] if weakness is None else weakness
        self.contact_errors = now

    @rx.event
    async def submit_signup(self, form: dict[str, Any]):
        """Go on to the plans. The password is hashed and stored with the sign-up."""
        self.busy, self.refusal = True, ""
        yield
        follows, problem = await attempt(self._begin_or_submit(form), "sign_up.failed", FAILED)
        self.busy, self.refusal = False, problem or self.refusal
        yield follows

    @rx.event
    def submit_contact(self, form: dict[str, Any]):
        """Go on to the vehicle of a one-time fill."""
        try:
            self._check(form, Contact)
        except InvalidForm as error:
            return self._refuse(error)
        return rx.redirect(routes.ONE_TIME_FILL_VEHICLE)

    @rx.event
    def choose_plan(self, plan: str):
        self._choose(plan)

    def _choose(self, plan: object) -> None:
        if plan in [known.id for known in PLANS]:
            self.plan = str(plan)

    @rx.event
    async def complete(self):
        """Store the plan and sign in; a preview goes to the sample customer's dashboard.

        A second press finds the cookie on its way and does nothing.
        """
        cookie = await self.get_state(CookieState)
        if cookie.fetching:
            return
        self.busy, self.refusal = True, ""
        yield
        follows, self.refusal = await attempt(
            self._complete(cookie), "sign_up.completion_failed", FAILED
        )
        self.busy = False
        yield follows

    async def _complete(self, cookie: CookieState) -> Any:
        """Complete the sign-up. Return the event that follows."""
        if not await self._begin():
            return SignupState.arrive()
        try:
            signed_in = await customers.complete(self._pending, self.plan, await visitor_of(self))
        except SignUpGone as gone:
            self._pending, self.password_given = "", False
            (await self.get_state(ToastState))._show(str(gone), "problem", REASON_S)
            return rx.redirect(routes.ONBOARDING)
        self._completed = signed_in is not None
        if signed_in is None:
            return rx.redirect(routes.DASHBOARD)
        cookie._fetch(signed_in, routes.DASHBOARD)
        return None

    def _may_choose_plan(self) -> bool:
        if not self.opens_account:
            return self.contact_given or self._led_to_plan
        return bool(self._pending) and self.contact_given and self.contact == self._stored

    def _rules(self, form: object, *, password: bool = False) -> type[Contact]:
        """Return the rules of this form. A password that was right once need not be typed again."""
        sent = form.get("password") if isinstance(form, Mapping) else None
        needed = bool(sent) or ((password or sent == "") and not self.password_given)
        return (self._beginning or PREVIEW).rules(password=needed)

    async def _begin_or_submit(self, form: object) -> Any:
        return await self._submit(form) if await self._begin() else SignupState.arrive()

    async def _submit(self, form: object) -> Any:
        """Return the event that goes on, or that leads to what is wrong."""
        visitor = await visitor_of(self)
        try:
            self._check(form, self._rules(form, password=True))
            self._pending = await customers.begin(
                form, visitor, former_id=self._pending, comes_from=self._comes_from
            )
        except InvalidForm as error:
            return self._refuse(error)
        except NotServed as reason:
            waitlist = await self.get_state(WaitlistState)
            await waitlist._prefill(self.contact, self.contact["zip_code"], str(reason))
            asked = {"waitlist": "true", "ref": self._comes_from.get(REFERRER)}
            return rx.redirect(routes.asking(routes.HOME, asked))
        except SignUpGone:
            self._pending, self.password_given = "", False
            return self._refuse(InvalidForm({"password": PASSWORD_AGAIN}))
        except Refusal as refusal:
            self.refusal = str(refusal)
            return None
        self._stored, self.password_given = dict(self.contact), True
        return rx.redirect(routes.ONBOARDING_PLAN)

    def _check(self, form: object, rules: type[Contact]) -> None:
        """Keep the contact. Raises InvalidForm."""
        self.contact, self.contact_errors = NewContact.typed(form), NewAccount.blank()
        rules.parse(form)
        self.contact_given = True

    def _refuse(self, error: InvalidForm) -> Any:
        """Show what is wrong. Return an event that focuses the first invalid field."""
        self.contact_errors = NewAccount.blank() | error.messages
        return focus_field(CONTACT_FORM, next(iter(error.messages)))
