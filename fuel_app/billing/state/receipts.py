"""Billing History, and one receipt on the screen: a customer's own, any for staff."""

import dataclasses
from typing import cast

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Session
from fuel_app.accounts.state.session import Answer, Arriving, SessionState, actor_of, guarded_event
from fuel_app.billing.rules.invoices import Invoice
from fuel_app.billing.rules.receipts import Receipt, description_of, status_of
from fuel_app.billing.service import invoices
from fuel_app.billing.service.invoices import PAGE
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
        found = await invoices.invoices_of(by, limit=PAGE + 1, before=last)
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


async def _check(tab: rx.State) -> Answer:
    return await cast(ReceiptScreen, tab)._admit()


for_readers = guarded_event(_check)  # as each screen says


class ReceiptScreen(Arriving, mixin=True):
    """A receipt. The browser sends its id in the address alone, where guests have a token."""

    receipt: Receipt = Receipt()
    missing: bool = False  # it is looked up, and not there

    async def _admit(self) -> Answer:
        """Return None if the tab's person may use this screen; otherwise the answer."""
        raise NotImplementedError

    async def _find(self) -> Receipt | None:
        raise NotImplementedError

    def _file(self) -> str:
        """Return the address of the PDF."""
        raise NotImplementedError

    @for_readers
    async def arrive(self):
        """Show the receipt that the address names."""
        self._start_over()
        found = await self._find()
        self.receipt, self.missing = found or Receipt(), found is None
        self._arrived()

    @for_readers
    async def download(self):
        """Hand out the PDF; a guest's address is a secret, and in no state."""
        shown = self.receipt
        return rx.download(url=self._file(), filename=shown.file_name) if shown.name else None


# Where a receipt leads back to, by the page that led to it.
_BACK = {
    routes.DASHBOARD: "Back to Dashboard",
    routes.BOOKING: "Back to your fill-up",
}


class OwnReceiptState(ReceiptScreen, rx.State):
    """A receipt for a session; one that is not theirs is missing."""

    back: str = ""
    back_to: str = routes.BILLING

    @classmethod
    def _is_for(cls, _session: Session) -> bool:
        return True

    async def _admit(self) -> Answer:
        session = await (await self.get_state(SessionState))._find()
        if session is None:
            here = routes.asking(routes.SIGN_IN, {"next": self.router.url.path})
            return [rx.redirect(here, replace=True)]
        return None

    async def _find(self) -> Receipt | None:
        came_from = routes.own_address(self.router.url.query_parameters.get("from"))
        known = _BACK.get(came_from) or _BACK.get(came_from.rpartition("/")[0])
        self.back = known or "Back to Billing & Plans"
        self.back_to = came_from if known else routes.BILLING
        by = (await self.get_state(SessionState))._actor
        return await invoices.find_receipt(by, self.router.url.path.rstrip("/").rpartition("/")[2])

    def _file(self) -> str:
        return routes.receipt_file(self.receipt.invoice_id)
