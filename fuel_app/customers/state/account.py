"""Account Settings and Privacy & Security."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules.factors import NotProved
from fuel_app.accounts.state.session import visitor_of
from fuel_app.customers.rules.profile import Customer, Personal
from fuel_app.customers.state.customer import (
    CustomerScreen,
    CustomerState,
    for_customers,
    for_own,
    in_preview,
)
from fuel_app.customers.state.neighborhood import OwnNeighborhoodState
from fuel_app.customers.state.security.proof import AFTER_PROOF, ProofState, is_proved
from fuel_app.kit import contact
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState

FORM = "personal"
EDIT_BUTTON = "personal-edit"
BLANK = Personal.blank()


class AccountState(CustomerScreen, rx.State):
    """Personal Information: shown, or being edited. What is typed survives a reload."""

    editing: bool = False
    form: dict[str, str] = BLANK
    field_errors: dict[str, str] = BLANK
    closing: str = ""  # what deleting a real account does
    edition: int = 0  # a new one shows what is stored, whatever was typed into the last

    @for_customers
    async def arrive(self):
        """Open the screen; an edit in progress continues."""
        self.closing = await (await self.get_state(CustomerState))._opened.closing()
        if not self.editing:
            await self._show_stored()

    @for_customers
    async def begin(self):
        """Open the fields."""
        if self.editing:
            return
        await self._show_stored()
        self.editing = True
        yield  # a field that is disabled cannot take the focus
        yield focus_field(FORM, "first_name")

    @for_customers
    async def cancel(self):
        """Close the fields and discard the typed text."""
        self.editing = False
        yield  # the button is back when the focus goes to it
        yield rx.set_focus(EDIT_BUTTON)
        await self._show_stored()

    @for_customers
    async def edit(self, form: dict[str, Any]):
        """Keep what is typed; after an error, validate every change."""
        typed = Personal.typed(form)
        if self.editing and typed != self.form:
            self.form = typed
            rules = (await self.get_state(CustomerState))._opened.rules(self.form)
            self.field_errors = rules.recheck(self.field_errors, self.form)

    @for_customers
    async def save(self, form: dict[str, Any]):
        """Save valid changes. A second click finds the fields closed."""
        if not self.editing:
            return
        self.form = Personal.typed(form)
        session = await self.get_state(CustomerState)
        try:
            personal = session._opened.rules(self.form).parse(self.form)
            customer = await session._opened.save_personal(personal)
        except InvalidForm as error:
            self.field_errors = BLANK | error.messages
            yield focus_field(FORM, next(iter(error.messages)))
            return
        session._become(customer)
        self._show(customer)
        (await self.get_state(ToastState))._show(session._opened.saved)
        yield OwnNeighborhoodState.arrive()  # the ZIP may be another
        self.editing = False
        yield
        yield rx.set_focus(EDIT_BUTTON)
        if customer.personal.email != personal.email:
            yield AFTER_PROOF["email"](personal.email)

    @for_own
    async def download_data(self):
        """Download all that is stored about this person, after their password."""
        if await is_proved(self, "download data"):
            return rx.download(routes.ACCOUNT_DATA, "your-data.json")
        return None

    @for_customers
    async def ask_to_delete(self):
        """Close the preview's account, and a real one after its owner's password."""
        if (await self.get_state(CustomerState))._opened.is_sample:
            return AccountState.delete_account
        (await self.get_state(ProofState))._ask("delete account")
        return None

    @for_customers
    async def delete_account(self):
        """Close the account; a preview's sample is dropped. The password is asked for before."""
        account = (await self.get_state(CustomerState))._opened
        try:
            told = await account.close(await visitor_of(self))
        except NotProved:
            (await self.get_state(ProofState))._ask("delete account")
            return None
        except Refusal as refusal:
            (await self.get_state(ToastState))._show(str(refusal), "problem", seconds=6)
            return None
        for screen in rx.State.get_substates():
            if issubclass(screen, CustomerScreen):
                (await self.get_state(screen)).reset()
        if told:
            (await self.get_state(ToastState))._show(told, seconds=8)
        return rx.redirect(routes.HOME)

    async def _show_stored(self) -> None:
        self._show(await (await self.get_state(CustomerState))._opened.read())

    def _show(self, customer: Customer) -> None:
        stored = customer.personal
        self.form = stored.model_dump() | {"phone": contact.phone_text(stored.phone)}
        self.field_errors = BLANK
        self.edition += 1


AFTER_PROOF["delete account"] = AccountState.delete_account
AFTER_PROOF["download data"] = AccountState.download_data

METHODS = (("sms", "Text Message (SMS)"), ("app", "Authenticator App"))


class SecurityState(CustomerScreen, rx.State):
    """Before launch the choice is this session's own, and nothing follows from it."""

    setting_up: bool = False
    method: str = ""

    @in_preview
    async def set_up(self):
        """Show or hide the choice."""
        self.setting_up = not self.setting_up

    @in_preview
    async def choose(self, method: str):
        if method in [known for known, _ in METHODS]:
            self.method = method
