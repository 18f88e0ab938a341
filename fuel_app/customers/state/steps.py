"""The steps to the first fill-up that the card itself takes: a card, and the start of a plan."""

from collections.abc import Awaitable
from typing import Any

import reflex as rx

from fuel_app.accounts.state.session import session_of
from fuel_app.customers.service import card
from fuel_app.customers.state.customer import CustomerScreen, CustomerState, for_own
from fuel_app.kit.errors import problem_of
from fuel_app.kit.ui.toast import ToastState

CARD_ID = "next-step"
HEADING = "dashboard-heading"


class StepsState(CustomerScreen, rx.State):
    """The buttons of the card 'Next'."""

    busy: str = ""  # the kind of the step that is being taken
    error: str = ""

    @rx.event
    @for_own
    async def use_test_card(self):
        """Add the test card."""
        self.busy, self.error = "card", ""
        yield
        adding = card.use_test_card(await session_of(self))
        yield await self._take(adding, "Test card added")

    @rx.event
    @for_own
    async def start_plan(self):
        """Start the plan as the button on the screen says it."""
        self.busy, self.error = "plan", ""
        yield
        seen = (await self.get_state(CustomerState)).following.start
        starting = card.start_plan(await session_of(self), seen)
        yield await self._take(starting, "Your plan has started")

    async def _take(self, step: Awaitable[None], done: str) -> Any:
        """Take a step, show what has become of it, and return the focus for the card."""
        self.error = await problem_of(step, "customer.step_failed")
        customer = await self.get_state(CustomerState)
        customer._become(await customer._opened.read())
        if not self.error:
            (await self.get_state(ToastState))._show(done)
        self.busy = ""
        has_card = customer.following.title != ""  # else the last step was taken, and it goes
        return None if self.error else rx.set_focus(CARD_ID if has_card else HEADING)
