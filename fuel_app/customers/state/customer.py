"""The tab's customer, shared by all customer screens."""

import inspect
from dataclasses import asdict
from functools import wraps
from typing import Any, cast

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Session
from fuel_app.accounts.state.session import GUARDS, Event, SessionState
from fuel_app.areas.service import company
from fuel_app.customers.rules.profile import Customer
from fuel_app.customers.service import account as customers
from fuel_app.customers.state.cards import BillingCard, CustomerCard, SecurityCard, VehicleCard
from fuel_app.kit import clock
from fuel_app.kit.ui.toast import ToastState
from fuel_app.messages.rules.preferences import NotificationSettings
from fuel_app.server.reflex.private_screen import PrivateScreen

SAVED = "Saved in this preview"


class CustomerScreen(PrivateScreen, mixin=True):
    """A screen of a customer: the preview's sample, or a signed-in person's own data."""

    _is_private: bool = False  # set as soon as it shows a person's data

    @classmethod
    def _is_for(cls, session: Session) -> bool:
        return not session.is_shared


WE_HAVE_OPENED = "We have opened: sign in or get started"


def for_customers(handler: Event) -> Event:
    """Run an async event for a signed-in customer, or for anybody while nothing is open.

    A preview that is open when the company opens says so at its next event and drops its sample.
    """

    @wraps(handler)
    async def guarded(self: rx.State, *args: Any, **kwargs: Any):
        async with self:
            allowed = await _may_use(self)
            if not allowed:
                for step in await _leave_preview(self):
                    yield step
        if not allowed:
            return
        outcome = handler(self, *args, **kwargs)
        if inspect.isasyncgen(outcome):
            async for event in outcome:
                yield event
        else:
            yield await outcome

    GUARDS.add(cast(Any, guarded).__code__)
    return cast(Event, guarded)


async def _may_use(tab: rx.State) -> bool:
    session = await (await tab.get_state(SessionState))._look()
    return (session is not None and not session.is_shared) or not await company.is_open()


async def _leave_preview(tab: rx.State) -> list[Any]:
    """Drop the sample, and lead to the sign-in."""
    for screen in rx.State.get_substates():
        if issubclass(screen, CustomerScreen):
            (await tab.get_state(screen)).reset()
    (await tab.get_state(ToastState))._show(WE_HAVE_OPENED)
    return [rx.redirect(routes.asking(routes.SIGN_IN, {"next": tab.router.url.path}))]


class CustomerState(CustomerScreen, rx.State):
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
