"""The tab 'Vehicles' of one customer: vehicles and saved addresses, read-only."""

from dataclasses import dataclass
from typing import ClassVar, Self

import reflex as rx

from fuel_app.accounts.state.session import actor_of
from fuel_app.customers.rules.places import OwnPlace
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.customers.service import directory
from fuel_app.customers.state.cards import VehicleCard
from fuel_app.office.state.customer_tabs import CustomerTab


@dataclass(frozen=True)
class VehicleLine:
    """A vehicle of the customer, without its photo."""

    title: str
    details: str
    fuel: str
    tank: str

    @classmethod
    def of(cls, vehicle: OwnVehicle) -> Self:
        card = VehicleCard.of(vehicle)
        return cls(card.title, card.details, card.fuel, f"{vehicle.estimated_tank_size:g} gallons")


@dataclass(frozen=True)
class PlaceLine:
    """A saved address of the customer."""

    label: str
    marks: str
    spot: str
    gate_code: str
    notes: str

    @classmethod
    def of(cls, place: OwnPlace) -> Self:
        marks = ("Default" * place.is_default, "Approximate" * place.is_approximate)
        shown = ", ".join(mark for mark in marks if mark)
        return cls(place.label, shown, place.spot, place.gate_code, place.notes)


class VehiclesTab(CustomerTab, rx.State):
    """The customer's vehicles and addresses."""

    KEY: ClassVar = "vehicles"

    vehicles: list[VehicleLine] = []
    places: list[PlaceLine] = []

    async def _read(self) -> None:
        vehicles, places = await directory.garage(await actor_of(self), self._customer_id)
        self.vehicles = [VehicleLine.of(vehicle) for vehicle in vehicles]
        self.places = [PlaceLine.of(place) for place in places]
