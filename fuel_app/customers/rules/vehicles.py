"""Vehicles: the form, a customer's garage, and photos of cars.

A photo is kept as a short `data:` address in WebP.
"""

import base64
import binascii
import re
import struct
from typing import Annotated, Any, Self

from pydantic import PlainValidator, ValidationInfo

from fuel_app.areas.rules.prices import GRADES
from fuel_app.customers.rules.makes import CATALOGUE, OWN_CATALOGUE
from fuel_app.kit import contact
from fuel_app.kit.contact import one_of
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form
from fuel_app.kit.forms import line as text_line
from fuel_app.plans.rules.plans import Plan

_STATE_NAMES = """
    AL Alabama;AK Alaska;AZ Arizona;AR Arkansas;CA California;CO Colorado;CT Connecticut;
    DE Delaware;DC District of Columbia;FL Florida;GA Georgia;HI Hawaii;ID Idaho;IL Illinois;
    IN Indiana;IA Iowa;KS Kansas;KY Kentucky;LA Louisiana;ME Maine;MD Maryland;MA Massachusetts;
    MI Michigan;MN Minnesota;MS Mississippi;MO Missouri;MT Montana;NE Nebraska;NV Nevada;
    NH New Hampshire;NJ New Jersey;NM New Mexico;NY New York;NC North Carolina;ND North Dakota;
    OH Ohio;OK Oklahoma;OR Oregon;PA Pennsylvania;PR Puerto Rico;RI Rhode Island;
    SC South Carolina;SD South Dakota;TN Tennessee;TX Texas;UT Utah;VT Vermont;VA Virginia;
    WA Washington;WV West Virginia;WI Wisconsin;WY Wyoming
"""
STATE_CODES = {  # by code and by name, in small letters
    known.casefold(): code
    for code, name in (line.split(maxsplit=1) for line in _STATE_NAMES.split(";"))
    for known in (code, " ".join(name.split()))
}


def us_state(value: object) -> str:
    """Return the two letters of a state that was typed as code or by name."""
    code = STATE_CODES.get(contact.text(value).casefold())
    if code is None:
        raise ValueError("Enter a US state such as FL")
    return code


MODEL_MAX = 40
COLOR_MAX = 30
PLATE_MAX = 12  # eight on most plates, and room for how people write them
FUEL_DOORS = ("Unlocked", "Button inside the car", "Key", "Unlocks with the doors")
OTHER = "Other"  # a make or model whose name and tank are typed
TANK_LEAST, TANK_MOST = 10, 2000  # tenths of a gallon

_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_PLATE = re.compile(r"[A-Z0-9 .-]*[A-Z0-9][A-Z0-9 .-]*", re.IGNORECASE | re.ASCII)
_GALLONS = re.compile(r"[0-9]{1,3}(?:\.[0-9])?")


def models(make: object) -> tuple[str, ...]:
    """Return the models of a make in the preview; none of an unknown one."""
    return tuple(CATALOGUE.get(make, ())) if isinstance(make, str) else ()


def own_models(make: object) -> tuple[str, ...]:
    """Return the models of a make, and that it may be another one; none of an unknown make."""
    known = OWN_CATALOGUE.get(make) if isinstance(make, str) else None
    return (*known, OTHER) if known else ()


def _make(label: str) -> PlainValidator:
    return PlainValidator(one_of(label, tuple(CATALOGUE)))


def _model(label: str) -> PlainValidator:
    return PlainValidator(lambda value, info: one_of(label, models(info.data.get("make")))(value))


def _own_make(label: str) -> PlainValidator:
    return PlainValidator(one_of(label, (*OWN_CATALOGUE, OTHER)))


def _own_model(label: str) -> PlainValidator:
    def check(value: object, info: ValidationInfo) -> str:
        make = info.data.get("make")
        return "" if make == OTHER else one_of(label, own_models(make))(value)

    return PlainValidator(check)


def _year(missing: str) -> PlainValidator:
    def clean(value: object) -> str:
        typed = contact.text(value)
        if not _YEAR.fullmatch(typed):
            raise ValueError("Valid year required" if typed else missing)
        return typed

    return PlainValidator(clean)


def _plate(value: object) -> str:
    """Letters of other alphabets look alike: one plate would be many, each with a free fill."""
    typed = contact.name("License plate", PLATE_MAX)(value)
    if not _PLATE.fullmatch(typed):
        raise ValueError("Use letters A to Z and digits")
    return typed.upper()


