"""A guest's way to one fill: contact with the place, vehicle, time, payment."""

import asyncio
import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import Answer, SessionState, guarded_event
from fuel_app.areas.service import company
from fuel_app.bookings.rules.bookings import Car, NeedsCard, Place, Request
from fuel_app.bookings.rules.estimates import Estimate
from fuel_app.bookings.rules.slots import SlotDay
from fuel_app.bookings.rules.typed import GuestContact, car_of, place_of
from fuel_app.bookings.service import booking, scheduling, slots
from fuel_app.bookings.state.places import PlaceStep
from fuel_app.bookings.state.slots import NO_SLOT, WAITLIST, Quote
from fuel_app.customers.rules.places import PlaceForm
from fuel_app.customers.rules.vehicles import NEW_OWN, GuestVehicle
from fuel_app.customers.state.customer import CustomerScreen
from fuel_app.customers.state.vehicles import VehicleFields
from fuel_app.kit import clock
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.signals import SLOTS, listening
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.ui.wizard import start_at

FORM = "guest"
HELD, SOON, LAPSED = "held", "soon", "lapsed"
SOON_S = 60  # the last minute of a hold
REFRESH_S = 5
ACCEPT = "Please accept the terms to go on."


async def _check_open(tab: rx.State) -> Answer:
    """Let anyone book once the company is open. What a signed-in person types is theirs alone."""
    if not await company.is_open():
        return ()
    session = await (await tab.get_state(SessionState))._look()
    (await tab.get_state(GuestFillState))._is_private = bool(session and not session.is_shared)
    return None


for_guests = guarded_event(_check_open)


