"""The customer of one session, whom every customer screen shows a part of."""

import reflex as rx

from fuel_app.domain import clock
from fuel_app.domain.customers import Customer
from fuel_app.services import customers
from fuel_app.states.customer_card import CustomerCard


class CustomerState(rx.State):
    """Who this session is. Other screens change the customer through `_become`."""

    card: CustomerCard = CustomerCard()

    _customer: Customer | None = None

    @rx.event
    async def arrive(self):
        """A customer screen opens; a day may have passed since the last one did."""
        self._become(await self._account())

    async def _account(self) -> Customer:
        return self._customer or await customers.account()

    def _become(self, customer: Customer) -> None:
        self._customer = customer
        self.card = CustomerCard.of(customer, clock.day_of(clock.now()))
