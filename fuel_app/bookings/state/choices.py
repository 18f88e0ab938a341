"""A customer's own vehicles and places in the wizard: chosen, or typed and saved."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app import routes
from fuel_app.accounts.state.session import actor_of
from fuel_app.bookings.rules.bookings import Car, Place, PlaceGone
from fuel_app.bookings.rules.typed import car_of, place_of
from fuel_app.bookings.service.scheduling import Beginning
from fuel_app.bookings.state.cards import Choice
from fuel_app.bookings.state.places import PinNeeded, PlaceStep
from fuel_app.bookings.state.preview import ScheduleState
from fuel_app.bookings.state.slots import Quote
from fuel_app.customers.rules.places import NEW_PLACE, PlaceForm
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.customers.service import places, vehicles
from fuel_app.customers.state.customer import for_own
from fuel_app.customers.state.vehicles import VehicleFields
from fuel_app.kit.errors import Refusal

NEW, GUEST = "new", "guest"  # the form that is open


class OwnVehicles(VehicleFields, Quote, mixin=True):
    """The first step."""

    vehicle: dict[str, str] = OwnVehicle.start()
    vehicle_errors: dict[str, str] = OwnVehicle.blank()
    vehicles: list[Choice] = []
    vehicle_id: str = ""
    adding: str = ""
    has_guest_fill: bool = False
    vehicle_given: bool = False

    _vehicle_form: ClassVar = "fill-up-vehicle"
    _vehicle_rules: ClassVar = OwnVehicle
    _car: Car | None = None  # that is not registered

    @for_own
    async def choose_vehicle(self, vehicle_id: str):
        """Pick one of the customer's vehicles."""
        if vehicle_id in [vehicle.id for vehicle in self.vehicles]:
            self.vehicle_id, self._car = vehicle_id, None
            self._forget_price()

    @for_own
    async def add_vehicle(self, form: str):
        """Open the form for a vehicle that is saved, or for one that a guest fill is for."""
        if form in ("", NEW) or (form == GUEST and self.has_guest_fill):
            self.adding, self._car = form if self.vehicles or form else NEW, None
            self._clear()

    @for_own
    async def submit_vehicle(self, form: dict[str, Any]):
        """Go on to the place, with a chosen or a typed vehicle."""
        self._clear()
        vehicle = self._check_vehicle(form) if self.adding else None
        if self.adding and vehicle is None:
            return self._point_at_vehicle()
        self.vehicle_given = await self._try(self._take(vehicle))
        return rx.redirect(routes.SCHEDULE_LOCATION) if self.vehicle_given else None

    async def _take(self, vehicle: OwnVehicle | None) -> None:
        """Save a typed vehicle, or keep it for this booking alone."""
        self._forget_price()
        if vehicle is None:
            if not self.vehicle_id and self._car is None:
                raise Refusal("Please choose a vehicle.")
        elif self.adding == GUEST:
            self._car, self.vehicle_id, self.car_name = car_of(vehicle), "", vehicle.title
        else:
            person_id = (await actor_of(self)).person_id
            self.vehicle_id, self._car = await vehicles.save(person_id, vehicle), None
            self._open_vehicle(None)
            self.adding = ""

    def _show_vehicles(self, now: Beginning) -> None:
        """Show what is registered now; the one that was booked last is chosen at first."""
        self.vehicles = [Choice.of_vehicle(vehicle) for vehicle in now.vehicles]
        self.has_guest_fill = now.has_guest_fill
        known = {vehicle.id: vehicle for vehicle in now.vehicles}
        if self._car is None and self.vehicle_id not in known:
            self.vehicle_given = False
            only = next(iter(known)) if len(known) == 1 else ""
            self.vehicle_id = now.last_car if now.last_car in known else only
        self.adding = self.adding or ("" if known else NEW)
        if car := known.get(self.vehicle_id):
            self.car_name = f"{car.title}, {car.license_plate}"


class OwnPlaces(PlaceStep, mixin=True):
    """The second step."""

    places: list[Choice] = []
    place_id: str = ""
    adding_place: bool = False
    save_address: bool = True
    place_given: bool = False

    _place_form: ClassVar = "fill-up-place"
    _place: Place | None = None  # that is not saved
    _zip_code: str = ""

    @for_own
    async def choose_place(self, place_id: str):
        """Pick one of the customer's saved places."""
        if place_id in [place.id for place in self.places]:
            self.place_id, self._place, self.place_given = place_id, None, False
            self._forget_price()

    @for_own
    async def add_place(self, adding: bool):
        """Open or leave the form for another address."""
        self.adding_place = adding is True or not self.places
        self._clear()

    @for_own
    async def keep_address(self, keep: bool):
        """Set whether the typed address is saved."""
        self.save_address = keep is True

    @for_own
    def submit_place(self, form: dict[str, Any]):
        """Go on to the time, with a chosen or a typed place."""
        return self._press(lambda: self._use_place(form), lambda: routes.SCHEDULE_TIME)

    def _point(self) -> Any:
        return self._point_at_place() if any(self.place_errors.values()) else None

    async def _use_place(self, form: object) -> None:
        person_id = (await actor_of(self)).person_id
        self.place_given = False
        self._forget_price()
        if self.adding_place:
            await self._use_typed(form, person_id)
        else:
            await self._use_saved(person_id)
        self.place_given = True

    async def _use_typed(self, form: object, person_id: str) -> None:
        self.place, self.place_errors = PlaceForm.typed(form), PlaceForm.blank()
        typed = PlaceForm.parse(form)
        (await self.get_state(ScheduleState))._keep_notes({"notes": typed.notes})
        at = await self._locate(typed, person_id)
        if self.save_address:
            saved = await places.save(person_id, typed, pin=at)
            self.place_id, self._place = saved.id, None
            self.adding_place, self.place, self.pin = False, dict(NEW_PLACE), []
        else:
            self.place_id, self._place = "", place_of(typed, at)

    async def _use_saved(self, person_id: str) -> None:
        known = await places.find(person_id, self.place_id)
        if known is None:
            raise PlaceGone if self.place_id else Refusal("Please choose an address.")
        if known.is_approximate:
            if self._at is None or self._at_of != known.id:
                self._at, self._at_of, self.pin = None, known.id, [known.lat, known.lng]
                self._at_zip = known.zip_code
                raise PinNeeded
            await places.set_pin(person_id, known.id, self._at.lat, self._at.lng)
        self._at, self._at_of, self.pin = None, "", []

    async def _show_places(self, now: Beginning) -> None:
        """Show what is saved now; the default is chosen at first."""
        self.places = [Choice.of_place(place) for place in now.places]
        known = {place.id: place for place in now.places}
        if self._place is None and self.place_id not in known:
            self.place_given = False
            self.place_id = next(iter(known), "")
        if not known and not self.adding_place:
            self.adding_place = True
            notes = (await self.get_state(ScheduleState)).notes
            self.place = self.place | {"notes": self.place["notes"] or notes}
        if place := known.get(self.place_id):
            self.place_name, self._zip_code = place.label, place.zip_code
        elif self._place:
            self.place_name, self._zip_code = self._place.line, self._place.zip_code
