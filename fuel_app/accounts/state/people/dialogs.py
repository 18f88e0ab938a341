"""The dialogs about one person that admins open: roles, deactivation, sign-out."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app.accounts.rules import Role
from fuel_app.accounts.rules.staff import chosen_roles
from fuel_app.accounts.service import staff
from fuel_app.accounts.state.people.forms import TickedRoles
from fuel_app.accounts.state.people.listing import MemberLine, PeopleState
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only
from fuel_app.kit.errors import problem_of
from fuel_app.kit.ui.toast import ToastState

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

    member: MemberLine = MemberLine()
    ticked: list[str] = []

    @admin_only
    async def open(self, question: str, person_id: str):
        """Open one of the dialogs about a member."""
        people = await self.get_state(PeopleState)
        self.member = people._find(person_id)
        self.ticked = people._roles.get(self.member.id, [])
        self.opened = question if self.member.id and question in QUESTIONS else ""
        self.error, self.busy = "", False

    @admin_only
    async def save_roles(self, form: TickedRoles):
        """Set the ticked roles. A second click finds the dialog closed and does nothing."""
        if self.opened != CHANGE:
            return
        self.busy, self.error = True, ""
        yield
        chosen = chosen_roles(form.get("roles") if isinstance(form, dict) else None)
        await self._do(staff.set_roles, chosen, said="The roles of {} are saved")

    @admin_only
    async def sign_out(self):
        """Sign the member out everywhere. A second click finds the dialog closed."""
        if self.opened != SIGN_OUT:
            return
        self.busy, self.error = True, ""
        yield
        await self._do(staff.sign_out, said="{} is signed out everywhere")

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
