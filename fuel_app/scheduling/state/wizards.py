"""The two wizards that book: a customer's (vehicle, place, time) and a guest's (with payment)."""

import uuid
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.state.session import Answer, SessionState, actor_of, session_of
from fuel_app.areas.rules.places import Located
from fuel_app.areas.service import company
from fuel_app.billing.service import cards
from fuel_app.billing.state.cards import back_to, come_back
from fuel_app.bookings.rules import bookings as refusals
from fuel_app.bookings.rules.bookings import (
    CARS_MOST,
    Car,
    GuestContact,
    Location,
    LocationGone,
    NeedsCard,
    NeedsPin,
    Request,
    VisitNote,
    car_of,
    location_of,
    ticked,
)
from fuel_app.bookings.rules.estimates import Estimate
from fuel_app.bookings.rules.slots import SlotDay, short_when
from fuel_app.bookings.service import access, bookings, slots
from fuel_app.bookings.service.access import WizardChoices
from fuel_app.bookings.service.slots import FirstOffer
from fuel_app.bookings.state.cards import Choice
from fuel_app.bookings.state.slots import NO_SLOT, WAITLIST, HeldSlot, PricedSlots, for_bookers
from fuel_app.bookings.state.waiting import WaitingSlots
from fuel_app.customers.rules.locations import NEW_LOCATION, LocationForm, NotDelivered
from fuel_app.customers.rules.vehicles import GuestVehicle, OwnVehicle
from fuel_app.customers.service import locations, vehicles
from fuel_app.customers.state.customer import CustomerScreen, CustomerState, check_own, for_own
from fuel_app.customers.state.locations import OwnLocationFields
from fuel_app.customers.state.vehicles import OwnVehicleFields
from fuel_app.joining.state import WaitlistState, ZipForm
from fuel_app.kit.contact import is_zip_code
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import typed
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState
from fuel_app.kit.ui.wizard import start_at
from fuel_app.kit.words import and_list
from fuel_app.outcomes.service import checkouts

PIN_SET = "The pin is set."
NOT_HERE = "Join the waitlist and we write to you when we open there."


class PinNeeded(NeedsPin):
    """The pin is missing on the form that is open."""


class LocationStep(OwnLocationFields, PricedSlots, mixin=True):
    """An address form whose place is found on the map, or pinned by hand."""

    pin: list[float] = []  # latitude and longitude, once a pin is needed
    pin_note: str = ""
    is_outside: bool = False  # of every open area

    _at: Located | None = None
    _at_of: str = ""  # the address that it belongs to
    _at_zip: str = ""

    @for_bookers
    async def put_pin(self, lat: float, lng: float):
        """Keep where the car stands on the map."""
        if not self.pin:
            return
        try:
            self._at = await locations.check_pin(self._at_zip, lat, lng)
            self.pin, self.pin_note = [self._at.lat, self._at.lng], PIN_SET
        except Refusal as refusal:
            self.pin_note = str(refusal)

    @for_bookers
    async def join_waitlist(self):
        """Lead to the waitlist, filled in."""
        await self._prefill_waitlist(self.place["zip_code"])
        return rx.redirect(WAITLIST)

    async def _locate(self, typed: LocationForm, by: str) -> Located:
        """Return where a place is; `by` is a person's id or a network address, for the rate limit.

        Raises:
            InvalidForm, NotDelivered: If we do not fill there.
            PinNeeded: If its position is approximate and no pin was set.
        """
        self.is_outside, self.pin_note = False, ""
        await locations.check(typed)
        if self._at is None or self._at_of != typed.postal:
            self._at, self._at_of, self._at_zip, self.pin = None, typed.postal, typed.zip_code, []
            self._at = await locations.locate(typed, by=by)
        if self._at.is_approximate:
            self.pin = [self._at.lat, self._at.lng]
            raise PinNeeded
        return self._at

    async def _refuse(self, refusal: Refusal) -> None:
        """Show a refusal beside its field, or above the button."""
        if isinstance(refusal, InvalidForm):
            self._refuse_location(refusal)
        elif isinstance(refusal, NotDelivered):
            self._refuse_location(InvalidForm({"zip_code": str(refusal)}))
            self.is_outside = True
        elif isinstance(refusal, PinNeeded):
            self.pin_note = str(refusal)
        else:
            await PricedSlots._refuse(self, refusal)

    async def _fill_waitlist_in(self, contact: dict[str, Any], zip_code: str) -> None:
        """Fill the waitlist in with what is known, and let it say why it opens."""
        reason = f"We do not deliver to {zip_code} yet. {NOT_HERE}"
        await (await self.get_state(WaitlistState))._prefill(contact, zip_code, reason)


