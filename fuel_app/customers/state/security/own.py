"""A signed-in person's security: what is shown, and where the account is signed in."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules.security import OwnSecurity
from fuel_app.accounts.rules.sign_in import PasswordChange
from fuel_app.accounts.service import passwords, security
from fuel_app.accounts.state.session import (
    OwnScreen,
    SessionState,
    person_only,
    session_of,
    visitor_of,
)
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.forms import FormState
from fuel_app.kit.ui.toast import ToastState

CHANGE_BUTTON = "password-change"


class OwnSecurityState(OwnScreen, rx.State):
    """The cards of a person; blank for a visitor, who sees the preview's."""

    is_own: bool = False
    lacks_factor: bool = False  # an admin without one
    card: OwnSecurity = OwnSecurity()

    @person_only
    async def arrive(self):
        """Open the screen."""
        await self._refresh()

    @person_only
    async def sign_out(self, session_id: str):
        """End one other session."""
        if await security.end_session(await session_of(self), session_id, await visitor_of(self)):
            await self._say("Signed out there.")
        await self._refresh()

    @person_only
    async def sign_out_others(self):
        """End all sessions but this one."""
        session = await session_of(self)
        await security.end_sessions(session, await visitor_of(self), except_id=session.id)
        await self._say("Signed out everywhere else.")
        await self._refresh()

    @person_only
    async def sign_out_everywhere(self):
        """End all sessions, this one too."""
        await security.end_sessions(await session_of(self), await visitor_of(self))
        state = await self.get_state(SessionState)
        await state._forget()
        await state._look()
        return rx.redirect(routes.SIGN_IN, replace=True)

    async def _refresh(self) -> None:
        session = await session_of(self)
        shown = await security.overview(session)
        if shown != self.card:
            self.card = shown
        self.is_own, self.lacks_factor = True, session.lacks_factor

    async def _say(self, text: str) -> None:
        (await self.get_state(ToastState))._show(text)


class PasswordState(OwnScreen, FormState, rx.State):
    """A change of the password; neither password is kept."""

    FORM: ClassVar = "password"
    FIELDS: ClassVar = PasswordChange

    opened: bool = False
    errors: dict[str, str] = PasswordChange.blank()

    @person_only
    async def show(self, opened: bool):
        """Open or close the form."""
        self.opened = opened is True
        self.errors, self.error, self.busy = PasswordChange.blank(), "", False
        yield
        yield focus_field(self.FORM, "current") if self.opened else rx.set_focus(CHANGE_BUTTON)

    @person_only
    async def change(self, form: dict[str, Any]):
        """Change it; all other sessions end."""
        if not self.opened or self.busy:
            return
        self._begin()
        yield
        yield await self._finish(self._change(form))

    async def _change(self, form: object) -> rx.event.EventSpec:
        given = form if isinstance(form, dict) else {}
        session, who = await session_of(self), await visitor_of(self)
        await passwords.change(session, given.get("current"), given.get("new"), who)
        self.opened = False
        own = await self.get_state(OwnSecurityState)
        await own._say("Password changed. You are signed out everywhere else.")
        await own._refresh()
        return rx.set_focus(CHANGE_BUTTON)
