"""The page of an invitation: a new account, or a person's own who is signed in."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Session
from fuel_app.accounts.rules.staff import (
    EmailHasAccount,
    Invitation,
    InvitationGone,
    NewAccount,
    OtherAccount,
)
from fuel_app.accounts.service import invitations
from fuel_app.accounts.state.session import SessionState, actor_of, visitor_of
from fuel_app.accounts.state.sign_in import FAILED, CookieState
from fuel_app.accounts.state.sign_in_page import go_on
from fuel_app.kit.ui.forms import FormState
from fuel_app.kit.ui.toast import ToastState
from fuel_app.server.reflex.private_tabs import link_token

NEW, KNOWN, OTHER, GONE, NONE = "new", "known", "other", "gone", "none"
ACCEPTED = "Accepted. Sign in to go on."


class InvitationState(FormState, rx.State):
    """The page of one tab. The token stays in the address, the password in the browser.

    Without a token it shows a signed-in person's own invitation.
    """

    FORM: ClassVar = "invitation"
    FIELDS: ClassVar = NewAccount

    stage: str = ""  # empty until it is looked at; OTHER: their own account has to sign in first
    email: str = ""
    roles: str = ""
    by: str = ""
    errors: dict[str, str] = NewAccount.blank()

    @rx.event
    async def arrive(self):
        """Look at the invitation, without using it: mail scanners open links."""
        self.reset()
        (await self.get_state(CookieState)).error = ""
        session = await self._look_at()
        if not link_token(self) and (session is None or not session.person_id):
            return _to_sign_in(replace=True)
        return None

    @rx.event
    async def edit(self, form: dict[str, Any]):
        """Check the fields again that have changed since they were refused."""
        self._recheck(form)

    @rx.event
    async def create(self, form: dict[str, Any]):
        """Create the account; the page then fetches the cookie."""
        self._begin(form)
        yield
        yield await self._finish(self._create(form), "invitation.failed", FAILED)

    @rx.event
    async def accept(self):
        """Give the signed-in person the roles, who then signs in anew."""
        self._begin()
        yield
        yield await self._finish(self._accept(), "invitation.failed", FAILED)

    @rx.event
    async def sign_in(self):
        """Lead to the sign-in, and back to the person's own invitation, without its token."""
        return _to_sign_in()

    async def _look_at(self) -> Session | None:
        """Show the invitation as it is now. Return the session of this tab."""
        session = await (await self.get_state(SessionState))._look()
        here = session.person_id if session else ""
        if link := link_token(self):
            found = await invitations.of_link(link)
        else:
            found = await invitations.own(await actor_of(self))
        if found is None:
            self.stage = GONE if link else NONE if here else ""
            return session
        self.email, self.roles, self.by = found.email, found.roles, found.by
        self.stage = _stage(found, here)
        return session

    async def _create(self, form: object) -> None:
        account, visitor = NewAccount.parse(form), await visitor_of(self)
        try:
            signed_in = await invitations.accept(link_token(self), account, visitor)
        except (InvitationGone, EmailHasAccount):
            await self._look_at()
        else:
            await go_on(self, signed_in)

    async def _accept(self) -> Any:
        await (await self.get_state(SessionState))._look()
        try:
            await invitations.accept_as(await actor_of(self))
        except (InvitationGone, OtherAccount):
            await self._look_at()
            return None
        (await self.get_state(ToastState))._show(ACCEPTED, seconds=6)
        return rx.redirect(routes.SIGN_IN, replace=True)


def _to_sign_in(*, replace: bool = False):
    return rx.redirect(routes.asking(routes.SIGN_IN, {"next": routes.INVITATION}), replace=replace)


def _stage(found: Invitation, here: str) -> str:
    """Return what the page offers to the person who is signed in here, if there is one."""
    if not found.person_id:
        return NEW
    return KNOWN if found.person_id == here else OTHER
