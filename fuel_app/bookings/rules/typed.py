"""Places and guests as they are typed into the wizards."""

from fuel_app.areas.rules.positions import Located
from fuel_app.bookings.rules.bookings import Place
from fuel_app.customers.rules.forms import Contact
from fuel_app.customers.rules.places import PlaceForm
from fuel_app.kit.forms import Phone


def place_of(typed: PlaceForm, at: Located) -> Place:
    """Return a typed and located place as it stands on a booking."""
    shared = typed.model_dump(include=set(Place.__slots__))
    return Place(**shared | at._asdict())


class GuestContact(Contact):
    """The contact of a guest; phone as 10 digits."""

    phone: Phone
