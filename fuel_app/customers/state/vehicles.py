"""State of the vehicle forms and of the vehicles manager."""

from typing import Any, ClassVar

import reflex as rx

from fuel_app.accounts.state.session import Opening
from fuel_app.customers.rules import vehicles as garage
from fuel_app.customers.rules.vehicles import OwnVehicle, Vehicle
from fuel_app.customers.state.customer import (
    CustomerScreen,
    CustomerState,
    VehicleCard,
    for_customers,
    for_own,
)
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.ui.fields import focus_field
from fuel_app.kit.ui.toast import ToastState

BLANK = Vehicle.blank()


class VehicleFields(rx.State, mixin=True):
    """Typed text of a vehicle, whose models follow its make."""

    vehicle: dict[str, str] = BLANK

    _vehicle_rules: ClassVar[type[Vehicle]] = Vehicle

    @rx.var(deps=["vehicle"], auto_deps=False)
    def models(self) -> list[str]:
        """Return the models of the chosen make."""
        return list(self._rules_of_vehicle().models(self.vehicle["make"]))

    def _type_vehicle(self, form: object) -> None:
        """Keep what is typed. Clear the model when the make changes."""
        self.vehicle = self._rules_of_vehicle().typed(form)
        if self.vehicle["model"] not in self._rules_of_vehicle().models(self.vehicle["make"]):
            self.vehicle = self.vehicle | {"model": ""}

    def _rules_of_vehicle(self) -> type[Vehicle]:
        return self._vehicle_rules


class OwnVehicleFields(VehicleFields, mixin=True):
    """Typed text, messages and the photo; survives closing and reloading."""

    vehicle_errors: dict[str, str] = BLANK
    photo: str = ""  # a `data:` address

    _vehicle_form: ClassVar[str]  # the form's id, for focus

    @for_customers
    async def edit_vehicle(self, form: dict[str, Any]):
        """Keep what is typed."""
        self._keep_vehicle(form)

    def _keep_vehicle(self, form: object) -> None:
        """Keep what is typed; what was refused is checked again."""
        self._type_vehicle(form)
        rules = self._rules_of_vehicle()
        self.vehicle_errors = rules.recheck(self.vehicle_errors, self.vehicle)

    @for_customers
    async def keep_photo(self, photo: str):
        """Keep an uploaded photo; ignore a forged one."""
        self.photo = garage.check_photo(photo) or self.photo

    @for_customers
    async def remove_photo(self):
        self.photo = ""

    def _open_vehicle(self, vehicle: Vehicle | None = None) -> None:
        """Start with this vehicle, or with an empty form."""
        self.vehicle = vehicle.as_typed() if vehicle else self._rules_of_vehicle().start()
        self.photo = vehicle.image if vehicle else ""
        self.vehicle_errors = self._rules_of_vehicle().blank()

    def _vehicle_is_right(self) -> bool:
        return not any(self._rules_of_vehicle().problems(self.vehicle).values())

    def _check_vehicle(self, form: object, **more: Any) -> Any:
        """Return the vehicle with its photo, or show the messages and return None."""
        self.vehicle = self._rules_of_vehicle().typed(form)
        self.vehicle_errors = self._rules_of_vehicle().blank()
        try:
            return self._rules_of_vehicle().parse(self.vehicle, image=self.photo, **more)
        except InvalidForm as error:
            self.vehicle_errors = self.vehicle_errors | error.messages
            return None

    def _point_at_vehicle(self) -> Any:
        """Return an event that focuses the first invalid field."""
        first = next(field for field, message in self.vehicle_errors.items() if message)
        return focus_field(self._vehicle_form, first)


FORM = "vehicle"
UNDO_BUTTON = "vehicle-undo"
ADD_BUTTON = "vehicle-add"


class VehiclesState(CustomerScreen, Opening, OwnVehicleFields, rx.State):
    """The form of the dialog, and the vehicle that was deleted last."""

    editing: str = ""  # the vehicle's id; empty while one is added
    refusal: str = ""
    removed: str = ""  # what it was called

    _vehicle_form: ClassVar = FORM
    _is_own: bool = False  # a signed-in customer's, which asks for all that a fill needs
    _removed: tuple[Vehicle, int] | None = None  # with its place

    @for_customers
    async def add(self):
        """Open an empty form."""
        await self._show(None)

    @for_customers
    async def change(self, vehicle_id: str):
        """Open the form on one of the vehicles."""
        customer = await (await self.get_state(CustomerState))._opened.read()
        if known := garage.find_vehicle(customer.vehicles, vehicle_id):
            await self._show(known)

    @for_customers
    async def show(self, opened: bool):
        """Handle the dialog's closing."""
        if opened is not True:
            self._close()

    @for_customers
    async def save(self, form: dict[str, Any]):
        """Save a valid vehicle and close. A second click finds the dialog closed."""
        if not self.opened:
            return
        self.refusal = ""
        vehicle = self._check_vehicle(form, id=self.editing)
        if vehicle is None:
            yield self._point_at_vehicle()
            return
        tab = await self.get_state(CustomerState)
        self.refusal = await tab._change(tab._opened.save_vehicle(vehicle))
        if self.refusal:
            return
        adding = not self.editing
        self._close()
        if not adding:
            (await self.get_state(ToastState))._show(tab._opened.saved)
        else:  # the button that opened the dialog may have gone with the empty list
            yield
            yield rx.set_focus(ADD_BUTTON)

    @for_customers
    async def remove(self, vehicle_id: str):
        """Delete a vehicle, with a chance to undo."""
        tab = await self.get_state(CustomerState)
        customer = await tab._opened.read()
        known = garage.find_vehicle(customer.vehicles, vehicle_id)
        if known is None:
            return
        self._removed = known, customer.vehicles.index(known)
        self.removed = VehicleCard.of(known).title
        tab._become(await tab._opened.remove_vehicle(vehicle_id))
        yield  # the button is there when the focus goes to it
        yield rx.set_focus(UNDO_BUTTON)

    @for_own
    async def use(self, vehicle_id: str):
        """Take a vehicle into the plan, in place of another one if need be."""
        tab = await self.get_state(CustomerState)
        await self._warn(await tab._change(tab._opened.use_vehicle(vehicle_id)))

    @for_customers
    async def undo(self):
        """Undo the last deletion."""
        if self._removed is None:
            return
        tab = await self.get_state(CustomerState)
        await self._warn(await tab._change(tab._opened.restore_vehicle(*self._removed)))
        self._removed, self.removed = None, ""
        yield rx.set_focus(ADD_BUTTON)

    async def _warn(self, problem: str) -> None:
        if problem:
            (await self.get_state(ToastState))._show(problem, "problem", seconds=6)

    def _rules_of_vehicle(self) -> type[Vehicle]:
        return OwnVehicle if self._is_own else Vehicle

    async def _show(self, vehicle: Vehicle | None) -> None:
        self._is_own = not (await self.get_state(CustomerState))._opened.is_sample
        self._open_vehicle(vehicle)
        self.opened, self.refusal = True, ""
        self.editing = vehicle.id if vehicle else ""
        self._removed, self.removed = None, ""

    def _close(self) -> None:
        self.opened = False
        self._open_vehicle(None)  # a photo is large; it is kept once
