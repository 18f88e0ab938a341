"""Cars, places and guests as they are typed into the wizards."""

from fuel_app.areas.rules.positions import Located
from fuel_app.bookings.rules.bookings import Car, Place
from fuel_app.customers.rules.forms import Contact
from fuel_app.customers.rules.places import PlaceForm
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.kit.forms import Phone


def car_of(vehicle: OwnVehicle) -> Car:
    """Return a typed vehicle as it stands on a booking."""
    shared = vehicle.model_dump(include=set(Car.__dataclass_fields__))
    return Car(**shared)


def place_of(typed: PlaceForm, at: Located) -> Place:
    """Return a typed and located place as it stands on a booking."""
    shared = typed.model_dump(include=set(Place.__dataclass_fields__))
    return Place(**shared | at._asdict())


class GuestContact(Contact):
    """The contact of a guest; phone as 10 digits."""

    phone: Phone
