"""A guest's way to one fill: contact with the place, vehicle, time, payment."""

import uuid
from collections.abc import Iterable
from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import Answer, SessionState
from fuel_app.areas.service import company
from fuel_app.billing.service import cards, visits
from fuel_app.billing.state.cards import back_to, come_back
from fuel_app.bookings.rules.bookings import Car, NeedsCard, Place, Request
from fuel_app.bookings.rules.estimates import Estimate
from fuel_app.bookings.rules.slots import SlotDay
from fuel_app.bookings.rules.typed import GuestContact, car_of, place_of
from fuel_app.bookings.service import booking, reading, slots
from fuel_app.bookings.state.holding import Holding
from fuel_app.bookings.state.places import PlaceStep
from fuel_app.bookings.state.slots import NO_SLOT, for_bookers
from fuel_app.customers.rules.places import PlaceForm
from fuel_app.customers.rules.vehicles import GuestVehicle
from fuel_app.customers.state.customer import CustomerScreen
from fuel_app.customers.state.vehicles import VehicleFields
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.wizard import start_at

FORM = "guest"
ACCEPT = "Please accept the terms to go on."


class GuestFillState(CustomerScreen, VehicleFields, PlaceStep, Holding, rx.State):
    """One tab's booking of a guest; everything typed stays until it is made."""

    vehicle: dict[str, str] = GuestVehicle.start()
    vehicle_errors: dict[str, str] = GuestVehicle.blank()
    contact: dict[str, str] = GuestContact.blank()
    contact_errors: dict[str, str] = GuestContact.blank()
    accepts_terms: bool = False
    terms_error: str = ""
    contact_given: bool = False
    vehicle_given: bool = False
    card: str = ""  # 'Visa ending in 4242'

    _vehicle_form: ClassVar = "guest-vehicle"
    _vehicle_rules: ClassVar = GuestVehicle
    _place_form: ClassVar = FORM
    _guest: GuestContact | None = None
    _car: Car | None = None
    _place: Place | None = None
    _payer_key: str = ""

    async def _admit(self) -> Answer:
        """Admit anyone once the company is open. A signed-in person's screen is theirs alone."""
        if not await company.is_open():
            return ()
        session = await (await self.get_state(SessionState))._look()
        self._is_private = bool(session and not session.is_shared)
        return None

    @for_bookers
    async def arrive(self):
        """Open a step, or redirect to the first incomplete one. After a booking it begins anew."""
        self._forget_booked()
        self._clear()
        back = await come_back(self, lambda visit: visits.finish_guest(self._payer_key, visit))
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
            self.card = (await cards.on_guests_file(self._payer_key)).name
            self.has_card = self.card != ""
            await self._update_price()
        self.ready = True
        return back

    @for_bookers
    async def edit_contact(self, form: dict[str, Any]):
        """Keep what is typed. Another contact or place has to be sent again."""
        before = self.contact, self.place
        self.contact = GuestContact.typed(form)
        self.contact_errors = GuestContact.recheck(self.contact_errors, self.contact)
        self._keep_place(form)
        self.contact_given &= before == (self.contact, self.place)

    @for_bookers
    async def accept_terms(self, accepts: bool):
        """Accept the terms, or not; without them nothing is booked."""
        self.accepts_terms, self.terms_error = accepts is True, ""
        self.contact_given &= self.accepts_terms

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

    @for_bookers
    async def edit_vehicle(self, form: dict[str, Any]):
        """Keep what is typed. Another vehicle has to be sent again."""
        before = self.vehicle
        self._keep_vehicle(form)
        self.vehicle_given &= before == self.vehicle

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

    @for_bookers
    def schedule(self, form: dict[str, Any]):
        """Hold the window, and go on to the payment."""
        return self._press(self._hold, lambda: routes.ONE_TIME_FILL_PAYMENT)

    async def _hold(self) -> None:
        if self._place is None or self._car is None:
            raise Refusal(NO_SLOT)
        await super()._hold()

    async def _begin_card(self) -> str:
        if self._guest is None:
            raise Refusal(NO_SLOT)
        self._payer_key = self._payer_key or str(uuid.uuid4())
        return await visits.begin_guest(
            self._payer_key,
            name=f"{self._guest.first_name} {self._guest.last_name}",
            email=self._guest.email,
            address=self.router.session.client_ip,
            back=back_to(self),
        )

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
            payer_key=self._payer_key,
        )
        mailed = f". The link to this page is on its way to {self._guest.email}"
        await self._say_booked(booked, routes.manage(reading.manage_token(booked)), mailed)

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
            self.card, self.has_card = "", False

    async def _prefill_waitlist(self, zip_code: str) -> None:
        await self._fill_waitlist_in(self.contact, zip_code)
