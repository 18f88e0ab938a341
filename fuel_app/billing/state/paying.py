"""A screen whose buttons charge the card."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import reflex as rx

from fuel_app.billing.rules.payments import (
    NEEDS_CONFIRMATION,
    NoCard,
    PaymentDeclined,
    PaymentPending,
)
from fuel_app.billing.state.cards import leave
from fuel_app.customers.state.customer import CustomerScreen
from fuel_app.kit.errors import Refusal, problem_of

Charge = Callable[[str], Awaitable[object]]
Confirm = Callable[[], Awaitable[str]]


class PayingScreen(CustomerScreen, mixin=True):
    """A press that pays, and its refusal. Its key lets a second press find the charge."""

    busy: str = ""  # the button that was pressed
    error: str = ""
    error_at: str = ""  # the button beside which it stands
    wants_card: bool = False  # another card is the way on

    _key: str = ""

    def _begin(self, button: str) -> None:
        """Be busy by a button, without what was refused before."""
        self.busy = self.error_at = button
        self.error, self.wants_card = "", False

    async def _pay(self, charge: Charge, event: str, confirm: Confirm) -> tuple[bool, Any]:
        """Charge once by the tab's key, and say why that was refused.

        Returns:
            Whether it was done, and the event that leads to the provider's page where the bank
            wants the customer to confirm it there.
        """
        self._key = self._key or str(uuid.uuid4())
        return await self._charge(self._once(charge), event, confirm)

    async def _charge(
        self, charge: Awaitable[object], event: str, confirm: Confirm
    ) -> tuple[bool, Any]:
        """Charge, as `_pay` says, where a second press finds the first one by itself."""
        address = ""

        async def charged() -> None:
            nonlocal address
            try:
                await charge
            except PaymentDeclined as declined:
                if declined.code != NEEDS_CONFIRMATION:
                    self.wants_card = True
                    raise
                address = await confirm()
            except NoCard:
                self.wants_card = True
                raise

        self.error = await problem_of(charged(), event)
        self.busy = ""
        return not self.error and not address, rx.redirect(address) if address else None

    async def _leave(self, busy: str, begin: Awaitable[str]) -> AsyncIterator[Any]:
        """Go to the provider's page, or say why not."""
        self._begin(busy)
        yield
        away, self.error = await leave(begin)
        self.busy = ""
        yield away

    async def _once(self, charge: Charge) -> None:
        """Charge with the key, which is kept as long as the outcome is not known."""
        try:
            await charge(self._key)
        except PaymentPending:
            raise
        except Refusal:
            self._key = ""
            raise
        self._key = ""
