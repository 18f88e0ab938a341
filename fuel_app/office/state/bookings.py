"""A customer's bookings for staff: the list, and booking, moving and cancelling for them.

Also the dialog in which staff record what was pumped, or correct it.
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.dialogs import AskingDialog, FormDialog
from fuel_app.accounts.state.session import Answer, SessionState, actor_of, staff_only
from fuel_app.billing.rules.corrections import Reason
from fuel_app.billing.service import invoices as receipts
from fuel_app.bookings.rules.bookings import (
    CARS_MOST,
    Booking,
    BookingChanged,
    BookingGone,
    FeeChanged,
    Request,
    ticked,
)
from fuel_app.bookings.rules.estimates import Estimate
from fuel_app.bookings.rules.fills import FillRecord, MoreThanTank, fill_fields
from fuel_app.bookings.rules.guests import GuestBookings
from fuel_app.bookings.rules.slots import SlotDay
from fuel_app.bookings.rules.states import NO_CHANGES, Changes
from fuel_app.bookings.service import access, authorizations, bookings, changes, guests
from fuel_app.bookings.service import slots as offers
from fuel_app.bookings.state.cards import BookingCard, Choice, PriceCard
from fuel_app.bookings.state.slots import CHECK_PRICE, NO_SLOT, PricedSlots
from fuel_app.customers.service import directory
from fuel_app.dispatch.service import fill_records
from fuel_app.kit.errors import Refusal
from fuel_app.kit.ui.forms import is_stale
from fuel_app.kit.ui.toast import ToastState
from fuel_app.office.state.customers import CustomerDashboardState, CustomerTab, OfCustomer

BOOK, MOVE, CANCEL = "book", "move", "cancel"
NO_CHOICE = "The customer needs a vehicle and a saved address first."
_DONE = {BOOK: "Booked", MOVE: "Moved", CANCEL: "Cancelled"}


class BookingsTab(CustomerTab, rx.State):
    """The bookings of the customer or guest: those to come, then the ended ones, latest first."""

    KEY: ClassVar = "bookings"

    rows: list[BookingCard] = []
    photos: dict[str, list[str]] = {}  # addresses of technicians' photos, by booking
    receipts: dict[str, str] = {}  # addresses of a guest's receipts, by booking

    _found: dict[str, tuple[Booking, Changes]] = {}

    async def _read(self) -> None:
        actor = await actor_of(self)
        coming, ended = await self._of_whom(actor)
        listed = {each.id: (each, changes.allowed_changes(actor, each)) for each in coming}
        for each in ended:
            listed[each.id] = each, NO_CHANGES
        self._found = listed
        taken = await fill_records.photos_of_bookings(actor, listed.keys())
        self.photos = {each: [*map(routes.fill_photo, ids)] for each, ids in taken.items()}
        cards = await authorizations.card_states([each for each, _ in listed.values()])
        done = [each.id for each, _ in listed.values() if each.completed_at]
        invoices = await receipts.receipts_of(done)
        of_guest = invoices.items() if self._guest_id else ()
        self.receipts = {each: routes.receipt(invoice) for each, invoice in of_guest}
        self.rows = [
            BookingCard.of(
                each, may, payment=cards[each.id].payment, is_invoiced=each.id in invoices
            )
            for each, may in listed.values()
        ]

    async def _of_whom(self, actor: Actor) -> tuple[tuple[Booking, ...], tuple[Booking, ...]]:
        """Return what is to come and what has ended, of the customer or the guest."""
        whose = self._customer_id
        if whose:
            return await access.upcoming_and_past(actor, customer_id=whose)
        found = await guests.find(actor, self._guest_id)
        return (found.upcoming, found.ended) if isinstance(found, GuestBookings) else ((), ())


class BookingDeskState(OfCustomer, FormDialog, PricedSlots, rx.State):
    """The dialog in which staff book for a customer, move a booking or cancel it."""

    FORM: ClassVar = "booking-desk"
    FIELDS: ClassVar = Reason
    EVENT: ClassVar = "booking.desk_failed"

    kind: str = ""  # BOOK, MOVE or CANCEL
    loading: bool = False
    card: BookingCard = BookingCard()
    fee: str = ""  # of a late cancellation
    vehicles: list[Choice] = []
    places: list[Choice] = []
    vehicle_ids: list[str] = []
    may_add: bool = True  # there is room for another car
    place_id: str = ""
    errors: dict[str, str] = Reason.blank()

    _customer_id: str = ""
    _now: tuple[Booking, Changes] | None = None
    _zips: dict[str, str] = {}  # by place

    @staff_only
    async def begin(self, kind: str, booking_id: str):
        """Open the dialog; only what the booking's state allows."""
        tab = await self.get_state(BookingsTab)
        now = tab._found.get(booking_id) if isinstance(booking_id, str) else None
        allowed = {
            BOOK: bool(tab._customer_id),
            MOVE: now is not None and now[1].may_move,
            CANCEL: now is not None and now[1].may_cancel,
        }
        if not isinstance(kind, str) or not allowed.get(kind):
            return
        self._open()
        self.kind, self._customer_id = kind, tab._customer_id
        self._show(now)
        self.loading = kind != CANCEL
        yield
        if kind == BOOK:
            await self._try(self._load_choices())
        if kind != CANCEL:
            await self._reopen()
        self.loading = False

    @staff_only
    async def choose_vehicle(self, vehicle_id: str, is_chosen: bool):
        """Book for one more of the customer's vehicles, or for one less."""
        known = [each.id for each in self.vehicles]
        if self.kind == BOOK and vehicle_id in known:
            self._choose_cars(ticked(known, self.vehicle_ids, vehicle_id, is_chosen is True))
            await self._reopen()

    def _choose_cars(self, vehicle_ids: list[str]) -> None:
        self.vehicle_ids, self.may_add = vehicle_ids, len(vehicle_ids) < CARS_MOST

    @staff_only
    async def choose_location(self, place_id: str):
        """Book for another saved place, with the windows of its area."""
        if self.kind == BOOK and place_id in [each.id for each in self.places]:
            self.place_id = place_id
            await self._reopen()

    @staff_only
    async def choose_day(self, day: str):
        """Turn to a day."""
        await self._choose(day=day if isinstance(day, str) else "")

    @staff_only
    async def choose_slot(self, slot: str):
        """Pick a window."""
        await self._choose(slot=slot)

    async def _send(self, sent: object) -> None:
        changes = f"{self.card.revision} {self.fee}"
        if is_stale(sent, self.price.total if self.kind == BOOK else changes):
            self.refusal = self.refusal or CHECK_PRICE
            return
        self._clear()
        form = sent if isinstance(sent, Mapping) else {}
        if await self._try(self._do(Reason.parse(form).reason, form)):
            said = _DONE[self.kind]
            self._close()
            (await self.get_state(ToastState))._show(said)
            await (await self.get_state(CustomerDashboardState))._refresh()

    async def _do(self, reason: str, form: Mapping[str, Any]) -> None:
        actor = await actor_of(self)
        if self.kind != CANCEL and not self.slot:
            raise Refusal(NO_SLOT)
        if self.kind == BOOK:
            if self._seen is None:
                raise Refusal(NO_CHOICE)
            await bookings.book(
                actor,
                self._request(),
                key=self._key,
                seen=self._seen,
                customer_id=self._customer_id,
                reason=reason,
            )
        elif self._now:
            now, may = self._now
            if self.kind == MOVE:
                await changes.move(actor, now.id, now.revision, self.slot, reason=reason)
            else:
                await changes.cancel(
                    actor,
                    now.id,
                    now.revision,
                    seen_fee=may.late_fee,
                    reason=reason,
                    waive=bool(form.get("waive")),
                )

    async def _admit(self) -> Answer:
        session = await (await self.get_state(SessionState))._look()
        return None if session and session.actor.may(Role.DISPATCHER) else ()

    async def _load_choices(self) -> None:
        vehicles, places = await directory.garage(await actor_of(self), self._customer_id)
        self.vehicles = [Choice.of_vehicle(each) for each in vehicles if each.is_active]
        self.places = [Choice.of_place(each) for each in places]
        self._choose_cars([each.id for each in self.vehicles[:1]])
        self.place_id = next((each.id for each in self.places), "")
        self._zips = {each.id: each.zip_code for each in places}

    async def _reopen(self) -> None:
        """Show the windows and the price for what is chosen now."""
        self._seen, self.price = None, PriceCard()
        if self.kind == BOOK and not (self.vehicle_ids and self.place_id):
            self.refusal = self.refusal or NO_CHOICE
        else:
            await self._open_slots()

    async def _refresh_days(self, *, preselect: bool) -> bool:
        return await super()._refresh_days(preselect=preselect and self.kind == BOOK)

    async def _update_price(self) -> None:
        if self.kind == BOOK:  # a move keeps its price
            await super()._update_price()

    async def _offered(self) -> Iterable[SlotDay]:
        actor = await actor_of(self)
        if self.kind == MOVE and self._now:
            return await offers.offered_to_move(actor, self._now[0])
        zip_code = self._zips.get(self.place_id, "")
        return await offers.offered(actor, zip_code, customer_id=self._customer_id)

    async def _estimated(self) -> Estimate:
        actor = await actor_of(self)
        return await bookings.estimate_fill(actor, self._request(), customer_id=self._customer_id)

    def _request(self) -> Request:
        return Request(self.slot, tuple(self.vehicle_ids), self.place_id)

    async def _refuse(self, refusal: Refusal) -> None:
        """Show a refusal; what has changed meanwhile is shown as it is now."""
        await super()._refuse(refusal)
        if self._now and isinstance(refusal, BookingChanged | BookingGone | FeeChanged):
            tab = await self.get_state(BookingsTab)
            await tab._load()
            self._show(tab._found.get(self._now[0].id))

    async def _prefill_waitlist(self, zip_code: str) -> None:
        """Leave the waitlist alone: this is the staff's tab."""

    def _show(self, now: tuple[Booking, Changes] | None) -> None:
        self._now = now
        self.card = BookingCard.of(*now) if now else BookingCard()
        self.day = now[0].day.isoformat() if now else ""  # where a move begins to look
        self.fee = str(now[1].late_fee) if now and now[1].late_fee.cents else ""


