"""One booking of a customer or a guest: what it says, moving, cancelling and paying it.

The link in a guest's address is the key to their screens.
"""

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor
from fuel_app.accounts.state.session import Answer, Arriving, SessionState
from fuel_app.billing.rules.receipts import Receipt
from fuel_app.billing.service import invoices as receipts
from fuel_app.billing.state.cards import come_back, leave
from fuel_app.billing.state.receipts import ReceiptScreen
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.bookings import CARS_MOST, Booking, Guest, location_of, ticked
from fuel_app.bookings.rules.estimates import Estimate, PriceChanged, one_car_each
from fuel_app.bookings.rules.states import ENDED
from fuel_app.bookings.service import access, authorizations, cars, changes
from fuel_app.bookings.service import slots as offers
from fuel_app.bookings.state.cards import BookingCard, Choice, PriceCard
from fuel_app.bookings.state.slots import NO_SLOT, Slots, for_bookers
from fuel_app.customers.state.customer import CustomerScreen, check_customer
from fuel_app.dispatch.service import arrivals
from fuel_app.dispatch.state.tracking import MINUTE_S
from fuel_app.kit import signals
from fuel_app.kit.calendar_file import FILE_NAME
from fuel_app.kit.errors import Refusal, attempt
from fuel_app.kit.money import Money
from fuel_app.kit.signals import BOOKINGS, SESSIONS, SHIFTS, one
from fuel_app.kit.ui.button import site_address
from fuel_app.kit.ui.state import set_changed
from fuel_app.outcomes.service import checkouts
from fuel_app.repeats.state import RepeatState
from fuel_app.server.reflex.private_tabs import link_token

STATUS = "booking-status"  # the id of the heading that says a booking's state
MOVING, CANCELLING, NOTING, CARS, PLACE = "move", "cancel", "note", "cars", "place"
NOTE_FORM = "visit"
UPDATE_CARD, CONFIRM = "card", "confirm"
_PAUSE_S = 0.5


class GuestScreen(Arriving, mixin=True):
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
        return access.guest_of(link_token(self))

    def _miss(self) -> None:
        self._start_over()
        self.missing = True
        self._arrived()  # the address is answered: there is no such booking


class GuestReceiptState(GuestScreen, ReceiptScreen, rx.State):
    """The receipt of a guest's booking."""

    async def _find(self) -> Receipt | None:
        guest = await self._by()
        return await receipts.receipt_of_booking(guest.booking_id) if guest else None

    def _file(self) -> str:
        return routes.manage_receipt_file(link_token(self))


@dataclasses.dataclass(frozen=True)
class KeptCar:
    """The button that keeps one car of a visit."""

    fill_id: str
    label: str


