"""The staff look at a customer's dashboard."""

from dataclasses import dataclass
from typing import Any, Self

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.domain import clock
from fuel_app.domain.customers import Listed
from fuel_app.services import customers
from fuel_app.states.admin.session import StaffScreen, staff_only
from fuel_app.states.admin.typing_ahead import TypedAhead
from fuel_app.states.customer_card import CustomerCard

log = structlog.get_logger(__name__)

SEARCH_MAX = 100


@dataclass(frozen=True)
class CustomerLine:
    """A customer in the list."""

    id: str
    name: str
    email: str
    plan: str

    @classmethod
    def of(cls, listed: Listed) -> Self:
        return cls(listed.id, listed.name, listed.email, listed.plan)


class CustomerDashboardState(StaffScreen, rx.State):
    """What is searched for and who is chosen stand in the address."""

    found: list[CustomerLine] = []
    search: str = ""
    search_epoch: int = 0
    chosen: str = ""
    card: CustomerCard = CustomerCard()
    missing: bool = False
    loading: bool = True

    _typed: TypedAhead[str] = TypedAhead("")  # in the search box

    @rx.event
    @staff_only
    async def load(self):
        """Show what the address asks for."""
        asked = self.router.url.query_parameters
        self.search, self.chosen = asked.get("q", "")[:SEARCH_MAX], asked.get("customer", "")[:64]
        before, self._typed = self._typed, self._typed.arrived(self.search)
        if self._typed.value != before.value:
            self.search_epoch += 1
        try:
            self.found = [CustomerLine.of(listed) for listed in await customers.search(self.search)]
            customer = await customers.find(self.chosen)
        except Exception:
            log.exception("customers.read_failed")
            self.found, customer = [], None
        self.loading, self.missing = False, bool(self.chosen) and customer is None
        today = clock.day_of(clock.now())
        self.card = CustomerCard.of(customer, today) if customer else CustomerCard()

    @rx.event
    @staff_only
    async def look_for(self, typed: str):
        """Something is typed in the search box."""
        before, search = self._typed.value, typed[:SEARCH_MAX] if isinstance(typed, str) else ""
        self._typed = self._typed.further(search)
        return rx.redirect(self._address(q=search), replace=bool(before))

    @rx.event
    @staff_only
    async def choose(self, customer_id: str):
        return rx.redirect(self._address(customer=str(customer_id)[:64]))

    def _address(self, **differs: Any) -> str:
        asked = {"q": self.search, "customer": self.chosen} | differs
        return routes.asking(routes.CUSTOMER_DASHBOARD, asked)
