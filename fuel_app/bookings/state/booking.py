"""One booking of a customer or a guest: what it says, and moving and cancelling it."""

import asyncio
from collections.abc import Awaitable

import reflex as rx
import structlog

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state.arrival import Arriving
from fuel_app.accounts.state.session import Answer, SessionState
from fuel_app.billing.service import reading as receipts
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.bookings import Booking, Guest
from fuel_app.bookings.service import changing, charging, covering, reading
from fuel_app.bookings.service import slots as offers
from fuel_app.bookings.state.cards import BookingCard
from fuel_app.bookings.state.guest import GuestScreen
from fuel_app.bookings.state.slots import NO_SLOT, Slots, for_bookers
from fuel_app.customers.state.customer import CustomerScreen, CustomerState, check_customer
from fuel_app.kit import signals
from fuel_app.kit.calendar_file import FILE_NAME
from fuel_app.kit.errors import FAILED, Refusal
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, SESSIONS, one
from fuel_app.server.reflex.link_tokens import link_token

log = structlog.get_logger()

STATUS = "booking-status"  # the id of the heading that says a booking's state
MOVING, CANCELLING = "move", "cancel"
_PAUSE_S = 0.5


class BookingScreen(Slots, Arriving, mixin=True):
    """A booking with its two dialogs. The browser sends neither its id nor its revision."""

    card: BookingCard = BookingCard()
    missing: bool = False  # it is looked up, and not there
    dialog: str = ""
    error: str = ""  # in the dialog
    notice: str = ""  # above the booking
    busy: bool = False
    has_receipt: bool = False

    _receipt_id: str = ""
    _seen: Booking | None = None
    _fee: Money = Money(0)  # of cancelling, as it is shown

    async def _by(self) -> Actor | Guest | None:
        """Return whose booking it is."""
        raise NotImplementedError

    async def _look_up(self, by: Actor | Guest) -> Booking | None:
        raise NotImplementedError

    def _calendar(self) -> str:
        """Return the address of the calendar file."""
        raise NotImplementedError

    def _receipt(self) -> str:
        """Return the address of the receipt."""
        raise NotImplementedError

    @for_bookers
    async def arrive(self):
        """Show the booking that the address names, or the next one."""
        self._start_over()
        await self._refresh()
        self._arrived()

    @for_bookers(background=True)
    async def follow(self):
        """Follow what others do with it while it is open."""
        while booking_id := self.card.id:
            async with signals.listening(one(BOOKINGS, booking_id), SESSIONS) as changes:
                while self.card.id == booking_id:
                    await changes.next()
                    async with self:
                        await self._keep_up()
                    await asyncio.sleep(_PAUSE_S)

    @for_bookers
    async def add_to_calendar(self):
        """Hand out the calendar file; a guest's address is a secret, and in no state."""
        return rx.download(url=self._calendar(), filename=FILE_NAME) if self.card.id else None

    @for_bookers
    async def see_receipt(self):
        """Go to the receipt; a guest's address is a secret, too."""
        return rx.redirect(self._receipt()) if self.has_receipt else None

    @for_bookers
    async def track(self):
        """Go to the page that follows the technician; its address is a secret, too."""
        booking = self._seen if self.card.can_track else None
        return rx.redirect(routes.track(reading.track_token(booking))) if booking else None

    @for_bookers
    async def open_move(self):
        """Offer other windows."""
        by, booking = await self._by(), self._seen
        if by is None or booking is None or not self.card.may_move:
            return
        self.dialog, self.error = MOVING, ""
        self._pick_none()
        self.days = []
        await self._offer(by, booking)

    @for_bookers
    async def open_cancel(self):
        """Ask before cancelling."""
        if self.card.may_cancel:
            self.dialog, self.error = CANCELLING, ""

    @for_bookers
    async def close_dialog(self, is_open: bool):
        """Close the dialog; it opens by its buttons alone."""
        if is_open is not True and not self.busy:
            self.dialog = self.error = ""

    @for_bookers
    async def move(self):
        """Move the booking into the picked window."""
        by, booking = await self._by(), self._seen
        if by is None or booking is None or self.dialog != MOVING or self.busy:
            return
        if not self.slot:
            self.error = NO_SLOT
            return
        self.busy, self.error, window = True, "", self.window
        yield
        if await self._try(changing.move(by, booking.id, booking.revision, self.slot)):
            self.notice = f"Moved to {window}."
            yield rx.set_focus(STATUS)
        elif self.dialog:
            await self._offer(by, booking)
        self.busy = False

    @for_bookers
    async def cancel(self, agreed: str):
        """Cancel the booking for the late fee that the dialog names; `agreed` is its button's."""
        by, booking = await self._by(), self._seen
        if by is None or booking is None or self.dialog != CANCELLING or self.busy:
            return
        if agreed != self.card.cancel_label:  # of a double click, the second press
            return
        self.busy, self.error = True, ""
        yield
        fee = self._fee
        done = changing.cancel(by, booking.id, booking.revision, seen_fee=fee)
        if await self._try(done):
            charge = f" The late fee is {fee}." if fee.cents else ""
            self.notice = f"Cancelled: {booking.when}.{charge}"
            yield rx.set_focus(STATUS)
        self.busy = False

    @for_bookers
    async def pay_fee(self, agreed: str):
        """Choose the convenience fee that the button names; `agreed` are its words."""
        by, booking = await self._by(), self._seen
        if by is None or booking is None or self.busy or agreed != (self.card.fee_label or None):
            return
        self.busy, fee = True, booking.asked_fee
        yield
        if await self._try(covering.choose_fee(by, booking.id, booking.revision, fee)):
            self.notice = f"You pay the convenience fee of {fee} for this fill-up."
            yield rx.set_focus(STATUS)
        else:
            self.notice, self.error = self.error or self.notice, ""
        self.busy = False

    async def _keep_up(self) -> None:
        """Show what others have done meanwhile. A dialog was about what is no more, and closes."""
        by, before, asked, notice = await self._by(), self._seen, self.dialog, self.notice
        if by and before and await self._look_up(by) == before:
            return
        await self._refresh()
        await self._show_others()
        self.notice = refusals.BookingChanged.message if asked else notice
        self.dialog = ""

    async def _try(self, change: Awaitable[object]) -> bool:
        """Return whether a change was made; otherwise say why not, and show the newer state."""
        try:
            await change
            self.dialog = ""
        except (refusals.BookingChanged, refusals.BookingGone, refusals.PleaseCall) as refusal:
            self.dialog, self.notice = "", str(refusal)
            await self._refresh()
            return False
        except Refusal as refusal:
            if isinstance(refusal, refusals.FeeChanged):
                await self._refresh()
            self.error = str(refusal)
            return False
        except Exception:
            log.exception("booking.change_failed")
            self.error = FAILED
            return False
        await self._refresh()
        await self._show_others()
        return True

    async def _show_others(self) -> None:
        """Show elsewhere in the tab what has changed with the booking."""

    async def _offer(self, by: Actor | Guest, booking: Booking) -> None:
        """Show the windows that are left now."""
        try:
            self._show_days(await offers.offered_to_move(by, booking), preselect=False)
        except Refusal as refusal:
            self.error = str(refusal)

    async def _refresh(self) -> None:
        """Show the booking as it is now."""
        by = await self._by()
        found = await self._look_up(by) if by else None
        if by is None or found is None:
            return self._miss()
        may = changing.changes(by, found)
        events = await reading.events(by, found.id)
        self._seen, self._fee = found, may.late_fee
        payment = (await charging.payments_of([found]))[found.id]
        self.card = BookingCard.of(found, may, events, payment)
        self._receipt_id = (await receipts.receipts_of([found.id])).get(found.id, "")
        self.missing, self.has_receipt = False, bool(self._receipt_id)

    def _miss(self) -> None:
        self._start_over()
        self.missing = True


