"""Billing History: a customer's own invoices."""

import dataclasses

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import actor_of
from fuel_app.billing.rules.invoices import Invoice
from fuel_app.billing.rules.receipts import description_of, status_of
from fuel_app.billing.service import reading
from fuel_app.billing.service.reading import PAGE
from fuel_app.customers.state.customer import CustomerScreen, for_own
from fuel_app.kit.clock import day_of, short_date


@dataclasses.dataclass(frozen=True)
class HistoryLine:
    """One invoice."""

    id: str
    day: str
    description: str
    status: str
    amount: str
    address: str  # of its receipt


class HistoryState(CustomerScreen, rx.State):
    """The latest invoices, and as many more as asked for."""

    lines: list[HistoryLine] = []
    loading: bool = True
    has_more: bool = False

    @for_own
    async def arrive(self):
        """Show the latest invoices."""
        self.lines = []
        await self._load()

    @for_own
    async def show_more(self):
        """Show the invoices before the last one that is shown."""
        if self.has_more:
            await self._load()

    async def _load(self) -> None:
        by = (await actor_of(self)).as_customer
        last = self.lines[-1].id if self.lines else ""
        found = await reading.invoices_of(by, limit=PAGE + 1, before=last)
        self.lines = [*self.lines, *map(_line, found[:PAGE])]
        self.loading, self.has_more = False, len(found) > PAGE


def _line(invoice: Invoice) -> HistoryLine:
    return HistoryLine(
        id=invoice.id,
        day=short_date(day_of(invoice.opened_at or invoice.created_at)),
        description=description_of(invoice),
        status=status_of(invoice),
        amount=str(invoice.total),
        address=routes.receipt(invoice.id),
    )
