"""The routes that a technician is still to drive, before an admin takes them off the team."""

from typing import ClassVar

import reflex as rx

from fuel_app.accounts.rules import Role
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only
from fuel_app.dispatch.service import shifts
from fuel_app.dispatch.service.shifts import RouteAhead
from fuel_app.kit.words import counted


class TechnicianRoutesState(StaffScreen, rx.State):
    """The shifts ahead of the person whom a dialog is about, a line each."""

    ROLES: ClassVar[tuple[Role, ...]] = (Role.ADMIN,)

    shifts_ahead: list[str] = []

    @admin_only
    async def show(self, person_id: str):
        """Name the shifts of a person that are not over."""
        self.shifts_ahead = []  # of another person, should reading fail
        found = await shifts.ahead(await actor_of(self), person_id)
        self.shifts_ahead = [_line(each) for each in found]


def _line(ahead: RouteAhead) -> str:
    """'Thursday, November 26: Heron, 11:00 AM to 9:00 PM, published, 2 stops to do'."""
    day = f"{ahead.shift.day:%A, %B} {ahead.shift.day.day}"
    state = "published" if ahead.is_published else "not published"
    left = f"{counted(ahead.stops_left, 'stop')} to do" if ahead.stops_left else "no stop to do"
    return f"{day}: {ahead.shift.truck.name}, {ahead.hours}, {state}, {left}"