class OwnBookingState(CustomerScreen, BookingScreen, rx.State):
    """A customer's booking: the one in the address, on the dashboard the next one."""

    others: list[BookingCard] = []  # those after the next one

    async def _admit(self) -> Answer:
        return await check_customer(self)

    async def _by(self) -> Actor | None:
        session = await (await self.get_state(SessionState))._look()
        if session is None or not session.person_id or not self._is_private:
            return None
        return session.actor.as_customer

    async def _look_up(self, by: Actor | Guest) -> Booking | None:
        if isinstance(by, Guest):
            return None
        before, _, asked = self.router.url.path.rstrip("/").rpartition("/")
        if before == routes.BOOKING:
            return await reading.find(by, asked)
        coming = await reading.upcoming(by)
        self.others = [BookingCard.of(each) for each in coming[1:]]
        return coming[0] if coming else None

    def _calendar(self) -> str:
        return routes.booking_calendar(self.card.id)

    def _receipt(self) -> str:
        return routes.receipt(self._receipt_id)

    async def _show_others(self) -> None:
        customer = await self.get_state(CustomerState)
        if self._is_private and customer._account:
            customer._become(await customer._account.read())


class GuestBookingState(GuestScreen, BookingScreen, rx.State):
    """A guest's booking."""

    email: str = ""  # to which the link was sent

    async def _look_up(self, by: Actor | Guest) -> Booking | None:
        found = await reading.find(by, by.booking_id) if isinstance(by, Guest) else None
        self.email = found.contact.get("email", "") if found else ""
        return found

    def _calendar(self) -> str:
        return routes.manage_calendar(link_token(self))

    def _receipt(self) -> str:
        return routes.manage_receipt(link_token(self))
