"""A change of the e-mail: the code that was sent to the new one."""

from collections.abc import Mapping
from typing import Any

import reflex as rx

from fuel_app.accounts.rules.email import NewEmail
from fuel_app.accounts.service import email_change
from fuel_app.accounts.state.session import session_of, visitor_of
from fuel_app.customers.state.account import EDIT_BUTTON, AccountState
from fuel_app.customers.state.customer import CustomerScreen, CustomerState, for_own
from fuel_app.customers.state.security.proof import AFTER_PROOF, proved
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState

FORM = "email-change"
CODE_BUTTON = "email-change-enter"
CHANGED = "Your e-mail is changed"


class EmailState(CustomerScreen, rx.State):
    """The address that waits for its code, and the dialog. The code itself is never kept."""

    pending: str = ""  # the new e-mail while its code is awaited
    opened: bool = False
    error: str = ""
    notice: str = ""
    busy: bool = False

    @for_own
    async def arrive(self):
        """Open the screen: a line says what waits; the dialog stays closed."""
        self._wait_for(await email_change.waiting(await session_of(self)))

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
        try:
            code = form.get("code") if isinstance(form, Mapping) else None
            await email_change.confirm(await session_of(self), code, await visitor_of(self))
            self._wait_for("")
            customer = await self.get_state(CustomerState)
            customer._become(await customer._opened.read())
            (await self.get_state(ToastState))._show(CHANGED)
            yield AccountState.arrive()  # the field shows it, too
            yield rx.set_focus(EDIT_BUTTON)
        except Refusal as refusal:
            self.error = str(refusal)
            yield focus_field(FORM, "code")
        finally:
            self.busy = False

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
        await email_change.cancel(await session_of(self))
        self._wait_for("")
        yield
        yield rx.set_focus(EDIT_BUTTON)

    async def _send(self, email: object) -> str:
        """Send a code. Return where to; empty if the password is asked for first."""
        new = NewEmail.parse({"email": email})
        asking = email_change.ask(await session_of(self), new, await visitor_of(self))
        return new.email if await proved(self, asking, "email", new.email) else ""

    def _wait_for(self, email: str) -> None:
        self.pending, self.opened, self.error, self.notice = email, False, "", ""


AFTER_PROOF["email"] = EmailState.ask