class BookingScreen(Slots, Arriving, mixin=True):
    """A booking with its two dialogs. The browser sends neither its id nor its revision."""

    card: BookingCard = BookingCard()
    missing: bool = False  # it is looked up, and not there
    dialog: str = ""
    error: str = ""  # in the dialog
    notice: str = ""  # above the booking
    busy: bool = False
    fee_error: str = ""  # beside the button that pays the convenience fee
    leaving: str = ""  # the button that leads to the provider's page
    card_error: str = ""  # beside it
    keeps: list[KeptCar] = []  # of a visit whose sum was declined: each car alone
    has_receipt: bool = False
    eta: str = ""  # 'Dana is 1 stop away, 6:50-7:15 PM', while a technician is to come
    eta_advice: str = ""  # if it is late

    _alone: dict[str, Estimate] = {}  # the price of each car alone, by fill
    _receipt_id: str = ""
    _shift_id: str = ""  # the route that it is on
    _seen: Booking | None = None
    _fee: Money = Money(0)  # of cancelling, as it is shown
    _has_history: ClassVar[bool] = True  # the screen shows what was done with it
    _count: int = 0  # of changes as it was read

    async def _by(self) -> Actor | Guest | None:
        """Return whose booking it is."""
        raise NotImplementedError

    async def _look_up(self, by: Actor | Guest) -> Booking | None:
        raise NotImplementedError

    def _own_booking_id(self) -> str:
        """Return the id of the one booking that the page is about; empty on the dashboard."""
        raise NotImplementedError

    def _link(self) -> str:
        """Return a guest's link, which is the key to the booking; '' for a customer."""
        return ""

    def _page(self) -> str:
        """Return the path of the screen's page."""
        return self.router.url.path.rstrip("/")

    @for_bookers
    async def arrive(self):
        """Show the booking that the address names, or the next one."""
        by, booking_id, back = await self._by(), self._own_booking_id(), None
        if by and booking_id:  # a checkout has led back here
            finish = partial(checkouts.finish_booking_checkout, by, booking_id)
            back = await come_back(self, finish, to=self._page())
        self._start_over()
        await self._refresh()
        self._arrived()
        return back

    @for_bookers(background=True)
    async def follow(self):
        """Follow what others do with it while it is open."""
        while booking_id := self.card.id:
            shift_id, topics = self._shift_id, {one(BOOKINGS, booking_id), SESSIONS}
            topics |= {one(SHIFTS, shift_id)} if shift_id else set()
            async with signals.listening(*topics) as changes:
                if self._count != signals.signals().count():  # between its reading and this
                    async with self:
                        await self._keep_up()
                while (self.card.id, self._shift_id) == (booking_id, shift_id):
                    await changes.next(MINUTE_S if shift_id else None)
                    async with self:
                        await self._keep_up()
                    await asyncio.sleep(_PAUSE_S)

    @for_bookers
    async def add_to_calendar(self):
        """Hand out the calendar file; a guest's address is a secret, and in no state."""
        if not self.card.id:
            return None
        link = self._link()
        url = routes.manage_calendar(link) if link else routes.booking_calendar(self.card.id)
        return rx.download(url=url, filename=FILE_NAME)

    @for_bookers
    async def see_receipt(self):
        """Go to the receipt; a guest's address is a secret, too."""
        if not self.has_receipt:
            return None
        if link := self._link():
            return rx.redirect(routes.manage_receipt(link))
        return rx.redirect(routes.receipt_from(routes.booking(self.card.id), self._receipt_id))

    @for_bookers
    async def track(self):
        """Go to the page that follows the technician; its address is a secret, too."""
        booking = self._seen if self.card.can_track else None
        return rx.redirect(routes.track(access.track_token(booking))) if booking else None

    @for_bookers
    async def update_card(self):
        """Go to the provider's page for another card, where this one was declined."""
        if self.card.alert:
            async for sent in self._leave(UPDATE_CARD, authorizations.begin_card_update):
                yield sent

    @for_bookers
    async def confirm_payment(self):
        """Go to the provider's page, where the bank asks to confirm what is held."""
        if self.card.needs_confirmation:
            async for sent in self._leave(CONFIRM, authorizations.begin_confirmation):
                yield sent

    @for_bookers
    async def keep_one(self, fill_id: str):
        """Keep one car of a visit whose sum was declined, for the price on its button."""
        by, booking, seen = await self._by(), self._seen, None
        if isinstance(fill_id, str):
            seen = self._alone.get(fill_id)
        if by is None or booking is None or seen is None or self.busy:
            return
        self.card_error, car = "", booking.fill(fill_id).car.name
        done = cars.keep_one(by, booking.id, booking.revision, fill_id, seen=seen)
        said = f"Only your {car} is booked. Your card is being authorized again."
        async for sent in self._do(done, said):
            yield sent
        self.card_error, self.error = self.error, ""

    @for_bookers
    async def open_move(self):
        """Offer other windows."""
        by, booking = await self._by(), self._seen
        if by is None or booking is None or not self.card.may_move:
            return
        self.dialog, self.error = MOVING, ""
        self._pick_none()
        self.days, self.day = [], booking.day.isoformat()
        await self._offer(by, booking)

    @for_bookers
    async def open_cancel(self):
        """Ask before cancelling."""
        if self.card.may_cancel:
            self.dialog, self.error = CANCELLING, ""

    @for_bookers
    async def open_note(self):
        """Open the note for the technician."""
        if self.card.may_note:
            self.dialog, self.error = NOTING, ""

    @for_bookers
    async def save_note(self, form: dict[str, Any]):
        """Change the note for the technician."""
        by, booking = await self._by(), self._seen
        if by is None or booking is None or self.dialog != NOTING or self.busy:
            return
        done = changes.change_notes(by, booking.id, form)
        async for sent in self._do(done, "The note is saved."):
            yield sent

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
        done = changes.move(by, booking.id, booking.revision, self.slot)
        async for sent in self._do(done, f"Moved to {self.window}."):
            yield sent
        if self.error:
            await self._offer(by, booking)

    @for_bookers
    async def cancel(self, agreed: str):
        """Cancel the booking for the late fee that the dialog names; `agreed` is its button's."""
        by, booking = await self._by(), self._seen
        if by is None or booking is None or self.dialog != CANCELLING or self.busy:
            return
        if agreed != self.card.cancel_label:  # of a double click, the second press
            return
        done = changes.cancel(by, booking.id, booking.revision, seen_fee=self._fee)
        charge = f" The late fee is {self._fee}." if self._fee.cents else ""
        async for sent in self._do(done, f"Cancelled: {booking.when}.{charge}"):
            yield sent

    @for_bookers
    async def pay_fee(self, agreed: str):
        """Choose the convenience fee that the button names; `agreed` are its words."""
        by, booking = await self._by(), self._seen
        if by is None or booking is None or self.busy or agreed != (self.card.fee_label or None):
            return
        self.fee_error, fee = "", booking.asked_fee
        done = changes.choose_fee(by, booking.id, booking.revision, fee)
        said = f"You pay the convenience fee of {fee} for this fill-up."
        async for sent in self._do(done, said):
            yield sent
        self.fee_error, self.error = self.error, ""

    async def _do(self, change: Awaitable[object], notice: str) -> AsyncIterator[Any]:
        """Make a change, busy meanwhile, and say that it was made."""
        self.busy, self.error = True, ""
        yield
        if await self._try(change):
            self.notice = notice
            yield rx.set_focus(STATUS)
        self.busy = False

    async def _leave(self, name: str, begin: Callable[..., Awaitable[str]]) -> AsyncIterator[Any]:
        """Go to the provider's page by a button, or say beside it why not."""
        by, booking = await self._by(), self._seen
        if by is None or booking is None or self.leaving:
            return
        self.leaving, self.card_error = name, ""
        yield
        # The booking's own page knows whose card it is; the dashboard does not.
        page = self._page() if self._link() else routes.booking(self.card.id)
        address, back = self.router.session.client_ip, site_address(self) + page
        away, self.card_error = await leave(begin(by, booking.id, address=address, back=back))
        self.leaving = ""
        yield away

    async def _keep_up(self) -> None:
        """Show what others have done meanwhile. A dialog was about what is no more, and closes."""
        by, before, asked, notice = await self._by(), self._seen, self.dialog, self.notice
        if by and before and await self._look_up(by) == before:
            if (await authorizations.card_states([before]))[before.id].payment != self.card.payment:
                await self._refresh()
                await self._show_others()
            else:
                await self._show_arrival(before)
            return
        await self._refresh()
        await self._show_others()
        self.notice = refusals.BookingChanged.message if asked else notice
        self.dialog = ""

    async def _try(self, change: Awaitable[object]) -> bool:
        """Return whether a change was made; otherwise say why not, and show the newer state."""
        made, problem = await attempt(self._made(change), "booking.change_failed")
        if problem:
            self.error = problem
        if not made:
            return False
        self.dialog = ""
        await self._refresh()
        await self._show_others()
        return True

    async def _made(self, change: Awaitable[object]) -> bool:
        """Return whether a change was not refused; otherwise say why, and show the newer state."""
        try:
            await change
        except (refusals.BookingChanged, refusals.BookingGone, refusals.PleaseCall) as refusal:
            self.dialog, self.notice = "", str(refusal)
            await self._refresh()
            return False
        except Refusal as refusal:
            if isinstance(refusal, (refusals.FeeChanged, PriceChanged)):
                await self._refresh()
            self.error = str(refusal)
            return False
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
        self._count, by = signals.signals().count(), await self._by()
        booking = await self._look_up(by) if by else None
        if by is None or booking is None:
            return self._miss()
        allowed = changes.allowed_changes(by, booking)
        events = await access.list_steps(booking.id) if self._has_history else ()
        self._seen, self._fee = booking, allowed.late_fee
        card = (await authorizations.card_states([booking]))[booking.id]
        self.card = BookingCard.of(booking, allowed, events, card.payment, alert=card.alert)
        alone = one_car_each(booking) if card.alert.may_have_fewer else []
        self.keeps = [KeptCar(each.fill_id, f"Book only {each.text}") for each in alone]
        self._alone = {each.fill_id: each.estimate for each in alone}
        ended = [booking.id] if booking.state in ENDED else []
        self._receipt_id = (await receipts.receipts_of(ended)).get(booking.id, "")
        self.missing, self.has_receipt = False, bool(self._receipt_id)
        await self._show_arrival(booking)

    async def _show_arrival(self, booking: Booking) -> None:
        """Show when the technician comes, as the tracking page says it."""
        tracked = await arrivals.track_coming(booking)
        self._shift_id = tracked.shift_id if tracked else ""
        sentence, advice = (tracked.sentence, tracked.advice) if tracked else ("", "")
        set_changed(self, eta=sentence, eta_advice=advice)

    def _miss(self) -> None:
        self._start_over()
        self.missing = True


