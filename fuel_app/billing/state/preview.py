"""State of Billing & Plans: the requested plan."""

import reflex as rx

from fuel_app.customers.state.customer import CustomerScreen, in_preview
from fuel_app.plans.rules.plans import PLANS


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