class LocationNotesState(CustomerScreen, rx.State):
    """The notes on how to find the car, which the browser keeps from one booking to the next."""

    notes: str = rx.LocalStorage("", name="scheduling-notes")

    def _keep(self, form: object) -> None:
        self.notes = typed(form, ["notes"])["notes"]

    def _kept(self) -> str:
        """Return the notes; what a browser holds may be anything."""
        self._keep({"notes": self.notes})
        return self.notes


NEW, GUEST = "new", "guest"  # the form that is open
NEXT_BUTTON = "fill-up-next"


def name_of_cars(cars: Sequence[OwnVehicle]) -> str:
    """Return the cars of a visit: '2020 Toyota Camry, GUL 123', '2 cars: ... and ...'."""
    if len(cars) == 1:
        return f"{cars[0].title}, {cars[0].license_plate}"
    return f"{len(cars)} cars: {and_list([each.title for each in cars])}" if cars else ""


class FillUpState(CustomerScreen, OwnVehicleFields, LocationStep, WaitingSlots, rx.State):
    """A customer's steps: vehicle, place, time. Its key lets a second press find the booking."""

    vehicle: dict[str, str] = OwnVehicle.start()
    vehicle_errors: dict[str, str] = OwnVehicle.blank()
    vehicles: list[Choice] = []
    vehicle_ids: list[str] = []  # the chosen ones, in the order in which they take fills
    may_add: bool = True  # there is room for another car
    adding: str = ""
    has_guest_fill: bool = False
    vehicle_given: bool = False

    _vehicle_form: ClassVar = "fill-up-vehicle"
    _vehicle_rules: ClassVar = OwnVehicle
    _car: Car | None = None  # that is not registered

    places: list[Choice] = []
    place_id: str = ""
    adding_location: bool = False
    save_address: bool = True
    location_given: bool = False
    visit_note: str = ""  # for a saved place, on this visit alone

    _location_form: ClassVar = "fill-up-place"
    _place: Location | None = None  # that is not saved
    _notes: dict[str, str] = {}  # of the saved places
    _zip_code: str = ""

    async def _admit(self) -> Answer:
        return await check_own(self)

    @for_own
    async def arrive(self):
        """Open a step, or redirect to the first incomplete one. After a booking it begins anew."""
        if made := self._forget_booked():
            return made
        self._clear()
        if (await self.get_state(SessionState)).is_only_staff:
            return rx.redirect(routes.DASHBOARD, replace=True)
        person_id = (await session_of(self)).person_id
        back = await come_back(self, lambda visit: checkouts.finish_checkout(person_id, visit))
        self._reopens = back is not None
        self.is_down = not await self._try(self._begin())
        if self.is_down:
            self.ready = True
            return back
        if self._asked_window():
            await self._choose_as_before()
        steps = (
            (routes.SCHEDULE, self.vehicle_given),
            (routes.SCHEDULE_LOCATION, self.location_given),
            (routes.SCHEDULE_TIME, False),
        )
        here = self.router.url.path
        if instead := start_at(here, steps):
            return rx.redirect(instead, replace=True)
        if here.rstrip("/") == routes.SCHEDULE_TIME:
            self._count_down()
            await self._open_slots()
        self.ready = True
        return back

    @for_own
    def schedule(self, form: dict[str, Any]):
        """Book. Whatever goes wrong is said above the button, and everything stays as it is."""
        return self._press(self._book, lambda: self._booked, form)

    async def _book(self) -> None:
        if self._booked:
            return
        seen = await self._agreed()
        by, asked = await actor_of(self), self._request()
        hold_id = self._made_hold_id
        booked = await bookings.book(by, asked, key=self._key, seen=seen, hold_id=hold_id)
        await self._say_booked(booked, routes.booking(booked.id))

    async def _begin(self) -> None:
        """Show the customer's vehicles and places as they are now."""
        now = await access.wizard_choices(await actor_of(self))
        self.has_card = now.has_card
        self._show_vehicles(now)
        await self._show_locations(now)

    async def _choose_as_before(self) -> None:
        """Take the cars that are ticked and the first place, on the way to an offered window."""
        self.vehicle_given = self.vehicle_given or len(self.vehicle_ids) > 0
        if not self.location_given and self.place_id:
            self.location_given = await self._try(self._use_saved(await self._booker()))

    async def _by(self) -> Actor:
        return await actor_of(self)

    async def _booker(self) -> str:
        return (await actor_of(self)).person_id

    async def _begin_card(self) -> str:
        return await cards.begin_checkout(await self._booker(), back_to(self))

    def _request(self) -> Request:
        cars = (self._car,) if self._car else tuple(self.vehicle_ids)
        place, notes = self._place or self.place_id, None if self._place else self.visit_note
        return Request(self.slot, cars, place, notes=notes)

    async def _offered(self) -> Iterable[SlotDay]:
        by, hold_id = await actor_of(self), self._made_hold_id
        return await slots.offered(by, self._zip_code, hold_id=hold_id)

    async def _estimated(self) -> Estimate:
        return await bookings.estimate_fill(await actor_of(self), self._request())

    async def _refuse(self, refusal: Refusal) -> None:
        await LocationStep._refuse(self, refusal)
        if isinstance(refusal, refusals.CarGone | refusals.LocationGone | refusals.NeedsCard):
            said = self.refusal
            await self._try(self._begin())  # as it is now, without what is gone
            self.refusal = said
        if isinstance(refusal, refusals.CarGone):
            self.way, self.way_to = "Choose a vehicle", routes.SCHEDULE
        if isinstance(refusal, refusals.CarBooked):
            self.way, self.way_to = "See that booking", routes.booking(refusal.booking_id)
        if isinstance(refusal, refusals.LocationGone | refusals.SpotRefused | refusals.NeedsPin):
            self.way, self.way_to = "Choose an address", routes.SCHEDULE_LOCATION

    async def _prefill_waitlist(self, zip_code: str) -> None:
        own = (await (await self.get_state(CustomerState))._opened.read()).personal
        await self._fill_waitlist_in(own.model_dump(), zip_code)

    @for_own
    async def choose_vehicle(self, vehicle_id: str, is_chosen: bool):
        """Pick one of the customer's vehicles, or leave it out; a visit has room for four."""
        known = [vehicle.id for vehicle in self.vehicles]
        if vehicle_id not in known:
            return
        self._choose_cars(ticked(known, self.vehicle_ids, vehicle_id, is_chosen is True))
        self._car = None
        self._forget_price()

    def _choose_cars(self, vehicle_ids: Iterable[str]) -> None:
        self.vehicle_ids = list(vehicle_ids)
        self.may_add = len(self.vehicle_ids) < CARS_MOST

    @for_own
    async def add_vehicle(self, form: str):
        """Open the form for a vehicle that is saved, or for one that a guest fill is for."""
        if form in ("", NEW) or (form == GUEST and self.has_guest_fill):
            self.adding, self._car = form if self.vehicles or form else NEW, None
            self._clear()

    @for_own
    async def submit_vehicle(self, form: dict[str, Any]):
        """Go on to the place, with chosen vehicles or a typed one.

        Where there are others the saved one joins the chosen ones, and the list is shown again.
        """
        self._clear()
        vehicle = self._check_vehicle(form) if self.adding else None
        if self.adding and vehicle is None:
            return self._point_at_vehicle()
        joins_others = self.adding == NEW and len(self.vehicles) > 0
        taken = await self._try(self._take(vehicle))
        if taken and joins_others:
            await self._try(self._begin())
            return rx.set_focus(NEXT_BUTTON)
        self.vehicle_given = taken
        return rx.redirect(routes.SCHEDULE_LOCATION) if taken else None

    async def _take(self, vehicle: OwnVehicle | None) -> None:
        """Save a typed vehicle, or keep it for this booking alone."""
        self._forget_price()
        if vehicle is None:
            if not self.vehicle_ids and self._car is None:
                raise Refusal("Please choose a vehicle.")
        elif self.adding == GUEST:
            self._car, self.car_name = car_of(vehicle), vehicle.title
            self._choose_cars(())
        else:
            person_id = (await actor_of(self)).person_id
            saved, chosen = await vehicles.save(person_id, vehicle), self.vehicle_ids
            self._choose_cars((*chosen[: CARS_MOST - 1], saved))
            self._car, self.adding = None, ""
            self._open_vehicle(None)

    def _show_vehicles(self, now: WizardChoices) -> None:
        """Show what is registered now; those that were booked last are chosen at first."""
        self.vehicles = [Choice.of_vehicle(vehicle) for vehicle in now.vehicles]
        self.has_guest_fill = now.has_guest_fill
        known = {vehicle.id: vehicle for vehicle in now.vehicles}
        chosen = [each for each in self.vehicle_ids if each in known]
        if self._car is None and (not chosen or len(chosen) < len(self.vehicle_ids)):
            self.vehicle_given = False
        if self._car is None and not chosen:
            last = [each for each in now.last_cars if each in known]
            chosen = last or (list(known) if len(known) == 1 else [])
        self._choose_cars(chosen)
        self.adding = self.adding or ("" if known else NEW)
        if self._car is None:
            self.car_name = name_of_cars([known[each] for each in chosen])

    @for_own
    async def choose_location(self, place_id: str):
        """Pick one of the customer's saved places."""
        if place_id in [place.id for place in self.places]:
            self.place_id, self._place, self.location_given = place_id, None, False
            self.visit_note = self._notes.get(place_id, "")
            self._forget_price()

    @for_own
    async def add_location(self, adding: bool):
        """Open or leave the form for another address."""
        self.adding_location = adding is True or not self.places
        self._clear()

    @for_own
    async def keep_address(self, keep: bool):
        """Set whether the typed address is saved."""
        self.save_address = keep is True

    @for_own
    def submit_location(self, form: dict[str, Any]):
        """Check the chosen or typed location and open the time step."""
        return self._press(lambda: self._use_location(form), lambda: routes.SCHEDULE_TIME)

    def _point(self) -> Any:
        return self._point_at_location() if any(self.location_errors.values()) else None

    async def _use_location(self, form: object) -> None:
        person_id = (await actor_of(self)).person_id
        self.location_given = False
        self._forget_price()
        if self.adding_location:
            await self._use_typed(form, person_id)
        else:
            self.visit_note = VisitNote.parse(form).notes
            await self._use_saved(person_id)
        self.location_given = True

    async def _use_typed(self, form: object, person_id: str) -> None:
        self.place, self.location_errors = LocationForm.typed(form), LocationForm.blank()
        location = LocationForm.parse(form)
        (await self.get_state(LocationNotesState))._keep({"notes": location.notes})
        at = await self._locate(location, person_id)
        if self.save_address:
            saved = await locations.save(person_id, location, pin=at)
            self.place_id, self._place, self.visit_note = saved.id, None, saved.notes
            self.adding_location, self.place, self.pin = False, dict(NEW_LOCATION), []
        else:
            self.place_id, self._place = "", location_of(location, at)

    async def _use_saved(self, person_id: str) -> None:
        known = await locations.find(person_id, self.place_id)
        if known is None:
            raise LocationGone if self.place_id else Refusal("Please choose an address.")
        if known.is_approximate:
            if self._at is None or self._at_of != known.id:
                self._at, self._at_of, self.pin = None, known.id, [known.lat, known.lng]
                self._at_zip = known.zip_code
                raise PinNeeded
            await locations.set_pin(person_id, known.id, self._at.lat, self._at.lng)
        self._at, self._at_of, self.pin = None, "", []

    async def _show_locations(self, now: WizardChoices) -> None:
        """Show what is saved now; the default is chosen at first."""
        self.places = [Choice.of_place(place) for place in now.places]
        known = {place.id: place for place in now.places}
        self._notes = {place.id: place.notes for place in now.places}
        if self._place is None and self.place_id not in known:
            self.location_given = False
            self.place_id = next(iter(known), "")
            self.visit_note = self._notes.get(self.place_id, "")
        if not known and not self.adding_location:
            self.adding_location = True
            notes = (await self.get_state(LocationNotesState))._kept()
            known_before = {"notes": notes, "zip_code": now.zip_code}
            self.place |= {name: self.place[name] or text for name, text in known_before.items()}
        if place := known.get(self.place_id):
            self.location_name, self._zip_code = place.label, place.zip_code
        elif self._place:
            self.location_name, self._zip_code = self._place.line, self._place.zip_code


