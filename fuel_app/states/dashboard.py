"""Which of its two views the dashboard shows."""

import reflex as rx

from fuel_app.accounts.state.session import StaffState
from fuel_app.states.admin.figures import FiguresState


class DashboardState(rx.State):
    """The toggle is plain: before launch both views show sample figures to everybody."""

    admin_view: bool = False

    _chosen: bool = False

    @rx.event
    async def arrive(self):
        """The dashboard opens: staff come for the company's day, everybody else for their own."""
        if not self._chosen:
            self.admin_view = (await self.get_state(StaffState)).signed_in

    @rx.event
    async def follow(self):
        """Staff are told what changes. Nobody else's tab is kept busy with that."""
        if (await self.get_state(StaffState)).signed_in:
            return [StaffState.follow, FiguresState.follow]
        return None

    @rx.event
    def switch_view(self):
        self.admin_view, self._chosen = not self.admin_view, True
