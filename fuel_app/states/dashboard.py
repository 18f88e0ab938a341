"""Which of its two views the dashboard shows."""

import reflex as rx


class DashboardState(rx.State):
    """The toggle is plain: before launch both views show sample figures alone."""

    admin_view: bool = False

    @rx.event
    def switch_view(self):
        self.admin_view = not self.admin_view
