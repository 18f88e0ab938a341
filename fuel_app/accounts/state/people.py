"""The staff as admins see them: the list, the first admin, invitations, one person."""

from typing import Any, ClassVar, TypedDict

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.rules.staff import (
    FirstAdmin,
    Invitation,
    Invite,
    StaffMember,
    filter_staff_roles,
)
from fuel_app.accounts.service import staff
from fuel_app.accounts.state.screens import AdminScreen
from fuel_app.accounts.state.session import (
    CookieState,
    StaffScreen,
    actor_of,
    admin_only,
    visitor_of,
)
from fuel_app.kit.errors import problem_of
from fuel_app.kit.signals import PEOPLE
from fuel_app.kit.ui.forms import FormState
from fuel_app.kit.ui.toast import ToastState
from fuel_app.settings import settings


class PeopleState(AdminScreen, rx.State):
    """The screen of one tab."""

    TOPICS: ClassVar = (PEOPLE,)

    members: list[StaffMember] = []
    you: str = ""  # the person's own id
    invitations: list[Invitation] = []
    needs_admin: bool = False  # the shared password is in use: there is no admin yet
    withdrawing: str = ""

    @admin_only
    async def withdraw(self, invitation_id: str):
        """Withdraw an invitation."""
        line = next((each for each in self.invitations if each.id == invitation_id), None)
        if line is None:
            return
        self.withdrawing = line.id
        yield
        change = staff.withdraw_invitation(await actor_of(self), line.id)
        problem = await problem_of(change, "people.withdraw_failed")
        self.withdrawing = ""
        said = problem or f"The invitation of {line.email} is withdrawn"
        (await self.get_state(ToastState))._show(said, "problem" if problem else "done")
        await self._refresh()

    async def _read(self, actor: Actor) -> None:
        self.needs_admin, self.you = actor.is_shared, actor.person_id
        self.members = await staff.list_staff(actor)
        self.invitations = await staff.list_invitations(actor)

    def _find(self, person_id: object) -> StaffMember:
        return next((line for line in self.members if line.id == person_id), StaffMember())


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
        await staff.invite(await actor_of(self), invitation)
        self.edition += 1
        toasts = await self.get_state(ToastState)
        if settings.smtp_url:
            toasts._show(f"Invitation sent to {invitation.email}", seconds=6)
        else:
            toasts._show(UNSENT, "problem", seconds=6)
        await (await self.get_state(PeopleState))._refresh()


ROLES_FORM = "roles"
CHANGE, DEACTIVATE, SIGN_OUT = QUESTIONS = ("change", "deactivate", "sign out")


class PersonDialog(StaffScreen, mixin=True):
    """The dialog about a person that is open, if one is."""

    ROLES: ClassVar[tuple[Role, ...]] = (Role.ADMIN,)

    opened: str = ""  # one of `QUESTIONS`
    error: str = ""
    busy: bool = False

    @admin_only
    async def close(self, _opened: bool):
        self.opened = ""

    @admin_only
    async def deactivate(self):
        """Deactivate the person. A second click finds the dialog closed and does nothing."""
        if self.opened != DEACTIVATE:
            return
        self.busy, self.error = True, ""
        yield
        await self._do(staff.deactivate, said="{} is deactivated")

    async def _do(self, act: Any, *values: Any, said: str) -> None:
        """Change the person, and say of `{}` what is done."""
        person_id, name = await self._person()
        toast = await self.get_state(ToastState)
        change = act(await actor_of(self), person_id, *values)
        self.error = await problem_of(change, "people.change_failed")
        if not self.error:
            self.opened = ""
            toast._show(said.format(name))
        elif not self.opened:
            toast._show(self.error, "problem")
        self.busy = False
        await self._refresh()

    async def _person(self) -> tuple[str, str]:
        """Return the person's id and name."""
        raise NotImplementedError

    async def _refresh(self) -> None:
        """Show the person as they are now."""
        raise NotImplementedError


class MemberState(PersonDialog, rx.State):
    """The dialogs about a member of the staff."""

    member: StaffMember = StaffMember()

    @admin_only
    async def open(self, question: str, person_id: str):
        """Open one of the dialogs about a member."""
        self.member = (await self.get_state(PeopleState))._find(person_id)
        self.opened = question if self.member.id and question in QUESTIONS else ""
        self.error, self.busy = "", False

    @admin_only
    async def save_roles(self, form: TickedRoles):
        """Set the ticked roles. A second click finds the dialog closed and does nothing."""
        if self.opened != CHANGE:
            return
        self.busy, self.error = True, ""
        yield
        chosen = filter_staff_roles(form.get("roles") if isinstance(form, dict) else None)
        await self._do(staff.set_roles, chosen, said="The roles of {} are saved")

    @admin_only
    async def sign_out(self):
        """Sign the member out everywhere. A second click finds the dialog closed."""
        if self.opened != SIGN_OUT:
            return
        self.busy, self.error = True, ""
        yield
        await self._do(staff.sign_out_everywhere, said="{} is signed out everywhere")

    @admin_only
    async def reactivate(self, person_id: str):
        """Let a deactivated member sign in again."""
        self.member, self.error = (await self.get_state(PeopleState))._find(person_id), ""
        if self.member.id:
            await self._do(staff.reactivate, said="{} can sign in again")

    async def _person(self) -> tuple[str, str]:
        return self.member.id, self.member.name

    async def _refresh(self) -> None:
        await (await self.get_state(PeopleState))._refresh()