class OwnBookingScreen(CustomerScreen, BookingScreen, mixin=True):
    """A booking of a signed-in customer."""

    async def _admit(self) -> Answer:
        return await check_customer(self)

    async def _by(self) -> Actor | None:
        session = await (await self.get_state(SessionState))._find()
        if session is None or not session.person_id or not self._is_private:
            return None
        return session.actor.as_customer


class OwnBookingState(OwnBookingScreen, rx.State):
    """The booking that the address names, with the dialogs that change its cars and its place."""

    vehicles: list[Choice] = []
    vehicle_ids: list[str] = []
    may_add: bool = True  # there is room for another car
    price: PriceCard = PriceCard()  # of the visit with the ticked cars
    places: list[Choice] = []
    place_id: str = ""

    _seen_price: Estimate | None = None

    @for_bookers
    async def open_cars(self):
        """Offer the customer's cars, with those of the visit ticked."""
        by, booking = await self._by(), self._seen
        if by is None or booking is None or not self.card.may_move:
            return
        self.dialog, self.error = CARS, ""
        garage = (await access.wizard_choices(by)).vehicles
        self.vehicles = [Choice.of_vehicle(each) for each in garage]
        booked = [each.car.id for each in booking.fills]
        await self._choose_cars(booking, [each.id for each in garage if each.id in booked])

    @for_bookers
    async def choose_vehicle(self, vehicle_id: str, is_chosen: bool):
        """Tick or untick a car, and show what the visit costs then."""
        known, booking = [each.id for each in self.vehicles], self._seen
        if booking and self.dialog == CARS and not self.busy and vehicle_id in known:
            chosen = ticked(known, self.vehicle_ids, vehicle_id, is_chosen is True)
            await self._choose_cars(booking, chosen)

    async def _choose_cars(self, booking: Booking, vehicle_ids: list[str]) -> None:
        self.vehicle_ids, self.may_add = vehicle_ids, len(vehicle_ids) < CARS_MOST
        self.error, self.price, self._seen_price = "", PriceCard(), None
        if by := await self._by():
            self.error = await self._see_price(by, booking) or ""

    async def _see_price(self, by: Actor, booking: Booking) -> str | None:
        """Show what the visit costs with the ticked cars. Return why it cannot have them."""
        try:
            seen = await cars.estimate_cars(by, booking.id, self.vehicle_ids)
        except Refusal as refusal:
            return str(refusal)
        self._seen_price, self.price = seen, PriceCard.of(seen)
        return None

    @for_bookers
    async def open_place(self):
        """Offer the customer's other addresses."""
        by, booking = await self._by(), self._seen
        if by and booking and self.card.may_replace:
            self.dialog, self.error = PLACE, ""
            saved = (await access.wizard_choices(by)).places
            here = booking.place.line
            others = [each for each in saved if location_of(each, each.located).line != here]
            self.places, self.place_id = [Choice.of_place(each) for each in others], ""

    @for_bookers
    async def choose_location(self, place_id: str):
        """Pick another address."""
        if place_id in [each.id for each in self.places] and not self.busy:
            self.place_id, self.error = place_id, ""

    @for_bookers
    async def save_place(self):
        """Have the cars filled at the picked address."""
        by, booking = await self._by(), self._seen
        if by is None or booking is None or self.dialog != PLACE or self.busy or not self.place_id:
            return
        done = changes.change_place(by, booking.id, booking.revision, self.place_id)
        async for sent in self._do(done, "The place is changed."):
            yield sent

    @for_bookers
    async def save_cars(self):
        """Let the visit have the ticked cars, for the price that is shown."""
        by, booking, seen = await self._by(), self._seen, self._seen_price
        if by is None or booking is None or seen is None or self.dialog != CARS or self.busy:
            return
        done = cars.change_cars(by, booking.id, booking.revision, self.vehicle_ids, seen=seen)
        async for sent in self._do(done, "The cars are changed."):
            yield sent
        if said := self.error:  # with the price as it is now
            await self._choose_cars(booking, self.vehicle_ids)
            self.error = said

    async def _look_up(self, by: Actor | Guest) -> Booking | None:
        asked = self._own_booking_id()
        return await access.find(by, asked) if asked and isinstance(by, Actor) else None

    def _own_booking_id(self) -> str:
        before, _, asked = self._page().rpartition("/")
        return asked if before == routes.BOOKING else ""

    async def _show_others(self) -> None:
        if self._is_private:
            await (await self.get_state(RepeatState))._refresh()


class GuestBookingState(GuestScreen, BookingScreen, rx.State):
    """A guest's booking."""

    email: str = ""  # to which the link was sent

    async def _look_up(self, by: Actor | Guest) -> Booking | None:
        found = await access.find(by, by.booking_id) if isinstance(by, Guest) else None
        self.email = found.contact.get("email", "") if found else ""
        return found

    def _link(self) -> str:
        return link_token(self)

    def _page(self) -> str:
        return routes.manage(self._link())

    def _own_booking_id(self) -> str:
        guest = access.guest_of(self._link())
        return guest.booking_id if guest else ""
