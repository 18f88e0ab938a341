"""Vehicles and places as bookings keep them, and guests, from what is saved or typed."""

from fuel_app.areas.rules.positions import Located
from fuel_app.bookings.rules.bookings import Car, Place
from fuel_app.customers.rules.forms import Contact
from fuel_app.customers.rules.places import PlaceForm
from fuel_app.customers.rules.vehicles import OwnVehicle
from fuel_app.kit.forms import Phone


def car_of(vehicle: OwnVehicle) -> Car:
    return Car(**vehicle.model_dump(include=set(Car.__slots__)))


def place_of(place: PlaceForm, at: Located) -> Place:
    shared = place.model_dump(include=set(Place.__slots__))
    return Place(**shared | at._asdict())


class GuestContact(Contact):
    """The contact of a guest; phone as 10 digits."""

    phone: Phone
