"""State of the preview's account screens: nothing follows from what is chosen."""

import reflex as rx

from fuel_app.customers.state.customer import (
    CustomerScreen,
    in_preview,
)
from fuel_app.customers.state.security import FACTOR_METHODS
from fuel_app.plans.rules.plans import PLANS


class SecurityState(CustomerScreen, rx.State):
    """Before launch the choice is this session's own, and nothing follows from it."""

    setting_up: bool = False
    method: str = ""

    @in_preview
    async def set_up(self):
        """Show or hide the choice."""
        self.setting_up = not self.setting_up

    @in_preview
    async def choose(self, method: str):
        if method in FACTOR_METHODS:
            self.method = method


class BillingState(CustomerScreen, rx.State):
    """Before launch a switch of plans never completes, as specified; a new visit forgets it."""

    switching: list[str] = []

    @in_preview
    async def arrive(self):
        self.switching = []

    @in_preview
    async def switch_to(self, plan_id: str):
        """Ask for another plan."""
        if plan_id in [plan.id for plan in PLANS] and plan_id not in self.switching:
            self.switching = [*self.switching, plan_id]