def bare_plate(text: str) -> str:
    """Return a license plate without what people put between its characters."""
    return re.sub(r"[^0-9A-Z]", "", text.upper())


class Vehicle(Form):
    """The vehicle form: plate in capitals, image as a `data:` address or empty."""

    make: Annotated[str, _make("Make")]
    model: Annotated[str, _model("Model")]
    year: Annotated[str, _year("Year is required")]
    color: Annotated[str, text_line("Color", COLOR_MAX)]
    license_plate: Annotated[str, PlainValidator(_plate)]
    id: str = ""
    image: str = ""

    @property
    def estimated_tank_size(self) -> float:
        """Return gallons, by make and model."""
        return CATALOGUE[self.make][self.model]

    @property
    def title(self) -> str:
        return f"{self.year} {self.make} {self.model}"

    @classmethod
    def start(cls) -> dict[str, str]:
        """Return what an empty form starts with."""
        return cls.blank()

    @classmethod
    def models(cls, make: object) -> tuple[str, ...]:
        """Return the models to choose from."""
        return models(make)

    def as_typed(self) -> dict[str, str]:
        """Return the fields of the form that this vehicle was typed in."""
        return {name: getattr(self, name) for name in self.names()}


class OneTimeVehicle(Vehicle):
    """The vehicle form of a one-time fill, in the specification's other wording."""

    make: Annotated[str, _make("Vehicle make")]
    model: Annotated[str, _model("Vehicle model")]
    year: Annotated[str, _year("Valid year required")]
    color: Annotated[str, text_line("Vehicle color", COLOR_MAX)]


def _typed_if_other(label: str, *fields: str) -> PlainValidator:
    """Return the rule of a name that is typed where one of the fields says 'Other'."""
    clean = contact.name(label, MODEL_MAX)

    def check(value: object, info: ValidationInfo) -> str:
        return clean(value) if OTHER in [info.data.get(each) for each in fields] else ""

    return PlainValidator(check)


def _tank_tenths(value: object, info: ValidationInfo) -> int:
    make, model = info.data.get("make"), info.data.get("model")
    if OTHER not in (make, model):
        return round(OWN_CATALOGUE[make][model] * 10) if make and model else 0
    typed = contact.text(value)
    tenths = round(float(typed) * 10) if _GALLONS.fullmatch(typed) else 0
    if not TANK_LEAST <= tenths <= TANK_MOST:
        raise ValueError(
            "Enter 1 to 200 gallons, such as 15.5" if typed else "Tank size is required"
        )
    return tenths


