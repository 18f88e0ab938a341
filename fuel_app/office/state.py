"""The staff look at a customer's dashboard."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.state.session import StaffScreen, staff_only
from fuel_app.customers.rules.profile import Listed
from fuel_app.customers.service import account as customers
from fuel_app.customers.state.cards import CustomerCard
from fuel_app.kit import clock
from fuel_app.kit.ui.heading import Headed, Heading

log = structlog.get_logger(__name__)

SEARCH_MAX = 100
ID_MAX = 64


class CustomerAddress(NamedTuple):
    """What the screen's address asks for."""

    q: str = ""
    customer: str = ""

    @classmethod
    def read(cls, asked: Mapping[str, str]) -> Self:
        return cls(asked.get("q", "")[:SEARCH_MAX], asked.get("customer", "")[:ID_MAX])

    def __str__(self) -> str:
        return routes.asking(routes.CUSTOMER_DASHBOARD, self._asdict())


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


class CustomerDashboardState(Headed, StaffScreen, rx.State):
    """What is searched for and who is chosen stand in the address."""

    found: list[CustomerLine] = []
    search: str = ""
    search_epoch: int = 0
    chosen: str = ""
    card: CustomerCard = CustomerCard()
    missing: bool = False
    loading: bool = True

    _heading: Heading[CustomerAddress] = Heading(CustomerAddress())
    _typed: str = ""  # in the search box

    @rx.event
    @staff_only
    async def load(self):
        """Show what the address asks for."""
        at = CustomerAddress.read(self.router.url.query_parameters)
        self._arrive(at)
        self.search, self.chosen = at.q, at.customer
        if at.q == self._heading.to.q != self._typed:  # not by typing
            self._typed = at.q
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
        before = self._heading.to.q
        self._typed = typed[:SEARCH_MAX] if isinstance(typed, str) else ""
        if self._typed != before:
            return self._go(q=self._typed, replace=bool(before))

    @rx.event
    @staff_only
    async def choose(self, customer_id: str):
        return self._go(customer=str(customer_id)[:ID_MAX])
