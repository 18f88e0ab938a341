"""One receipt on the screen: a customer's own, any for staff."""

from typing import cast

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Session
from fuel_app.accounts.state.arrival import Arriving
from fuel_app.accounts.state.session import Answer, SessionState, guarded_event
from fuel_app.billing.rules.receipts import Receipt
from fuel_app.billing.service import reading


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


class OwnReceiptState(ReceiptScreen, rx.State):
    """A receipt for a session; one that is not theirs is missing."""

    @classmethod
    def _is_for(cls, _session: Session) -> bool:
        return True

    async def _admit(self) -> Answer:
        session = await (await self.get_state(SessionState))._look()
        if session is None:
            here = routes.asking(routes.SIGN_IN, {"next": self.router.url.path})
            return [rx.redirect(here, replace=True)]
        return None

    async def _find(self) -> Receipt | None:
        by = (await self.get_state(SessionState))._actor
        return await reading.receipt(by, self.router.url.path.rstrip("/").rpartition("/")[2])

    def _file(self) -> str:
        return routes.receipt_file(self.receipt.invoice_id)
