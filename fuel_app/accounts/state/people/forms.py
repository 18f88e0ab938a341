"""The forms of the first admin and of an invitation."""

from typing import Any, ClassVar, TypedDict

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.rules.staff import FirstAdmin, Invite
from fuel_app.accounts.service import invitations, staff
from fuel_app.accounts.state.people.listing import PeopleState
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only, visitor_of
from fuel_app.accounts.state.sign_in import CookieState
from fuel_app.kit.ui.forms import FormState
from fuel_app.kit.ui.toast import ToastState
from fuel_app.settings import settings

UNSENT = "Invitation not sent: no mail server is set. It is kept under Messages."


class FirstAdminState(StaffScreen, FormState, rx.State):
    """The form that ends the shared password. What is typed is never kept."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "first-admin"
    FIELDS: ClassVar = FirstAdmin

    errors: dict[str, str] = FirstAdmin.blank()

    @admin_only
    async def edit(self, form: dict[str, Any]):
        """Check the fields again that have changed since they were refused."""
        self._recheck(form)

    @admin_only
    async def submit(self, form: dict[str, Any]):
        """Create the admin; the page then fetches the cookie and goes on to the second factor."""
        self._begin(form)
        yield
        yield await self._finish(self._create(form), "people.first_admin_failed")

    async def _create(self, form: object) -> None:
        signed_in = await staff.create_first_admin(
            await actor_of(self), FirstAdmin.parse(form), await visitor_of(self)
        )
        (await self.get_state(CookieState))._fetch(signed_in, routes.SECURITY)


class TickedRoles(TypedDict):
    """A form with all ticked roles, where a plain form has the last value of each name."""

    roles: list[str]


class InviteState(StaffScreen, FormState, rx.State):
    """The form that invites a person to the staff."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "invite"
    FIELDS: ClassVar = Invite

    errors: dict[str, str] = Invite.blank()

    @admin_only
    async def edit(self, form: TickedRoles):
        """Check the fields again that have changed since they were refused."""
        self._recheck(form)

    @admin_only
    async def submit(self, form: TickedRoles):
        """Send the invitation. A second click finds it sent."""
        if self._is_stale(form):
            return
        self._begin(form)
        yield
        yield await self._finish(self._invite(form), "people.invite_failed")

    async def _invite(self, form: object) -> None:
        invitation = Invite.parse(form)
        await invitations.invite(await actor_of(self), invitation)
        self.edition += 1
        toasts = await self.get_state(ToastState)
        if settings.smtp_url:
            toasts._show(f"Invitation sent to {invitation.email}", seconds=6)
        else:
            toasts._show(UNSENT, "problem", seconds=6)
        await (await self.get_state(PeopleState))._refresh()
