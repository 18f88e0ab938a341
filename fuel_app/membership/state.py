"""Account Settings: personal information, another e-mail, one's own data, closing the account.

And the verification of a sign-up, by the code of its mail.
"""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import NewEmail, Session
from fuel_app.accounts.rules.security import ReauthenticationNeeded
from fuel_app.accounts.service import account, sign_up
from fuel_app.accounts.state.session import (
    Answer,
    CookieState,
    Opening,
    SessionState,
    guarded_event,
    session_of,
    visitor_of,
)
from fuel_app.customers.rules.customers import Customer, NotVerified, Personal
from fuel_app.customers.rules.sign_up import (
    VERIFY_FORM,
)
from fuel_app.customers.state.account import OwnNeighborhoodState
from fuel_app.customers.state.customer import (
    CustomerScreen,
    CustomerState,
    for_customers,
    for_own,
)
from fuel_app.customers.state.security import (
    ReauthenticationState,
    change_or_ask,
    is_reauthenticated,
)
from fuel_app.kit import contact
from fuel_app.kit.clock import day_of, long_date
from fuel_app.kit.errors import InvalidForm, Refusal, attempt, problem_of
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.membership import service

PERSONAL_FORM = "personal"
EDIT_BUTTON = "personal-edit"
BLANK = Personal.blank()
UNSAVED = "Your personal information is not saved yet: save it, or cancel"


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
        elif self.form != _fields_of(await (await self.get_state(CustomerState))._read()):
            (await self.get_state(ToastState))._show(UNSAVED, "note", seconds=6)

    @for_customers
    async def begin(self):
        """Open the fields."""
        if self.editing:
            return
        await self._show_stored()
        self.editing = True
        yield  # a field that is disabled cannot take the focus
        yield focus_field(PERSONAL_FORM, "first_name")

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
            yield focus_field(PERSONAL_FORM, next(iter(error.messages)))
            return
        session._become(customer)
        self._show(customer)
        (await self.get_state(ToastState))._show(session._opened.saved)
        yield OwnNeighborhoodState.arrive()  # the ZIP may be another
        self.editing = False
        yield
        yield rx.set_focus(EDIT_BUTTON)
        if customer.personal.email != personal.email:
            yield EmailState.ask(personal.email)

    @for_own
    async def download_data(self):
        """Download all that is stored about this person, after their password."""
        if await is_reauthenticated(self, AccountState.download_data):
            return rx.download(routes.ACCOUNT_DATA, "your-data.json")
        return None

    @for_customers
    async def ask_to_delete(self):
        """Close the preview's account, and a real one after its owner's password."""
        if (await self.get_state(CustomerState))._opened.is_sample:
            return AccountState.delete_account
        (await self.get_state(ReauthenticationState))._ask(AccountState.delete_account)
        return None

    @for_customers
    async def delete_account(self):
        """Close the account; a preview's sample is dropped. The password is asked for before."""
        opened = (await self.get_state(CustomerState))._opened
        try:
            notice = ""
            if not opened.is_verified:
                raise NotVerified
            if not opened.is_sample:
                removed = await service.close(await session_of(self), await visitor_of(self))
                notice = (
                    f"Your account is closed. Its data is removed on {long_date(day_of(removed))}."
                )
        except ReauthenticationNeeded:
            (await self.get_state(ReauthenticationState))._ask(AccountState.delete_account)
            return None
        except Refusal as refusal:
            (await self.get_state(ToastState))._show(str(refusal), "problem", seconds=6)
            return None
        for screen in rx.State.get_substates():
            if issubclass(screen, CustomerScreen):
                (await self.get_state(screen)).reset()
        if notice:
            (await self.get_state(ToastState))._show(notice, seconds=8)
        return rx.redirect(routes.HOME)

    async def _show_stored(self) -> None:
        self._show(await (await self.get_state(CustomerState))._read())

    def _show(self, customer: Customer) -> None:
        self.form = _fields_of(customer)
        self.field_errors = BLANK
        self.edition += 1


def _fields_of(customer: Customer) -> dict[str, str]:
    """Return what is stored as it stands in the form's fields."""
    stored = customer.personal
    return stored.model_dump() | {"phone": contact.phone_text(stored.phone)}


EMAIL_FORM = "email-change"


CODE_BUTTON = "email-change-enter"


EMAIL_CHANGED = "Your e-mail is changed"


