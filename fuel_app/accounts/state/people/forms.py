"""The forms of the first admin and of an invitation."""

from typing import Any, ClassVar, TypedDict

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Role
from fuel_app.accounts.rules.staff import FirstAdmin, Invite
from fuel_app.accounts.service import invitations, staff
from fuel_app.accounts.state.people.listing import PeopleState
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only, visitor_of
from fuel_app.accounts.state.sign_in import CookieState
from fuel_app.kit.errors import FAILED, InvalidForm, Refusal, problem_of
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.settings import settings

log = structlog.get_logger(__name__)

FIRST_ADMIN, INVITE = "first-admin", "invite"
UNSENT = "Invitation not sent: no mail server is set. It is kept under Messages."


class FirstAdminState(StaffScreen, rx.State):
    """The form that ends the shared password. What is typed is never kept."""

    ROLES: ClassVar = (Role.ADMIN,)

    errors: dict[str, str] = FirstAdmin.blank()
    error: str = ""
    busy: bool = False

    @rx.event
    @admin_only
    async def edit(self, form: dict[str, Any]):
        """Check the fields again that have changed since they were refused."""
        self.errors = FirstAdmin.recheck(self.errors, form)

    @rx.event
    @admin_only
    async def submit(self, form: dict[str, Any]):
        """Create the admin; the page then fetches the cookie and goes on to the second factor."""
        self.errors, self.error, self.busy = FirstAdmin.blank(), "", True
        yield
        cookie = await self.get_state(CookieState)
        try:
            signed_in = await staff.create_first_admin(
                await actor_of(self), FirstAdmin.parse(form), await visitor_of(self)
            )
            cookie._fetch(signed_in, routes.SECURITY)
        except InvalidForm as error:
            self.errors = FirstAdmin.blank() | error.messages
            yield focus_field(FIRST_ADMIN, next(iter(error.messages)))
        except Refusal as refusal:
            self.error = str(refusal)
        except Exception:
            log.exception("people.first_admin_failed")
            self.error = FAILED
        self.busy = False


class TickedRoles(TypedDict):
    """A form with all ticked roles, where a plain form has the last value of each name."""

    roles: list[str]


class InviteState(StaffScreen, rx.State):
    """The form that invites a person to the staff."""

    ROLES: ClassVar = (Role.ADMIN,)

    errors: dict[str, str] = Invite.blank()
    error: str = ""
    busy: bool = False
    edition: int = 0  # the fields start anew when it rises

    @rx.event
    @admin_only
    async def edit(self, form: TickedRoles):
        """Check the fields again that have changed since they were refused."""
        self.errors = Invite.recheck(self.errors, form)

    @rx.event
    @admin_only
    async def submit(self, form: TickedRoles):
        """Send the invitation."""
        self.errors, self.error, self.busy = Invite.blank(), "", True
        yield
        try:
            invitation = Invite.parse(form)
            inviting = invitations.invite(await actor_of(self), invitation)
            self.error = await problem_of(inviting, "people.invite_failed")
            if not self.error:
                self.edition += 1
                said = f"Invitation sent to {invitation.email}" if settings.smtp_url else UNSENT
                (await self.get_state(ToastState))._show(said, seconds=6)
                await (await self.get_state(PeopleState))._refresh()
        except InvalidForm as error:
            self.errors = Invite.blank() | error.messages
            yield focus_field(INVITE, next(iter(error.messages)))
        self.busy = False
