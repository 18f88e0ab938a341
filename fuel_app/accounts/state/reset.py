"""Forgotten passwords: the request for a link, and the page that the link opens."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules.sign_in import ForgotPassword, LinkGone, NewPassword
from fuel_app.accounts.service import reset
from fuel_app.accounts.state.session import visitor_of
from fuel_app.accounts.state.sign_in_page import SignInState
from fuel_app.kit.ui.forms import FormState
from fuel_app.kit.ui.toast import ToastState
from fuel_app.server.reflex.private_tabs import link_token

SENT_HEADING = "reset-sent"
CHANGED = "Your password is changed. Sign in with the new one."


class ForgotPasswordState(FormState, rx.State):
    """The request for a link; whether there is an account is told by the mail alone."""

    FORM: ClassVar = "forgot-password"
    FIELDS: ClassVar = ForgotPassword

    errors: dict[str, str] = ForgotPassword.blank()
    sent_to: str = ""

    @rx.event
    def arrive(self):
        """Open the page; the answer stays, since phones connect anew after a look at the mail."""
        self.errors, self.error, self.busy = ForgotPassword.blank(), "", False

    @rx.event
    def ask_again(self):
        """Show the form again."""
        self.reset()

    @rx.event
    async def ask(self, form: dict[str, Any]):
        """Send a link."""
        self._begin()
        yield
        focus = await self._finish(self._ask(form))
        yield  # the heading is there when the focus goes to it
        yield focus

    async def _ask(self, form: object) -> rx.event.EventSpec:
        asked = ForgotPassword.parse(form)
        await reset.ask(asked, await visitor_of(self))
        self.sent_to = asked.email
        return rx.set_focus(SENT_HEADING)


class ResetPasswordState(FormState, rx.State):
    """The page of a link. The token stays in the address, the password in the browser."""

    FORM: ClassVar = "reset-password"
    FIELDS: ClassVar = NewPassword

    link: str = ""  # empty until it is looked at, then 'open' or 'gone'
    errors: dict[str, str] = NewPassword.blank()

    @rx.event
    async def arrive(self):
        """Look whether the link may be used, without using it: mail scanners open links."""
        self.reset()
        await self._drop_second_step()
        self.link = "open" if await reset.is_open(link_token(self)) else "gone"

    @rx.event
    async def set_password(self, form: dict[str, Any]):
        """Set the new password, which uses the link up."""
        self._begin()
        yield
        yield await self._finish(self._set(form))

    async def _set(self, form: object) -> Any:
        new = NewPassword.parse(form)
        try:
            await reset.reset(link_token(self), new.password, await visitor_of(self))
        except LinkGone:
            self.link = "gone"
            return None
        await self._drop_second_step()
        (await self.get_state(ToastState))._show(CHANGED, seconds=6)
        return rx.redirect(routes.SIGN_IN, replace=True)

    async def _drop_second_step(self) -> None:
        """Let the sign-in begin anew: a second step may be another account's."""
        (await self.get_state(SignInState))._start_over()