class GuestFillState(CustomerScreen, VehicleFields, PlaceStep, Quote, rx.State):
    """One tab's booking of a guest; everything typed stays until it is made."""

    vehicle: dict[str, str] = NEW_OWN
    vehicle_errors: dict[str, str] = GuestVehicle.blank()
    ready: bool = False
    contact: dict[str, str] = GuestContact.blank()
    contact_errors: dict[str, str] = GuestContact.blank()
    accepts_terms: bool = False
    terms_error: str = ""
    car_name: str = ""
    place_name: str = ""
    contact_given: bool = False
    vehicle_given: bool = False
    hold: str = ""
    held_until: str = ""  # '9:42 AM'
    has_card: bool = False  # the switch on localhost
    may_test_card: bool = False

    _vehicle_form: ClassVar = "guest-vehicle"
    _vehicle_rules: ClassVar = GuestVehicle
    _vehicle_start: ClassVar = NEW_OWN
    _place_form: ClassVar = FORM
    _guest: GuestContact | None = None
    _car: Car | None = None
    _place: Place | None = None
    _until: datetime | None = None
    _made_hold_id: str = ""
    _booked: str = ""  # the address of its page

    @rx.event
    @for_guests
    async def arrive(self):
        """Open a step, or redirect to the first incomplete one. After a booking it begins anew."""
        if self._booked:
            shown_to, is_private = self._shown_to, self._is_private
            self.reset()
            self._shown_to, self._is_private = shown_to, is_private
        self._clear()
        self.may_test_card = scheduling.may_test_card()
        steps = (
            (routes.ONE_TIME_FILL, self.contact_given and self._place is not None),
            (routes.ONE_TIME_FILL_VEHICLE, self.vehicle_given and self._car is not None),
            (routes.ONE_TIME_FILL_SCHEDULE, self._until is not None),
            (routes.ONE_TIME_FILL_PAYMENT, False),
        )
        here = self.router.url.path
        if instead := start_at(here, steps):
            return rx.redirect(instead, replace=True)
        if here.rstrip("/") == routes.ONE_TIME_FILL_SCHEDULE:
            await self._open_slots()
        elif here.rstrip("/") == routes.ONE_TIME_FILL_PAYMENT:
            self._count_down()
            await self._reckon()
        self.ready = True
        return None

    @rx.event
    @for_guests
    async def edit_contact(self, form: dict[str, Any]):
        """Keep what is typed."""
        self.contact = GuestContact.typed(form)
        self.contact_errors = GuestContact.recheck(self.contact_errors, self.contact)
        self._keep_place(form)

    @rx.event
    @for_guests
    async def accept_terms(self, accepts: bool):
        """Accept the terms, or not."""
        self.accepts_terms, self.terms_error = accepts is True, ""

    @rx.event
    @for_guests
    async def set_pin(self, lat: float, lng: float):
        """Keep where the car stands on the map."""
        await self._set_pin(lat, lng)

    @rx.event
    @for_guests
    async def join_waitlist(self):
        """Lead to the waitlist, filled in."""
        await self._prefill_waitlist(self.place["zip_code"])
        return rx.redirect(WAITLIST)

    @rx.event
    @for_guests
    async def submit_contact(self, form: dict[str, Any]):
        """Go on to the vehicle, with a place that we fill at."""
        self.busy, self.is_outside, self.pin_error = True, False, ""
        self._clear()
        yield
        try:
            if self._check_contact(form) and await self._try(self._use_place()):
                self.contact_given = True
                yield rx.redirect(routes.ONE_TIME_FILL_VEHICLE)
            elif wrong := self._first_wrong():
                yield focus_field(FORM, wrong)
        finally:
            self.busy = False

    def _check_contact(self, form: object) -> bool:
        """Show everything that is wrong at once. Return whether nothing is."""
        self.contact = GuestContact.typed(form)
        self.contact_errors = GuestContact.problems(self.contact)
        self.place = PlaceForm.typed(form)
        self.place_errors = PlaceForm.problems(self.place)
        self.terms_error = "" if self.accepts_terms else ACCEPT
        return not self._first_wrong()

    def _first_wrong(self) -> str:
        problems = {**self.contact_errors, **self.place_errors, "terms": self.terms_error}
        return next((field for field, message in problems.items() if message), "")

    async def _use_place(self) -> None:
        typed = PlaceForm.parse(self.place)
        at = await self._locate(typed, self.router.session.client_ip)
        self._guest, self._place = GuestContact.parse(self.contact), place_of(typed, at)
        self.place_name = typed.label

    @rx.event
    @for_guests
    async def edit_vehicle(self, form: dict[str, Any]):
        """Keep what is typed."""
        self._keep_vehicle(form)

    @rx.event
    @for_guests
    async def submit_vehicle(self, form: dict[str, Any]):
        """Go on to the time."""
        vehicle = self._check_vehicle(form)
        if vehicle is None:
            return self._point_at_vehicle()
        self._car, self.car_name = car_of(vehicle), f"{vehicle.title}, {vehicle.license_plate}"
        self.vehicle_given = True
        return rx.redirect(routes.ONE_TIME_FILL_SCHEDULE)

    @rx.event
    @for_guests
    async def choose_day(self, day: str):
        """Turn to a day and its first open window."""
        await self._choose(day=day)

    @rx.event
    @for_guests
    async def choose_slot(self, slot: str):
        """Pick an open window."""
        await self._choose(slot=slot)

    @rx.event(background=True)
    @for_guests
    async def follow(self):
        """Refresh the windows when others book."""
        async with listening(SLOTS) as changes:
            while await changes.next():
                async with self:
                    await self._refresh_slots()
                await asyncio.sleep(REFRESH_S)

    @rx.event
    @for_guests
    async def schedule(self, form: dict[str, Any]):
        """Hold the window, and go on to the payment."""
        self.busy = True
        self._clear()
        yield
        try:
            if await self._try(self._hold()):
                yield rx.redirect(routes.ONE_TIME_FILL_PAYMENT)
        finally:
            self.busy = False

    @rx.event
    @for_guests
    async def renew(self):
        """Hold the window once more, if it is still free."""
        self._clear()
        if await self._try(self._hold()):
            return GuestFillState.watch
        return None

    async def _hold(self) -> None:
        if not self.slot or self._place is None or self._car is None:
            raise Refusal(NO_SLOT)
        self._made_hold_id = self._made_hold_id or str(uuid.uuid4())
        address = self.router.session.client_ip
        self._until = await booking.hold(self.slot, self._made_hold_id, address)
        self.held_until = clock.time_of_day(self._until)
        self._count_down()

    @rx.event(background=True)
    @for_guests
    async def watch(self):
        """Say when the last minute of the hold begins, and when it is over."""
        wait = 0.0
        while wait >= 0:
            await asyncio.sleep(wait)
            async with self:
                wait = self._count_down()

    def _count_down(self) -> float:
        """Return the seconds until there is something new to say; below 0 for never."""
        left = (self._until - clock.now()).total_seconds() if self._until else 0.0
        self.hold = HELD if left > SOON_S else SOON if left > 0 else LAPSED
        return {HELD: left - SOON_S, SOON: left, LAPSED: -1.0}[self.hold]

    @rx.event
    @for_guests
    async def use_test_card(self):
        """Turn the switch that stands for a card."""
        self.has_card = self.may_test_card and not self.has_card

    @rx.event
    @for_guests
    async def book(self, form: dict[str, Any]):
        """Book. Whatever goes wrong is said above the button, and everything stays as it is."""
        self.busy = True
        self._clear()
        yield
        try:
            if await self._try(self._book()):
                yield rx.redirect(self._booked)
        finally:
            self.busy = False

    async def _book(self) -> None:
        if self._booked:
            return
        if self._guest is None:
            raise Refusal(NO_SLOT)
        booked = await booking.book_guest(
            self._guest,
            self._request(),
            key=self._key,
            seen=await self._agreed(),
            hold_id=self._made_hold_id,
            address=self.router.session.client_ip,
            test_card=self.has_card,
        )
        self._booked = routes.manage(booking.manage_token(booked))
        (await self.get_state(ToastState))._show(f"Booked: {booked.when}", seconds=6)

    def _request(self) -> Request:
        return Request(self.slot, self._car or "", self._place or "")

    async def _offered(self) -> Iterable[SlotDay]:
        zip_code = self._place.zip_code if self._place else ""
        return await slots.offered(None, zip_code, hold_id=self._made_hold_id)

    async def _estimated(self) -> Estimate:
        return await booking.estimate_guest(self._request())

    async def _refuse(self, refusal: Refusal) -> None:
        if isinstance(refusal, InvalidForm) or not self._show_place_problem(refusal):
            await Quote._refuse(self, refusal)
        if isinstance(refusal, NeedsCard):
            self.way = ""

    async def _prefill_waitlist(self, zip_code: str) -> None:
        await self._fill_waitlist_in(self.contact, zip_code)
