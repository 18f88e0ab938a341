"""The vehicles manager of Account Settings."""

from typing import ClassVar

import reflex as rx

from fuel_app.domain import garage
from fuel_app.domain.vehicles import Vehicle, VehicleForm
from fuel_app.kit.errors import Refusal
from fuel_app.services import customers
from fuel_app.states.account_cards import VehicleCard
from fuel_app.states.customer import CustomerState
from fuel_app.states.vehicle_form import VehicleFields

FORM = "vehicle"
UNDO_BUTTON = "vehicle-undo"
ADD_BUTTON = "vehicle-add"


class VehiclesState(VehicleFields, rx.State):
    """The form of the dialog, and the vehicle that was deleted last."""

    opened: bool = False
    editing: str = ""  # the vehicle's id; empty while one is added
    refusal: str = ""
    removed: str = ""  # what it was called

    _vehicle_form: ClassVar = FORM
    _removed: tuple[Vehicle, int] | None = None  # with its place

    @rx.event
    def add(self):
        """Open an empty form."""
        self._show(None)

    @rx.event
    async def change(self, vehicle_id: str):
        """Open the form on one of the vehicles."""
        known = garage.find((await self._account()).vehicles, vehicle_id)
        if known:
            self._show(known)

    @rx.event
    def show(self, opened: bool):
        """The dialog was closed."""
        if opened is not True:
            self._hide()

    @rx.event
    async def save(self, form: VehicleForm):
        """Keep the vehicle if it is right. A second click finds the dialog closed."""
        if not self.opened:
            return
        vehicle = self._check_vehicle(form, id=self.editing)
        if vehicle is None:
            yield self._point_at_vehicle()
            return
        try:
            await self._become(await customers.save_vehicle(await self._account(), vehicle))
        except Refusal as error:
            self.refusal = str(error)
            return
        adding = not self.editing
        self._hide()
        if adding:  # the button that opened the dialog may have gone with the empty list
            yield
            yield rx.set_focus(ADD_BUTTON)

    @rx.event
    async def remove(self, vehicle_id: str):
        """Delete a vehicle; it can be brought back."""
        customer = await self._account()
        known = garage.find(customer.vehicles, vehicle_id)
        if known is None:
            return
        self._removed = known, customer.vehicles.index(known)
        self.removed = VehicleCard.of(known).title
        await self._become(await customers.remove_vehicle(customer, vehicle_id))
        yield  # the button is there when the focus goes to it
        yield rx.set_focus(UNDO_BUTTON)

    @rx.event
    async def undo(self):
        """Bring back the vehicle that was deleted last."""
        if self._removed is None:
            return
        customer = await self._account()
        await self._become(await customers.restore_vehicle(customer, *self._removed))
        self._removed, self.removed = None, ""
        yield rx.set_focus(ADD_BUTTON)

    async def _account(self):
        return await (await self.get_state(CustomerState))._account()

    async def _become(self, customer) -> None:
        (await self.get_state(CustomerState))._become(customer)

    def _show(self, vehicle: Vehicle | None) -> None:
        self._open_vehicle(vehicle)
        self.opened, self.refusal = True, ""
        self.editing = vehicle.id if vehicle else ""
        self._removed, self.removed = None, ""

    def _hide(self) -> None:
        self.opened = False
        self._open_vehicle(None)  # a photo is large; it is kept once
