"""Screens of a guest: the link in the address is the key to them."""

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import Answer
from fuel_app.billing.rules.receipts import Receipt
from fuel_app.billing.service import reading as receipts
from fuel_app.billing.state.receipts import ReceiptScreen
from fuel_app.bookings.rules.bookings import Guest
from fuel_app.bookings.service import reading
from fuel_app.server.reflex.link_tokens import link_token
from fuel_app.server.reflex.private_screen import PrivateScreen


class GuestScreen(PrivateScreen, mixin=True):
    """A screen open to the connection that has the link, and to no other."""

    missing: bool = False

    async def _admit(self) -> Answer:
        is_known = await self._by() is not None
        connection = self.router.session.session_id if is_known else ""
        self._is_private = is_known
        if self._shown_to != connection:
            self._open_to(connection)
        if is_known:
            return None
        self._miss()
        return ()

    async def _by(self) -> Guest | None:
        return await reading.guest_of(link_token(self))

    def _miss(self) -> None:
        self._start_over()
        self.missing = True


class GuestReceiptState(GuestScreen, ReceiptScreen, rx.State):
    """The receipt of a guest's booking."""

    async def _find(self) -> Receipt | None:
        guest = await self._by()
        return await receipts.receipt_of_booking(guest.booking_id) if guest else None

    def _file(self) -> str:
        return routes.manage_receipt_file(link_token(self))
