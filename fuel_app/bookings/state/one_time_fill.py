"""A guest's way to one fill: contact with the place, vehicle, time, payment."""

import asyncio
import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import Answer, SessionState
from fuel_app.areas.service import company
from fuel_app.bookings.rules.bookings import Car, NeedsCard, Place, Request
from fuel_app.bookings.rules.estimates import Estimate
from fuel_app.bookings.rules.slots import SlotDay
from fuel_app.bookings.rules.typed import GuestContact, place_of
from fuel_app.bookings.service import booking, slots
from fuel_app.bookings.service.lookups import car_of
from fuel_app.bookings.state.places import PlaceStep
from fuel_app.bookings.state.slots import NO_SLOT, for_bookers
from fuel_app.customers.rules.places import PlaceForm
from fuel_app.customers.rules.vehicles import NEW_OWN, GuestVehicle
from fuel_app.customers.service.card import card_available
from fuel_app.customers.state.customer import CustomerScreen
from fuel_app.customers.state.vehicles import VehicleFields
from fuel_app.kit import clock
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.wizard import start_at

FORM = "guest"
HELD, SOON, LAPSED = "held", "soon", "lapsed"
SOON_S = 60  # the last minute of a hold
REFRESH_S = 5
ACCEPT = "Please accept the terms to go on."


class GuestFillState(CustomerScreen, VehicleFields, PlaceStep, rx.State):
    """One tab's booking of a guest; everything typed stays until it is made."""

    vehicle: dict[str, str] = NEW_OWN
    vehicle_errors: dict[str, str] = GuestVehicle.blank()
    contact: dict[str, str] = GuestContact.blank()
    contact_errors: dict[str, str] = GuestContact.blank()
    accepts_terms: bool = False
    terms_error: str = ""
    contact_given: bool = False
    vehicle_given: bool = False
    hold: str = ""
    held_until: str = ""  # '9:42 AM'

    _vehicle_form: ClassVar = "guest-vehicle"
    _vehicle_rules: ClassVar = GuestVehicle
    _vehicle_start: ClassVar = NEW_OWN
    _place_form: ClassVar = FORM
    _guest: GuestContact | None = None
    _car: Car | None = None
    _place: Place | None = None
    _until: datetime | None = None
    _made_hold_id: str = ""

    async def _admit(self) -> Answer:
        """Admit anyone once the company is open. A signed-in person's screen is theirs alone."""
        if not await company.is_open():
            return ()
        session = await (await self.get_state(SessionState))._look()
        self._is_private = bool(session and not session.is_shared)
        return None

    @rx.event
    @for_bookers
    async def arrive(self):
        """Open a step, or redirect to the first incomplete one. After a booking it begins anew."""
        self._forget_booked()
        self._clear()
        self.may_test_card = card_available()
        steps = (
            (routes.ONE_TIME_FILL, self.contact_given),
            (routes.ONE_TIME_FILL_VEHICLE, self.vehicle_given),
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
            await self._update_price()
        self.ready = True
        return None

    @rx.event
    @for_bookers
    async def edit_contact(self, form: dict[str, Any]):
        """Keep what is typed. Another contact or place has to be sent again."""
        before = self.contact, self.place
        self.contact = GuestContact.typed(form)
        self.contact_errors = GuestContact.recheck(self.contact_errors, self.contact)
        self._keep_place(form)
        self.contact_given &= before == (self.contact, self.place)

    @rx.event
    @for_bookers
    async def accept_terms(self, accepts: bool):
        """Accept the terms, or not; without them nothing is booked."""
        self.accepts_terms, self.terms_error = accepts is True, ""
        self.contact_given &= self.accepts_terms

    @rx.event
    @for_bookers
    def submit_contact(self, form: dict[str, Any]):
        """Go on to the vehicle, with a place that we fill at."""
        return self._press(lambda: self._use(form), lambda: routes.ONE_TIME_FILL_VEHICLE)

    async def _use(self, form: object) -> None:
        """Keep contact and place; everything that is wrong is shown at once."""
        self.contact, self.place = GuestContact.typed(form), PlaceForm.typed(form)
        self.contact_errors = GuestContact.problems(self.contact)
        self.place_errors = PlaceForm.problems(self.place)
        self.terms_error = "" if self.accepts_terms else ACCEPT
        if self._wrong():
            raise InvalidForm(self.place_errors)
        typed = PlaceForm.parse(self.place)
        at = await self._locate(typed, self.router.session.client_ip)
        self.contact_given = True
        self._guest, self._place = GuestContact.parse(self.contact), place_of(typed, at)
        self.place_name = typed.label
        self._forget_price()

    def _wrong(self) -> str:
        problems = {**self.contact_errors, **self.place_errors, "terms": self.terms_error}
        return next((field for field, message in problems.items() if message), "")

    def _point(self) -> Any:
        wrong = self._wrong()
        return focus_field(FORM, wrong) if wrong else None

    @rx.event
    @for_bookers
    async def edit_vehicle(self, form: dict[str, Any]):
        """Keep what is typed. Another vehicle has to be sent again."""
        before = self.vehicle
        self._keep_vehicle(form)
        self.vehicle_given &= before == self.vehicle

    @rx.event
    @for_bookers
    async def submit_vehicle(self, form: dict[str, Any]):
        """Go on to the time."""
        vehicle = self._check_vehicle(form)
        if vehicle is None:
            return self._point_at_vehicle()
        self._car, self.car_name = car_of(vehicle), f"{vehicle.title}, {vehicle.license_plate}"
        self.vehicle_given = True
        self._forget_price()
        return rx.redirect(routes.ONE_TIME_FILL_SCHEDULE)

    @rx.event
    @for_bookers
    def schedule(self, form: dict[str, Any]):
        """Hold the window, and go on to the payment."""
        return self._press(self._hold, lambda: routes.ONE_TIME_FILL_PAYMENT)

    @rx.event
    @for_bookers
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
    @for_bookers
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
    @for_bookers
    async def use_test_card(self):
        """Turn the switch that stands for a card."""
        self.has_card = self.may_test_card and not self.has_card

    @rx.event
    @for_bookers
    def book(self, form: dict[str, Any]):
        """Book. Whatever goes wrong is said above the button, and everything stays as it is."""
        return self._press(self._book, lambda: self._booked, form)

    async def _book(self) -> None:
        if self._booked:
            return
        if self._guest is None:
            raise Refusal(NO_SLOT)
        if not self.accepts_terms:
            raise Refusal(ACCEPT)
        booked = await booking.book_guest(
            self._guest,
            self._request(),
            key=self._key,
            seen=await self._agreed(),
            hold_id=self._made_hold_id,
            address=self.router.session.client_ip,
            test_card=self.has_card,
        )
        await self._say_booked(booked, routes.manage(booking.manage_token(booked)))

    def _request(self) -> Request:
        return Request(self.slot, self._car or "", self._place or "")

    async def _offered(self) -> Iterable[SlotDay]:
        zip_code = self._place.zip_code if self._place else ""
        return await slots.offered(None, zip_code, hold_id=self._made_hold_id)

    async def _estimated(self) -> Estimate:
        return await booking.estimate_guest(self._request())

    async def _refuse(self, refusal: Refusal) -> None:
        await PlaceStep._refuse(self, refusal)
        if isinstance(refusal, NeedsCard):
            self.way = ""

    async def _prefill_waitlist(self, zip_code: str) -> None:
        await self._fill_waitlist_in(self.contact, zip_code)