GUEST_FORM, OFFER_FORM = "guest", "guest-zip"
BOOK_BUTTON = "guest-book"
ACCEPT = "Please accept the terms to go on."


def _offer_text(zip_code: str, offer: FirstOffer) -> str:
    price = f"regular is {offer.regular} a gallon today. " if offer.regular else ""
    free = f"The next free time is {offer.next_free}." if offer.next_free else ""
    said = f"{price}{free or 'All times are taken just now.'}"
    return f"In {zip_code}, {said[:1].lower()}{said[1:]}"


class GuestFillState(CustomerScreen, OwnVehicleFields, LocationStep, HeldSlot, rx.State):
    """One tab's booking of a guest; everything typed stays until it is made."""

    vehicle: dict[str, str] = GuestVehicle.start()
    vehicle_errors: dict[str, str] = GuestVehicle.blank()
    contact: dict[str, str] = GuestContact.blank()
    contact_errors: dict[str, str] = GuestContact.blank()
    accepts_terms: bool = False
    terms_error: str = ""
    contact_given: bool = False
    vehicle_given: bool = False
    first_car: str = ""  # its name, while a second one is typed
    card: str = ""  # 'Visa ending in 4242'
    offer: str = ""  # what fuel costs in the typed ZIP, and when the next window is free
    offer_error: str = ""
    edition: int = 0  # the address starts anew when it rises
    is_desk: bool = False  # staff book for a caller, who is mailed the link to add a card

    _vehicle_form: ClassVar = "guest-vehicle"
    _vehicle_rules: ClassVar = GuestVehicle
    _location_form: ClassVar = GUEST_FORM
    _guest: GuestContact | None = None
    _first: Car | None = None
    _car: Car | None = None
    _place: Location | None = None
    _payer_key: str = ""
    _offer_in: str = ""  # the ZIP that the offer is of

    async def _admit(self) -> Answer:
        """Admit anyone once the company is open. A signed-in person's screen is theirs alone."""
        if not await company.is_open():
            return ()
        session = await (await self.get_state(SessionState))._find()
        self._is_private = bool(session and not session.is_shared)
        self.is_desk = bool(session and session.actor.may(Role.DISPATCHER))
        return None

    @for_bookers
    async def arrive(self):
        """Open a step, or redirect to the first incomplete one. After a booking it begins anew."""
        reopens = self._reopens
        if made := self._forget_booked():
            return made
        self._clear()
        back = await come_back(
            self, lambda visit: checkouts.finish_guest_checkout(self._payer_key, visit)
        )
        self._reopens = back is not None
        steps = (
            (routes.ONE_TIME_FILL, self.contact_given),
            (routes.ONE_TIME_FILL_VEHICLE, self.vehicle_given),
            (routes.ONE_TIME_FILL_SCHEDULE, self._until is not None),
            (routes.ONE_TIME_FILL_PAYMENT, False),
        )
        here = self.router.url.path
        if instead := start_at(here, steps):
            return rx.redirect(instead, replace=True)
        if here.rstrip("/") == routes.ONE_TIME_FILL:
            self._offer_in = ""  # price and times as they are now
            await self._show_offer()
        elif here.rstrip("/") == routes.ONE_TIME_FILL_SCHEDULE:
            await self._open_slots()
        elif here.rstrip("/") == routes.ONE_TIME_FILL_PAYMENT:
            self._count_down()
            self.card = (await cards.on_guests_file(self._payer_key)).name
            self.has_card = self.card != ""
            await self._update_price()
        self.ready = True
        # After the card the last press is in sight.
        return back or (rx.set_focus(BOOK_BUTTON) if reopens and self.has_card else None)

    @for_bookers
    async def begin_anew(self):
        """Forget what was typed for another caller, and open the first step."""
        self._start_over()
        return rx.redirect(routes.ONE_TIME_FILL)

    @for_bookers
    async def check_zip(self, form: dict[str, Any]):
        """Say what fuel costs in a ZIP, and when we can come, before anything else is asked."""
        try:
            zip_code = ZipForm.parse(form).zip_code
        except InvalidForm as error:
            self.offer_error = error.messages["zip_code"]
            return focus_field(OFFER_FORM, "zip_code")
        self.place, self.edition = self.place | {"zip_code": zip_code}, self.edition + 1
        await self._show_offer()
        return focus_field(OFFER_FORM, "zip_code") if self.offer_error else None

    async def _show_offer(self) -> None:
        """Show the offer of the ZIP that is typed; nothing of one that is not complete."""
        zip_code = self.place["zip_code"].strip()
        if zip_code == self._offer_in:
            return
        self._offer_in, self.offer, self.offer_error = zip_code, "", ""
        if not is_zip_code(zip_code):
            return
        try:
            self.offer = _offer_text(zip_code, await slots.first_offer(zip_code))
        except Refusal as refusal:
            self.offer_error = str(refusal)
            self.is_outside = isinstance(refusal, refusals.OutsideArea)

    @for_bookers
    async def edit_contact(self, form: dict[str, Any]):
        """Keep what is typed. Another contact or place has to be sent again."""
        before = self.contact, self.place
        self.contact = GuestContact.typed(form)
        self.contact_errors = GuestContact.recheck(self.contact_errors, self.contact)
        self._keep_location(form)
        self.contact_given &= before == (self.contact, self.place)
        await self._show_offer()

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
        self.contact, self.place = GuestContact.typed(form), LocationForm.typed(form)
        self.contact_errors = GuestContact.problems(self.contact)
        self.location_errors = LocationForm.problems(self.place)
        self.terms_error = "" if self.accepts_terms or self.is_desk else ACCEPT
        if self._wrong():
            raise InvalidForm(self.location_errors)
        typed = LocationForm.parse(self.place)
        at = await self._locate(typed, self.router.session.client_ip)
        self.contact_given = True
        self._guest, self._place = GuestContact.parse(self.contact), location_of(typed, at)
        self.location_name = typed.label
        self._forget_price()

    def _wrong(self) -> str:
        problems = {**self.contact_errors, **self.location_errors, "terms": self.terms_error}
        return next((field for field, message in problems.items() if message), "")

    def _point(self) -> Any:
        wrong = self._wrong()
        return focus_field(GUEST_FORM, wrong) if wrong else None

    @for_bookers
    async def edit_vehicle(self, form: dict[str, Any]):
        """Keep what is typed. Another vehicle has to be sent again."""
        before = self.vehicle
        self._keep_vehicle(form)
        self.vehicle_given &= before == self.vehicle

    @for_bookers
    async def submit_vehicle(self, form: dict[str, Any]):
        """Check the vehicle and open the time step."""
        self._clear()
        vehicle = self._check_vehicle(form)
        if vehicle is None:
            return self._point_at_vehicle()
        car, first = car_of(vehicle), self._first
        try:
            refusals.check_cars([first, car] if first else [car], is_guest=True)
        except Refusal as refusal:
            return await self._refuse(refusal)
        self._car, self.car_name = car, f"{vehicle.title}, {vehicle.license_plate}"
        if first:
            self.car_name = f"2 cars: {first.name} and {car.name}"
        self.vehicle_given = True
        self._forget_price()
        return rx.redirect(routes.ONE_TIME_FILL_SCHEDULE)

    @for_bookers
    async def add_car(self):
        """Keep the typed vehicle as the first of two, and open a form for the second."""
        if self._first:
            return None
        self._clear()
        vehicle = self._check_vehicle(self.vehicle)
        if vehicle is None:
            return self._point_at_vehicle()
        self._first, self.first_car = car_of(vehicle), f"{vehicle.title}, {vehicle.license_plate}"
        self._car, self.vehicle_given = None, False
        self._open_vehicle(None)
        return focus_field(self._vehicle_form, "make")

    @for_bookers
    async def remove_car(self):
        """Forget the first of two vehicles; the typed one stays."""
        self._first, self.first_car, self.vehicle_given = None, "", False
        self._clear()

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
        return await cards.begin_guest_checkout(
            self._payer_key,
            name=f"{self._guest.first_name} {self._guest.last_name}",
            email=self._guest.email,
            address=self.router.session.client_ip,
            back=back_to(self),
        )

    @for_bookers
    def book(self, form: dict[str, Any]):
        """Book. Whatever goes wrong is said above the button, and everything stays as it is."""
        return self._press(lambda: self._book(form), lambda: self._booked, form)

    async def _book(self, form: object) -> None:
        if self._booked:
            return
        if self._guest is None:
            raise Refusal(NO_SLOT)
        if self.is_desk:
            await self._book_for_caller(self._guest, typed(form, ["reason"])["reason"])
            return
        if not self.accepts_terms:
            raise Refusal(ACCEPT)
        seen = await self._agreed()
        booked = await bookings.book_guest(
            self._guest,
            self._request(),
            key=self._key,
            seen=seen,
            hold_id=self._made_hold_id,
            address=self.router.session.client_ip,
            payer_key=self._payer_key,
        )
        mailed = f". The link to this page is on its way to {self._guest.email}"
        await self._say_booked(booked, routes.manage(access.manage_token(booked)), mailed)

    async def _book_for_caller(self, guest: GuestContact, reason: str) -> None:
        """Book for a caller, as a guest's who adds the card by the mailed link."""
        seen = await self._agreed()  # it makes the key
        booked = await bookings.book_for_caller(
            await actor_of(self),
            guest,
            self._request(),
            key=self._key,
            seen=seen,
            hold_id=self._made_hold_id,
            address=self.router.session.client_ip,
            reason=reason,
        )
        self._keep_booked(routes.guest(booked.id))
        when = short_when(booked.starts_at, booked.ends_at)
        said = f"Booked for {when}. The link to add a card is on its way to {guest.email}"
        (await self.get_state(ToastState))._show(said, seconds=8)

    def _request(self) -> Request:
        cars = (self._first, self._car) if self._first else (self._car,)
        return Request(self.slot, tuple(filter(None, cars)), self._place or "")

    async def _offered(self) -> Iterable[SlotDay]:
        zip_code = self._place.zip_code if self._place else ""
        return await slots.offered(None, zip_code, hold_id=self._made_hold_id)

    async def _estimated(self) -> Estimate:
        return await bookings.estimate_fill(None, self._request())

    async def _refuse(self, refusal: Refusal) -> None:
        await LocationStep._refuse(self, refusal)
        if isinstance(refusal, NeedsCard):
            self.card, self.has_card = "", False

    async def _prefill_waitlist(self, zip_code: str) -> None:
        await self._fill_waitlist_in(self.contact, zip_code)
