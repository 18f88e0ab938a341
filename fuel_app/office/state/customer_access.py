"""Deactivating and reactivating a customer, for admins."""

import reflex as rx

from fuel_app.accounts.service import staff
from fuel_app.accounts.state.people.dialogs import DEACTIVATE, PersonDialog
from fuel_app.accounts.state.session import admin_only
from fuel_app.office.state.customer_tabs import OfCustomer
from fuel_app.office.state.customers import CustomerDashboardState


class CustomerAccessState(PersonDialog, OfCustomer, rx.State):
    """The question before a customer is deactivated."""

    @admin_only
    async def ask(self):
        person_id, _name = await self._person()
        self.opened, self.busy, self.error = DEACTIVATE if person_id else "", False, ""

    @admin_only
    async def reactivate(self):
        """Let the chosen customer sign in again."""
        await self._do(staff.reactivate, said="{} can sign in again")

    async def _person(self) -> tuple[str, str]:
        profile = (await self.get_state(CustomerDashboardState)).profile
        return profile.id, profile.name

    async def _refresh(self) -> None:
        await (await self.get_state(CustomerDashboardState))._refresh()
