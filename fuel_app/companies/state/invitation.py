"""The page of an invitation to a company."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules.staff import EmailHasAccount, NewAccount
from fuel_app.accounts.state.session import CookieState, SessionState, actor_of, visitor_of
from fuel_app.accounts.state.sign_in_pages import InvitationPage
from fuel_app.companies.rules.people import (
    CompanyInvitationGone,
    OpenInvitation,
    OtherPersonsInvitation,
)
from fuel_app.companies.service import people
from fuel_app.server.reflex.private_tabs import link_token


class CompanyInvitationState(InvitationPage, rx.State):
    """The page of one tab."""

    FORM: ClassVar = "company-invitation"
    EVENT: ClassVar = "company_invitation.failed"
    PATH: ClassVar = routes.COMPANY_INVITATION

    shown: OpenInvitation = OpenInvitation()
    errors: dict[str, str] = NewAccount.blank()

    async def _read(self, link: str) -> str | None:
        if link:
            found = await people.find_invitation(link)
        else:
            found = await people.find_own_invitation(await actor_of(self))
        self.shown = found or OpenInvitation()
        return found.person_id if found else None

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
