"""The vehicles that a customer has registered."""

from fuel_app.domain.vehicles import Vehicle
from fuel_app.kit.errors import Refusal

MOST = 10  # with their photos they are the largest thing that a session holds

Garage = tuple[Vehicle, ...]


class GarageFull(Refusal):
    def __init__(self) -> None:
        super().__init__(f"You can register up to {MOST} vehicles.")


def find(garage: Garage, vehicle_id: object) -> Vehicle | None:
    return next((vehicle for vehicle in garage if vehicle.id == vehicle_id), None)


def with_vehicle(garage: Garage, vehicle: Vehicle) -> Garage:
    """With this vehicle in the place of the one with its id, else at the end.

    Raises:
        GarageFull: If there is no room for one more.
    """
    if find(garage, vehicle.id):
        return tuple(vehicle if each.id == vehicle.id else each for each in garage)
    return put_back(garage, vehicle, len(garage))


def without(garage: Garage, vehicle_id: object) -> Garage:
    return tuple(vehicle for vehicle in garage if vehicle.id != vehicle_id)


def put_back(garage: Garage, vehicle: Vehicle, place: int) -> Garage:
    """With a vehicle where it was before it was deleted.

    Raises:
        GarageFull: If there is no room for it any more.
    """
    if len(garage) >= MOST:
        raise GarageFull
    return (*garage[:place], vehicle, *garage[place:])
