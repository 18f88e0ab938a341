"""The staff and the open invitations, as admins see them."""

from dataclasses import dataclass
from typing import ClassVar, Self

import reflex as rx

from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.rules.staff import Invitation, StaffMember, role_names, stored_roles
from fuel_app.accounts.service import invitations, staff
from fuel_app.accounts.state.live import AdminScreen
from fuel_app.accounts.state.session import actor_of, admin_only
from fuel_app.kit import clock
from fuel_app.kit.errors import problem_of
from fuel_app.kit.signals import PEOPLE
from fuel_app.kit.ui.toast import ToastState


@dataclass(frozen=True)
class MemberLine:
    """A member of the staff; an empty one means none."""

    id: str = ""
    name: str = ""
    email: str = ""
    roles: str = ""
    factor: bool = False
    last_sign_in: str = ""
    active: bool = True
    is_you: bool = False

    @classmethod
    def of(cls, member: StaffMember, *, you: str) -> Self:
        return cls(
            id=member.id,
            name=member.name,
            email=member.email,
            roles=role_names(member.roles - {Role.CUSTOMER}),
            factor=member.has_factor,
            last_sign_in=clock.date_and_time(member.last_sign_in)
            if member.last_sign_in
            else "Never",
            active=member.is_active,
            is_you=member.id == you,
        )


class PeopleState(AdminScreen, rx.State):
    """The screen of one tab."""

    TOPICS: ClassVar = (PEOPLE,)

    members: list[MemberLine] = []
    invitations: list[Invitation] = []
    needs_admin: bool = False  # the shared password is in use: there is no admin yet
    withdrawing: str = ""

    _roles: dict[str, list[str]] = {}  # of each member

    @admin_only
    async def withdraw(self, invitation_id: str):
        """Withdraw an invitation."""
        line = next((each for each in self.invitations if each.id == invitation_id), None)
        if line is None:
            return
        self.withdrawing = line.id
        yield
        change = invitations.withdraw(await actor_of(self), line.id)
        problem = await problem_of(change, "people.withdraw_failed")
        self.withdrawing = ""
        said = problem or f"The invitation of {line.email} is withdrawn"
        (await self.get_state(ToastState))._show(said, "problem" if problem else "done")
        await self._refresh()

    async def _read(self, actor: Actor) -> None:
        self.needs_admin = actor.is_shared
        members = await staff.staff(actor)
        self.members = [MemberLine.of(each, you=actor.person_id) for each in members]
        self._roles = {each.id: stored_roles(each.roles - {Role.CUSTOMER}) for each in members}
        self.invitations = await invitations.invitations(actor)

    def _find(self, person_id: object) -> MemberLine:
        return next((line for line in self.members if line.id == person_id), MemberLine())
