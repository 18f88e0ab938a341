"""The staff look at a customer's dashboard."""

from dataclasses import dataclass

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.state.lists import StaffList
from fuel_app.accounts.state.session import staff_only
from fuel_app.customers.rules.profile import Listed
from fuel_app.customers.service import account as customers
from fuel_app.customers.state.cards import CustomerCard
from fuel_app.kit import clock
from fuel_app.kit.lists import Question

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class CustomerQuestion(Question):
    """The question that the screen's address asks."""

    q: str = ""
    customer: str = ""  # the id of the chosen one

    TYPED = ("q",)


class CustomerDashboardState(StaffList, rx.State):
    """The screen of one tab."""

    question: CustomerQuestion = CustomerQuestion()
    rows: list[Listed] = []
    card: CustomerCard = CustomerCard()
    missing: bool = False

    @rx.event
    @staff_only
    async def choose(self, customer_id: str):
        await self._ask(customer=customer_id)

    def _path(self) -> str:
        return routes.CUSTOMER_DASHBOARD

    async def _refresh(self) -> None:
        chosen = self.question.customer
        try:
            self.rows = await customers.search(self.question.q)
            customer = await customers.find(chosen)
        except Exception:
            log.exception("customers.read_failed")
            self.rows, customer = [], None
        self.loading, self.missing = False, bool(chosen) and customer is None
        today = clock.day_of(clock.now())
        self.card = CustomerCard.of(customer, today) if customer else CustomerCard()
