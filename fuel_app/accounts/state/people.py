"""The staff as admins see them: the list, the first admin, invitations, one person."""

from collections.abc import Mapping
from typing import ClassVar

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
from fuel_app.accounts.state.dialogs import FormDialog, StaffForm
from fuel_app.accounts.state.screens import AdminScreen
from fuel_app.accounts.state.session import CookieState, actor_of, admin_only, visitor_of
from fuel_app.kit.forms import Form
from fuel_app.kit.signals import PEOPLE
from fuel_app.kit.ui.forms import NoFields
from fuel_app.kit.ui.toast import ToastState, report
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
        said = f"The invitation of {line.email} is withdrawn"
        await report(self, change, "people.withdraw_failed", said)
        self.withdrawing = ""
        await self._refresh()

    @admin_only
    async def reactivate(self, person_id: str):
        """Let a deactivated member sign in again."""
        member = await _find_member(self, person_id)
        if member.id:
            await reactivate(self, member.id, member.name)
            await self._refresh()

    async def _read(self, actor: Actor) -> None:
        self.needs_admin, self.you = actor.is_shared, actor.person_id
        self.members = await staff.list_staff(actor)
        self.invitations = await staff.list_invitations(actor)


UNSENT = "Invitation not sent: no mail server is set. It is kept under Messages."


class FirstAdminState(StaffForm, rx.State):
    """The form that ends the shared password. What is typed is never kept."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "first-admin"
    FIELDS: ClassVar = FirstAdmin
    EVENT: ClassVar = "people.first_admin_failed"

    errors: dict[str, str] = FirstAdmin.blank()

    async def _send(self, sent: object) -> None:
        """Create the admin; the page then fetches the cookie and goes on to the second factor."""
        signed_in = await staff.create_first_admin(
            await actor_of(self), FirstAdmin.parse(sent), await visitor_of(self)
        )
        (await self.get_state(CookieState))._fetch(signed_in, routes.SECURITY)


class InviteState(StaffForm, rx.State):
    """The form that invites a person to the staff."""

    ROLES: ClassVar = (Role.ADMIN,)
    FORM: ClassVar = "invite"
    FIELDS: ClassVar = Invite
    MANY: ClassVar = ("roles",)
    EVENT: ClassVar = "people.invite_failed"

    errors: dict[str, str] = Invite.blank()

    async def _send(self, sent: object) -> None:
        invitation = Invite.parse(sent)
        await staff.invite(await actor_of(self), invitation)
        self.edition += 1
        toasts = await self.get_state(ToastState)
        if settings.smtp_url:
            toasts._show(f"Invitation sent to {invitation.email}", seconds=6)
        else:
            toasts._show(UNSENT, "problem", seconds=6)
        await self._renew()

    async def _renew(self) -> None:
        await (await self.get_state(PeopleState))._refresh()


class PersonDialog(FormDialog, mixin=True):
    """The question before something is done to a person, who is shown as they are then."""

    ROLES: ClassVar = (Role.ADMIN,)
    FIELDS: ClassVar[type[Form]] = NoFields
    EVENT: ClassVar = "people.change_failed"
    SAID: ClassVar[str]  # what is done; '{}' is the person's name

    person_id: str = ""
    name: str = ""

    def _ask_about(self, person_id: str, name: str) -> None:
        """Open it for a person; an empty id is nobody."""
        if person_id:
            self._open()
            self.person_id, self.name = person_id, name

    async def _change(self, actor: Actor, sent: object) -> None:
        """Do to the person what the button says."""
        raise NotImplementedError

    async def _send(self, sent: object) -> None:
        await self._change(await actor_of(self), sent)
        said = self.SAID.format(self.name)
        self._close()
        (await self.get_state(ToastState))._show(said)
        await self._renew()


class DeactivationDialog(PersonDialog, mixin=True):
    """The question before a person is deactivated."""

    SAID: ClassVar = "{} is deactivated"

    async def _change(self, actor: Actor, sent: object) -> None:
        await staff.deactivate(actor, self.person_id)


class MemberDialog(PersonDialog, mixin=True):
    """A dialog about a member of the staff."""

    @admin_only
    async def begin(self, person_id: str):
        """Open it for a member."""
        self._show(await _find_member(self, person_id))

    def _show(self, member: StaffMember) -> None:
        self._ask_about(member.id, member.name)

    async def _renew(self) -> None:
        await (await self.get_state(PeopleState))._refresh()


class RolesState(MemberDialog, rx.State):
    """The roles of a member."""

    FORM: ClassVar = "roles"
    MANY: ClassVar = ("roles",)
    SAID: ClassVar = "The roles of {} are saved"

    held: list[str] = []

    def _show(self, member: StaffMember) -> None:
        super()._show(member)
        self.held = member.held

    async def _change(self, actor: Actor, sent: object) -> None:
        ticked = sent.get("roles") if isinstance(sent, Mapping) else None
        await staff.set_roles(actor, self.person_id, filter_staff_roles(ticked))


class SignOutState(MemberDialog, rx.State):
    """The question before a member is signed out everywhere."""

    FORM: ClassVar = "sign-out"
    SAID: ClassVar = "{} is signed out everywhere"

    async def _change(self, actor: Actor, sent: object) -> None:
        await staff.sign_out_everywhere(actor, self.person_id)


class DeactivationState(MemberDialog, DeactivationDialog, rx.State):
    """The question before a member is deactivated."""

    FORM: ClassVar = "deactivate"


async def reactivate(tab: rx.State, person_id: str, name: str) -> None:
    """Let a deactivated person sign in again, and say so."""
    change = staff.reactivate(await actor_of(tab), person_id)
    await report(tab, change, "people.change_failed", f"{name} can sign in again")


async def _find_member(tab: rx.State, person_id: object) -> StaffMember:
    members = (await tab.get_state(PeopleState)).members
    return next((line for line in members if line.id == person_id), StaffMember())
