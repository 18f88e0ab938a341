"""A screen whose buttons charge the card."""

import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from fuel_app.billing.rules.payments import PaymentPending
from fuel_app.billing.state.cards import leave
from fuel_app.customers.state.customer import CustomerScreen
from fuel_app.kit.errors import Refusal, problem_of


class PayingScreen(CustomerScreen, mixin=True):
    """A press that pays, and its refusal. Its key lets a second press find the charge."""

    busy: str = ""  # the button that was pressed
    error: str = ""

    _key: str = ""

    async def _pay(self, charge: Callable[[str], Awaitable[object]], event: str) -> bool:
        """Charge, and say why that was refused. Return whether it was done."""
        self._key = self._key or str(uuid.uuid4())
        self.error = await problem_of(self._once(charge), event)
        self.busy = ""
        return not self.error

    async def _leave(self, busy: str, begin: Awaitable[str]) -> AsyncIterator[Any]:
        """Go to the provider's page, or say why not."""
        self.busy, self.error = busy, ""
        yield
        away, self.error = await leave(begin)
        self.busy = ""
        yield away

    async def _once(self, charge: Callable[[str], Awaitable[object]]) -> None:
        """Charge with the key, which is kept as long as the outcome is not known."""
        try:
            await charge(self._key)
        except PaymentPending:
            raise
        except Refusal:
            self._key = ""
            raise
        self._key = ""
