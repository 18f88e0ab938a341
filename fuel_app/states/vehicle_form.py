"""A vehicle being filled in: part of every state that has such a form."""

from collections.abc import Mapping
from typing import Any, ClassVar

import reflex as rx

from fuel_app.domain import photos, vehicles
from fuel_app.domain.vehicles import FIELDS, Vehicle, VehicleForm, Wording
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.forms import is_right, looked_at_again, typed

BLANK = dict.fromkeys(FIELDS, "")


class VehicleFields(rx.State, mixin=True):
    """What was typed, what is wrong with it, and the photo. Survives closing and reloading."""

    vehicle: dict[str, str] = BLANK
    vehicle_errors: dict[str, str] = BLANK
    photo: str = ""  # a `data:` address

    _vehicle_form: ClassVar[str]  # the form's id, for focus
    _wording: ClassVar[Wording] = vehicles.ACCOUNT

    @rx.var
    def models(self) -> list[str]:
        """The models of the chosen make."""
        return list(vehicles.models(self.vehicle["make"]))

    @rx.event
    def edit_vehicle(self, form: VehicleForm):
        """Keep what is typed. A model of another make is forgotten with its make."""
        if not isinstance(form, Mapping):
            return
        self.vehicle = typed(form, FIELDS)
        if self.vehicle["model"] not in vehicles.models(self.vehicle["make"]):
            self.vehicle = self.vehicle | {"model": ""}
        rules = vehicles.cleaners(self.vehicle, self._wording)
        self.vehicle_errors = looked_at_again(self.vehicle_errors, self.vehicle, rules)

    @rx.event
    def leave_vehicle(self, _field: str, form: VehicleForm):
        """The focus leaves a field: no need to wait for a pause in typing."""
        self.edit_vehicle(form)  # type: ignore[operator] (an event is a function here)

    @rx.event
    def keep_photo(self, photo: str):
        """The page has had its photo made small, or somebody sends anything."""
        self.photo = photos.kept(photo) or self.photo

    @rx.event
    def remove_photo(self):
        self.photo = ""

    def _open_vehicle(self, vehicle: Vehicle | None = None) -> None:
        """Start with this vehicle, or with an empty form."""
        self.vehicle = {field: getattr(vehicle, field, "") for field in FIELDS}
        self.photo = vehicle.image if vehicle else ""
        self.vehicle_errors = BLANK

    def _vehicle_is_right(self) -> bool:
        return is_right(self.vehicle, vehicles.cleaners(self.vehicle, self._wording))

    def _check_vehicle(self, form: object, **more: Any) -> Vehicle | None:
        """The vehicle with its photo if the form is right; else its messages show."""
        self.vehicle = typed(form, FIELDS)
        try:
            vehicle = Vehicle.parse(self.vehicle, wording=self._wording, image=self.photo, **more)
        except InvalidForm as error:
            self.vehicle_errors = BLANK | error.messages
            return None
        self.vehicle_errors = BLANK
        return vehicle

    def _point_at_vehicle(self) -> Any:
        """Send the focus to the first field that is not right."""
        first = next(field for field in FIELDS if self.vehicle_errors[field])
        return rx.set_focus(f"{self._vehicle_form}-{first}")