class OwnVehicle(Vehicle):
    """A customer's own vehicle, with all that a fill needs."""

    make: Annotated[str, _own_make("Make")]
    model: Annotated[str, _own_model("Model")]
    other_make: Annotated[str, _typed_if_other("Make", "make")]
    other_model: Annotated[str, _typed_if_other("Model", "make", "model")]
    tank_tenths: Annotated[int, PlainValidator(_tank_tenths)]  # typed in gallons
    plate_state: Annotated[str, PlainValidator(us_state)]
    grade: Annotated[str, PlainValidator(one_of("Fuel grade", GRADES))]
    fuel_door: Annotated[str, PlainValidator(one_of("Fuel door", FUEL_DOORS))]
    is_active: bool = True  # covered by the plan; else it cannot be booked

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the fields in the order of the screen."""
        names = super().names()
        return names[:2] + names[5:8] + names[2:5] + names[8:]

    @classmethod
    def parse(cls, sent: object, **known: Any) -> Self:
        """Clean and check what was sent; a typed make and model take the place of 'Other'."""
        parsed = super().parse(sent, **known)
        named = {
            "make": parsed.other_make or parsed.make,
            "model": parsed.other_model or parsed.model,
        }
        return parsed.model_copy(update=named | {"other_make": "", "other_model": ""})

    @classmethod
    def start(cls) -> dict[str, str]:
        return cls.blank() | {"plate_state": "FL"}

    @classmethod
    def models(cls, make: object) -> tuple[str, ...]:
        return own_models(make)

    @property
    def estimated_tank_size(self) -> float:
        return self.tank_tenths / 10

    def as_typed(self) -> dict[str, str]:
        typed = {name: str(getattr(self, name)) for name in self.names()}
        known = own_models(self.make)
        if self.model in known:
            return typed | {"tank_tenths": ""}
        other = {"other_model": self.model, "tank_tenths": f"{self.estimated_tank_size:g}"}
        if known:
            return typed | other | {"model": OTHER}
        return typed | other | {"make": OTHER, "model": "", "other_make": self.make}


class GuestVehicle(OwnVehicle):
    """The vehicle of a guest, in the words of a one-time fill."""

    make: Annotated[str, _own_make("Vehicle make")]
    model: Annotated[str, _own_model("Vehicle model")]
    year: Annotated[str, _year("Valid year required")]
    color: Annotated[str, text_line("Vehicle color", COLOR_MAX)]


MOST_VEHICLES = 10  # with their photos they are the largest thing that a session holds

Garage = tuple[Vehicle, ...]


class GarageFull(Refusal):
    message = f"You can register up to {MOST_VEHICLES} vehicles."


_LIMITS = {"solo": 1, "family": 2, "big-family": 50}  # the last is technical


class PlanIsFull(Refusal):
    """The customer has as many vehicles as the plan covers."""


class VehicleGone(Refusal):
    message = "This vehicle is not there any more."


def room_of(plan: Plan | None) -> int:
    """Return how many vehicles a plan covers; without a plan, a single one."""
    return _LIMITS[plan.id] if plan else 1


def check_room(count: int, plan: Plan | None) -> None:
    """Refuse one more vehicle than a plan covers."""
    limit = room_of(plan)
    if count < limit:
        return
    name = plan.name.removesuffix(" Plan") if plan else "A one-time fill"
    covered = f"{name} covers {limit} vehicle{'' if limit == 1 else 's'}."
    is_largest = limit == max(_LIMITS.values())
    raise PlanIsFull(covered if is_largest else f"{covered} A larger plan covers more.")


def find_vehicle(garage: Garage, vehicle_id: object) -> Vehicle | None:
    return next((vehicle for vehicle in garage if vehicle.id == vehicle_id), None)


def with_vehicle(garage: Garage, vehicle: Vehicle) -> Garage:
    """Replace the vehicle with this id, else append it as `put_back` does."""
    if find_vehicle(garage, vehicle.id):
        return tuple(vehicle if each.id == vehicle.id else each for each in garage)
    return put_back(garage, vehicle, len(garage))


def without_vehicle(garage: Garage, vehicle_id: object) -> Garage:
    return tuple(vehicle for vehicle in garage if vehicle.id != vehicle_id)


def put_back(garage: Garage, vehicle: Vehicle, place: int) -> Garage:
    """Insert a vehicle at its former place.

    Raises:
        GarageFull: If there is no room for it any more.
    """
    if len(garage) >= MOST_VEHICLES:
        raise GarageFull
    return (*garage[:place], vehicle, *garage[place:])


PHOTO_SENT_MAX = 10 * 1024 * 1024  # bytes of the file that a visitor chooses
PHOTO_KEPT_MAX = 60_000  # characters of the address that holds the picture
PIXELS_MAX = 64_000_000  # more than phones take in their everyday mode
PHOTO_KINDS = ("image/jpeg", "image/png", "image/webp")

_PHOTO_PREFIX = "data:image/webp;base64,"


class PhotoTooLarge(Refusal):
    message = "The photo must be 10 MB or smaller."
    http_status = 413


class NoPhoto(Refusal):
    message = "The photo must be an image: JPEG, PNG or WebP."
    http_status = 415


def as_address(picture: bytes) -> str:
    """Return a WebP picture as a `data:` address."""
    return _PHOTO_PREFIX + base64.b64encode(picture).decode()


def check_photo(address: object) -> str:
    """Return the address if it is a picture in our format, else an empty string.

    The page returns the address that the photo service gave it, but can be forged. A valid
    one is a short WebP file with a single chunk, without room for metadata.
    """
    if not isinstance(address, str) or not address.startswith(_PHOTO_PREFIX):
        return ""
    if len(address) > PHOTO_KEPT_MAX:
        return ""
    try:
        picture = base64.b64decode(address.removeprefix(_PHOTO_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        return ""
    return address if _is_bare_webp(picture) else ""


def _is_bare_webp(file: bytes) -> bool:
    """Check for the simple format of RFC 9649: a RIFF header and one even-sized chunk."""
    if len(file) < 20:
        return False
    riff, size, webp, chunk, length = struct.unpack_from("<4sI4s4sI", file)
    whole = 20 + length + length % 2 == len(file) == size + 8
    return (riff, webp, chunk) == (b"RIFF", b"WEBP", b"VP8 ") and whole
