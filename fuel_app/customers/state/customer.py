"""The tab's customer, shared by all customer screens."""

from dataclasses import asdict

import reflex as rx

from fuel_app.customers.rules.profile import Customer, NotificationSettings
from fuel_app.customers.service import account as customers
from fuel_app.customers.state.cards import BillingCard, CustomerCard, SecurityCard, VehicleCard
from fuel_app.kit import clock

SAVED = "Saved in this preview"


class PreviewScreen(rx.State, mixin=True):
    """A screen that keeps sample data in its tab: deleting the preview's account resets it."""


class CustomerState(PreviewScreen, rx.State):
    """The tab's customer. Other states change it through `_become`."""

    card: CustomerCard = CustomerCard()
    billing: BillingCard = BillingCard()
    security: SecurityCard = SecurityCard()
    vehicles: list[VehicleCard] = []
    notifications: dict[str, bool] = asdict(NotificationSettings())

    _customer: Customer | None = None

    @rx.event
    async def arrive(self):
        """Open a customer screen and refresh the values that depend on the day."""
        self._become(await self._account())

    @rx.event
    async def toggle_notification(self, name: str):
        """Turn one message or channel on or off."""
        self._become(await customers.toggle_notification(await self._account(), name))

    async def _account(self) -> Customer:
        return self._customer or await customers.account()

    def _become(self, customer: Customer) -> None:
        """Keep the customer and show them; only what has changed goes to the browser."""
        today = clock.day_of(clock.now())
        shown = {
            "card": CustomerCard.of(customer, today),
            "billing": BillingCard.of(customer),
            "security": SecurityCard.of(customer, today),
            "vehicles": [VehicleCard.of(vehicle) for vehicle in customer.vehicles],
            "notifications": asdict(customer.notifications),
        }
        self._customer = customer
        for name, value in shown.items():
            if getattr(self, name) != value:
                setattr(self, name, value)