class FillState(OfCustomer, AskingDialog, rx.State):
    """The dialog of one fill: of a visit with several cars that of one of them."""

    FORM: ClassVar = "fill"
    FIELDS: ClassVar = FillRecord
    EVENT: ClassVar = "booking.fill_failed"

    card: BookingCard = BookingCard()
    typed: dict[str, str] = FillRecord.blank()
    errors: dict[str, str] = FillRecord.blank()
    cars: list[Choice] = []  # of a visit with several
    fill_id: str = ""

    _booking: Booking | None = None

    @staff_only
    async def begin(self, booking_id: str):
        """Open the dialog for a booking whose fill may be recorded."""
        tab = await self.get_state(BookingsTab)
        known_booking = tab._found.get(booking_id) if isinstance(booking_id, str) else None
        card = next((each for each in tab.rows if each.id == booking_id), BookingCard())
        if known_booking and card.record:
            self._open()
            self.card, self._booking = card, known_booking[0]
            self._show_car((*self._booking.still_to_fill, *self._booking.fills)[0].id)

    @staff_only
    async def choose_car(self, fill_id: str):
        """Record the fill of another car of the visit."""
        if self._booking and fill_id in [each.id for each in self.cars]:
            self._show_car(fill_id)

    @staff_only
    async def give_up(self):
        """End the car without a fill, free of charge."""
        if self._booking and self.cars and not self.busy:
            async for event in self._run(self._end_car(self._booking)):
                yield event

    async def _end_car(self, booking: Booking) -> None:
        actor = await actor_of(self)
        await fill_records.give_up_car(actor, booking.id, booking.revision, self.fill_id)
        self._close()
        (await self.get_state(ToastState))._show("The car is ended without a fill")
        await (await self.get_state(CustomerDashboardState))._refresh()

    def _show_car(self, fill_id: str) -> None:
        """Show what is known of a car's fill, in fields that start anew."""
        fills = self._booking.fills if self._booking else ()
        self.cars = [Choice.of_fill(each) for each in fills if len(fills) > 1]
        self.fill_id, self.question, self.edition = fill_id, "", self.edition + 1
        self.typed = next(
            (fill_fields(each) for each in fills if each.id == fill_id), FillRecord.blank()
        )

    async def _send(self, sent: object) -> None:
        booking = self._booking
        if booking is None:
            return
        confirmed = self._is_answered(sent)
        tab = await self.get_state(BookingsTab)
        actor = await actor_of(self)
        try:
            await fill_records.complete_booking(
                actor,
                booking.id,
                booking.revision,
                sent,
                fill_id=self.fill_id,
                confirmed=confirmed,
            )
        except MoreThanTank as much:
            self.question = str(much)
            return
        except BookingChanged:
            await tab._load()
            self._booking = tab._found.get(booking.id, (booking,))[0]
            raise
        self._close()
        (await self.get_state(ToastState))._show("Fill recorded")
        await (await self.get_state(CustomerDashboardState))._refresh()
