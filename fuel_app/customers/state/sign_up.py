"""Sign-up: the plan and the contact, which a one-time fill shares."""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.customers.rules.forms import Contact, Signup
from fuel_app.customers.service import account as customers
from fuel_app.customers.state.customer import CustomerScreen
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.wizard import start_at
from fuel_app.plans.rules import PLANS

FORM = "contact"
PRESELECTED = next(plan.id for plan in PLANS if plan.popular)


class SignupState(CustomerScreen, rx.State):
    """A visitor's sign-up. The password is validated and never kept."""

    ready: bool = False
    contact: dict[str, str] = Contact.blank()
    contact_errors: dict[str, str] = Signup.blank()
    contact_given: bool = False
    password_given: bool = False
    plan: str = PRESELECTED
    suggested_password: str = ""

    _begun: bool = False
    _led_to_plan: bool = False

    @rx.event
    async def arrive(self):
        """Open a step, or redirect to the first incomplete one."""
        await self._begin()
        given = self.contact_given or self._led_to_plan
        steps = ((routes.ONBOARDING, given), (routes.ONBOARDING_PLAN, False))
        if instead := start_at(self.router.url.path, steps):
            return rx.redirect(instead, replace=True)
        self.ready = True
        return None

    async def _begin(self) -> None:
        """Fill in the sample once; later, check that the contact is still valid."""
        if not self._begun:
            self._begun, self.contact = True, (await customers.suggested_contact()).model_dump()
            self.suggested_password = await customers.suggested_password()
        self.contact_given &= not any(Contact.problems(self.contact).values())

    @rx.event
    def edit_contact(self, form: dict[str, Any]):
        """Keep what is typed, the password apart."""
        self.contact = Contact.typed(form)
        again = self._rules(form).recheck(self.contact_errors, form)
        self.contact_errors = Signup.blank() | again

    @rx.event
    def submit_signup(self, form: dict[str, Any]):
        """Go on to the plans."""
        if refusal := self._check(form, self._rules(form, password=True)):
            return refusal
        self.password_given = True
        return rx.redirect(routes.ONBOARDING_PLAN)

    @rx.event
    def submit_contact(self, form: dict[str, Any]):
        """Go on to the vehicle of a one-time fill."""
        return self._check(form, Contact) or rx.redirect(routes.ONE_TIME_FILL_VEHICLE)

    @rx.event
    def choose_plan(self, plan: str):
        if plan in [known.id for known in PLANS]:
            self.plan = plan

    @rx.event
    def complete(self):
        """Go to the sample customer's dashboard; before launch there is no account."""
        return rx.redirect(routes.DASHBOARD)

    def _rules(self, form: object, *, password: bool = False) -> type[Contact]:
        """Return the rules of this form. A password that was right once need not be typed again."""
        sent = form.get("password") if isinstance(form, Mapping) else None
        needed = bool(sent) or ((password or sent == "") and not self.password_given)
        return Signup if needed else Contact

    def _check(self, form: object, rules: type[Contact]) -> Any:
        """Keep the contact. Return an event that focuses the first invalid field, or None."""
        self.contact = Contact.typed(form)
        self.contact_errors = Signup.blank()
        try:
            rules.parse(form)
        except InvalidForm as error:
            self.contact_errors = self.contact_errors | error.messages
            return focus_field(FORM, next(iter(error.messages)))
        self.contact_given = True
        return None