class EmailState(CustomerScreen, Opening, rx.State):
    """The address that waits for its code, and the dialog. The code itself is never kept."""

    pending: str = ""  # the new e-mail while its code is awaited
    error: str = ""
    notice: str = ""
    busy: bool = False

    @for_own
    async def arrive(self):
        """Open the screen: a line says what waits; the dialog stays closed."""
        self._wait_for(await account.pending_email(await session_of(self)))

    @for_own
    async def ask(self, email: str):
        """Send a code to the new e-mail, after the password where it was not given just now."""
        try:
            if sent_to := await self._send(email):
                self._wait_for(sent_to)
                self.opened = True
        except Refusal as refusal:
            (await self.get_state(ToastState))._show(str(refusal), "problem", seconds=6)

    @for_own
    async def send_again(self):
        """Send another code; the one before no longer works."""
        if not self.pending:
            return
        try:
            if await self._send(self.pending):
                self.error, self.notice = "", "We have sent a new code."
        except Refusal as refusal:
            self.error = str(refusal)

    @for_own
    async def confirm(self, form: dict[str, Any]):
        """Change the e-mail by the code."""
        if not self.pending or self.busy:
            return
        self.busy, self.error, self.notice = True, "", ""
        yield
        code = form.get("code") if isinstance(form, Mapping) else None
        self.error = await problem_of(self._change(code), "email.change_failed")
        self.busy = False
        if self.error:
            yield focus_field(EMAIL_FORM, "code")
        else:
            (await self.get_state(ToastState))._show(EMAIL_CHANGED)
            yield AccountState.arrive()  # the field shows it, too
            yield rx.set_focus(EDIT_BUTTON)

    @for_own
    async def show(self, opened: bool):
        """Open the dialog, or close it; the address goes on waiting."""
        self.opened, self.error, self.notice = opened is True and bool(self.pending), "", ""
        if not self.opened and self.pending:
            yield  # the button can take the focus once the dialog is gone
            yield rx.set_focus(CODE_BUTTON)

    @for_own
    async def cancel(self):
        """Give the change up; the e-mail stays as it was."""
        if not self.pending:
            return
        await account.cancel_email_change(await session_of(self))
        self._wait_for("")
        yield
        yield rx.set_focus(EDIT_BUTTON)

    async def _change(self, code: object) -> None:
        await service.confirm_email(await session_of(self), code, await visitor_of(self))
        self._wait_for("")
        customer = await self.get_state(CustomerState)
        customer._become(await customer._opened.read())

    async def _send(self, email: object) -> str:
        """Send a code. Return where to; empty if the password is asked for first."""
        new = NewEmail.parse({"email": email})
        asking = account.send_email_code(await session_of(self), new, await visitor_of(self))
        return new.email if await change_or_ask(self, asking, EmailState.ask, new.email) else ""

    def _wait_for(self, email: str) -> None:
        self.pending, self.opened, self.error, self.notice = email, False, "", ""


VERIFY_FAILED = "This does not work just now. Please try again."


async def _check_sign_up(tab: rx.State) -> Answer:
    """Lead any other tab to the dashboard, which shows a person's own or leads to the sign-in."""
    if await (await tab.get_state(VerifyState))._sign_up():
        return None
    return [rx.redirect(routes.DASHBOARD, replace=True)]


for_sign_ups = guarded_event(_check_sign_up)


class VerifyState(CustomerScreen, rx.State):
    """A sign-up's verification; the code itself is never kept."""

    email: str = ""  # where the code was sent; empty unless it is a sign-up
    error: str = ""
    notice: str = ""
    busy: bool = False
    sending: bool = False
    verified: bool = False  # the cookie of the person's session follows

    @rx.event
    async def arrive(self):
        """Show the card to a sign-up alone."""
        session = await self._sign_up()
        pending = await sign_up.find(session) if session else None
        self._begin(pending.applicant.email if pending else "")

    @for_sign_ups
    async def verify(self, form: dict[str, Any]):
        """Make the sign-up an account. The code is right once, so a second press finds it used."""
        session = await session_of(self)
        self.busy, self.error, self.notice = True, "", ""
        yield
        code = form.get("code") if isinstance(form, Mapping) else None
        verifying = service.verify(session, code, await visitor_of(self))
        event = "sign_up.verification_failed"
        signed_in, self.error = await attempt(verifying, event, VERIFY_FAILED)
        if signed_in is None:
            yield focus_field(VERIFY_FORM, "code")
        else:
            self._begin("")
            self.verified = True
            (await self.get_state(CookieState))._fetch(signed_in, routes.DASHBOARD)
        self.busy = False

    @for_sign_ups
    async def resend(self):
        """Send a new code."""
        session = await session_of(self)
        self.sending, self.error, self.notice = True, "", ""
        yield
        sending = sign_up.resend(session, await visitor_of(self))
        self.error = await problem_of(sending, "sign_up.resend_failed", VERIFY_FAILED)
        if not self.error:
            self.notice = "We have sent a new code. The one before no longer works."
        self.sending = False

    async def _sign_up(self) -> Session | None:
        session = await (await self.get_state(SessionState))._find()
        return session if session and session.sign_up_id else None

    def _begin(self, email: str) -> None:
        self.email, self.error, self.notice = email, "", ""
        self.busy = self.sending = self.verified = False
        self._is_private = bool(email)
