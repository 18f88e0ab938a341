"""Deactivating and reactivating a customer, for admins."""

import reflex as rx

from fuel_app.accounts.service import staff
from fuel_app.accounts.state.session import StaffScreen, actor_of, admin_only
from fuel_app.kit.errors import problem_of
from fuel_app.kit.ui.toast import ToastState
from fuel_app.office.state.customers import CustomerDashboardState


class CustomerAccessState(StaffScreen, rx.State):
    """The question before a customer is deactivated."""

    opened: bool = False
    busy: bool = False
    error: str = ""

    @rx.event
    @admin_only
    async def ask(self):
        shown = await self.get_state(CustomerDashboardState)
        self.opened, self.busy, self.error = bool(shown.profile.id), False, ""

    @rx.event
    @admin_only
    async def close(self, _opened: bool):
        self.opened = False

    @rx.event
    @admin_only
    async def deactivate(self):
        """Deactivate the chosen customer. A second click finds the dialog closed."""
        if self.opened:
            self.busy = True
            yield
            await self._do(deactivate=True)

    @rx.event
    @admin_only
    async def reactivate(self):
        """Let the chosen customer sign in again."""
        await self._do(deactivate=False)

    async def _do(self, *, deactivate: bool) -> None:
        screen = await self.get_state(CustomerDashboardState)
        act = staff.deactivate if deactivate else staff.reactivate
        said = "is deactivated" if deactivate else "can sign in again"
        change = act(await actor_of(self), screen.profile.id)
        self.error = await problem_of(change, "customer.access_failed")
        self.busy, self.opened = False, self.opened and bool(self.error)
        toast = await self.get_state(ToastState)
        if not self.error:
            toast._show(f"{screen.profile.name} {said}")
        elif not self.opened:
            toast._show(self.error, "problem")
        await screen._refresh()
