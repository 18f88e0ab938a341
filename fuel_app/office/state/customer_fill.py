"""The dialog in which staff record what was pumped, or correct it."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app.accounts.state.session import actor_of, staff_only
from fuel_app.bookings.rules.bookings import Booking, BookingChanged
from fuel_app.bookings.rules.fills import Fill, MoreThanTank, fill_fields
from fuel_app.bookings.state.cards import BookingCard
from fuel_app.dispatch.service import office_fills
from fuel_app.kit.ui.forms import FormState
from fuel_app.kit.ui.toast import ToastState
from fuel_app.office.state.customer_bookings import BookingsTab
from fuel_app.office.state.customer_tabs import OfCustomer
from fuel_app.office.state.customers import CustomerDashboardState


class FillState(OfCustomer, FormState, rx.State):
    """The dialog of one fill."""

    FORM: ClassVar = "fill"
    FIELDS: ClassVar = Fill

    card: BookingCard = BookingCard()  # without an id while it is closed
    typed: dict[str, str] = Fill.blank()
    errors: dict[str, str] = Fill.blank()
    question: str = ""  # about more than the tank holds

    _booking: Booking | None = None
    _asked: dict[str, str] = {}  # what the question is about

    @staff_only
    async def begin(self, booking_id: str):
        """Open the dialog for a booking whose fill may be recorded."""
        tab = await self.get_state(BookingsTab)
        found = tab._found.get(booking_id) if isinstance(booking_id, str) else None
        card = next((each for each in tab.rows if each.id == booking_id), BookingCard())
        if found and card.record:
            self._start_over()
            self.card, self._booking, self.typed = card, found[0], fill_fields(found[0])

    @staff_only
    async def close(self, _opened: bool):
        self.card = BookingCard()

    @staff_only
    async def edit(self, form: dict[str, Any]):
        """Check the refused fields again; a question about other gallons is void."""
        if self._recheck(form):
            self.question = ""

    @staff_only
    async def submit(self, form: dict[str, Any]):
        """Record the fill. A second press of the button finds the dialog closed."""
        if not self.card.id or self.busy:
            return
        self._begin(form)
        yield
        yield await self._finish(self._record(form), "booking.fill_failed")

    async def _record(self, form: object) -> None:
        booking, given = self._booking, Fill.typed(form)
        if booking is None:
            return
        confirmed = bool(self.question) and given == self._asked
        self.question, self._asked = "", given
        tab = await self.get_state(BookingsTab)
        about = await actor_of(self), booking.id, booking.revision, form
        try:
            await office_fills.complete(*about, confirmed=confirmed)
        except MoreThanTank as much:
            self.question = str(much)
            return
        except BookingChanged:
            await tab._load()
            self._booking = tab._found.get(booking.id, (booking,))[0]
            raise
        self.card = BookingCard()
        (await self.get_state(ToastState))._show("Fill recorded")
        await (await self.get_state(CustomerDashboardState))._refresh()
