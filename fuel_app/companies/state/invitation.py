"""The page of an invitation to a company: the token stays in the address, as with the staff's."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Session
from fuel_app.accounts.rules.staff import EmailHasAccount, NewAccount
from fuel_app.accounts.state.session import (
    SIGN_IN_FAILED,
    CookieState,
    SessionState,
    actor_of,
    visitor_of,
)
from fuel_app.accounts.state.sign_in_pages import GONE, KNOWN, NEW, NONE, OTHER
from fuel_app.companies.rules.people import (
    CompanyInvitationGone,
    OpenInvitation,
    OtherPersonsInvitation,
)
from fuel_app.companies.service import people
from fuel_app.kit.ui.forms import FormState
from fuel_app.server.reflex.private_tabs import link_token


class CompanyInvitationState(FormState, rx.State):
    """The page of one tab. Without a token it shows a signed-in person's own invitation."""

    FORM: ClassVar = "company-invitation"
    FIELDS: ClassVar = NewAccount
    EVENT: ClassVar = "company_invitation.failed"
    FAILURE: ClassVar = SIGN_IN_FAILED

    stage: str = ""  # empty until it is looked at; OTHER: their own account has to sign in first
    shown: OpenInvitation = OpenInvitation()
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
        self._edit(form)

    @rx.event
    async def create(self, form: dict[str, Any]):
        """Create the account; the page then fetches the cookie."""
        async for event in self._submit(form):
            yield event

    @rx.event
    async def accept(self):
        """Make the signed-in person one of the company's."""
        async for event in self._run(self._accept()):
            yield event

    @rx.event
    async def sign_in(self):
        """Lead to the sign-in, and back to the person's own invitation, without its token."""
        return _to_sign_in()

    async def _look_at(self) -> Session | None:
        """Show the invitation as it is now. Return the session of this tab."""
        session = await (await self.get_state(SessionState))._find()
        here = session.person_id if session else ""
        if link := link_token(self):
            found = await people.find_invitation(link)
        else:
            found = await people.find_own_invitation(await actor_of(self))
        self.shown = found or OpenInvitation()
        if found is None:
            self.stage = GONE if link else NONE if here else ""
        elif not found.person_id:
            self.stage = NEW
        else:
            self.stage = KNOWN if found.person_id == here else OTHER
        return session

    async def _send(self, sent: object) -> None:
        account, visitor = NewAccount.parse(sent), await visitor_of(self)
        try:
            signed_in = await people.accept_as_new(link_token(self), account, visitor)
        except (CompanyInvitationGone, EmailHasAccount):
            await self._look_at()
        else:
            (await self.get_state(CookieState))._fetch(signed_in, routes.COMPANY)

    async def _accept(self) -> Any:
        await (await self.get_state(SessionState))._find()
        try:
            await people.accept_as_person(await actor_of(self), self.shown.id)
        except (CompanyInvitationGone, OtherPersonsInvitation):
            await self._look_at()
            return None
        return rx.redirect(routes.COMPANY, replace=True)


def _to_sign_in(*, replace: bool = False) -> Any:
    back = routes.asking(routes.SIGN_IN, {"next": routes.COMPANY_INVITATION})
    return rx.redirect(back, replace=replace)
