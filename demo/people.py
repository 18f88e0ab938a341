"""Made-up customers: names, addresses near the middle of their ZIP, vehicles, plans."""

from dataclasses import dataclass, field
from random import Random
from typing import Any

from fuel_app.areas.rules.places import Located
from fuel_app.customers.rules.locations import DRIVEWAY, LOT
from fuel_app.customers.rules.makes import CATALOGUE

FIRST_NAMES = """
James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William Barbara Richard
Susan Joseph Jessica Thomas Karen Carlos Sarah Charles Lisa Daniel Nancy Matthew Sandra Anthony
Ashley Mark Emily Steven Kimberly Andrew Margaret Paul Donna Joshua Michelle Kenneth Carol Kevin
Amanda Brian Melissa Timothy Deborah Ronald Stephanie Jason Rebecca George Sharon Luis Ana Sofia
Andres Ines Mei Wei Omar Priya Raj Chloe Renee Marcus Tanya Grant Holly Derek Paige
"""
LAST_NAMES = """
Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez
Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark
Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams
Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Phillips Evans Turner Diaz Parker Cruz
Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers Ortiz Morgan Cooper Peterson
Bailey Reed Kelly Howard Kim Cox Ward Richardson Watson Brooks Wood Bennett Gray Hughes Price
Patel Foster Sullivan Okafor Lindqvist Moreau Castellano Whitfield Abernathy Delgado Pruitt
Hawkins
"""
STREETS = """
Palm|Ave Bay|St Orange|Ave Osprey|Ave Magnolia|Dr Heron|Way Pelican|Ln Hibiscus|St Oak|St
Cypress|Ct Mango|Ave Tuttle|Ave Shade|Ave Webber|St Lime|Ave Egret|Ct Gulf|Dr Laurel|St Pine|St
Jasmine|Dr Coral|Way Sandpiper|Ln Bougainvillea|Ct Banyan|Dr Ixora|Ave Live_Oak|Ln Seagrape|Ct
Citrus|Ave Wisteria|Pl Harbor|Dr
"""
COLORS = ("White", "Black", "Silver", "Gray", "Blue", "Red", "Green")
MAILBOXES = ("gmail.example", "outlook.example", "icloud.example", "comcast.example")

# Where people live in a ZIP: a point on land, and how far around it in degrees.
SARASOTA = {
    "34231": (27.268, -82.508),
    "34232": (27.326, -82.472),
    "34233": (27.287, -82.477),
    "34234": (27.368, -82.530),
    "34235": (27.365, -82.482),
    "34236": (27.335, -82.532),
    "34237": (27.337, -82.513),
    "34238": (27.243, -82.475),
    "34239": (27.311, -82.518),
}
BRADENTON = {
    "34203": (27.453, -82.532),
    "34205": (27.481, -82.578),
    "34207": (27.439, -82.574),
    "34208": (27.470, -82.520),
    "34209": (27.479, -82.612),
    "34210": (27.455, -82.622),
}
AROUND = 0.011
NOTES = ("", "", "", "Beware of the dog.", "Second driveway on the left.", "Car is by the garage.")


@dataclass
class Customer:
    """A made-up customer, and what the making learns of them."""

    number: int
    first_name: str
    last_name: str
    zip_code: str
    plan: str
    cars: list[dict[str, Any]]
    place: dict[str, str]
    located: Located
    waited: bool  # on the waitlist before their area opened
    neighborhood: str = ""
    story: str = ""  # what is special
    person_id: str = ""
    car_ids: list[str] = field(default_factory=list)
    place_id: str = ""
    fills: int = 0
    own_email: str = ""

    @property
    def email(self) -> str:
        name = f"{self.first_name}.{self.last_name}{self.number}".lower()
        return self.own_email or f"{name}@{MAILBOXES[self.number % len(MAILBOXES)]}"

    @property
    def phone(self) -> str:
        return f"94155{self.number + 10_000:05}"

    @property
    def contact(self) -> dict[str, str]:
        named = {"first_name": self.first_name, "last_name": self.last_name}
        return named | {"email": self.email, "zip_code": self.zip_code}


def a_name(chance: Random) -> tuple[str, str]:
    return chance.choice(FIRST_NAMES.split()), chance.choice(LAST_NAMES.split())


def a_customer(chance: Random, number: int, zips: dict[str, tuple[float, float]]) -> Customer:
    """Make up a customer in one of these ZIPs."""
    first_name, last_name = a_name(chance)
    zip_code = chance.choice(list(zips))
    lat, lng = (each + chance.uniform(-AROUND, AROUND) for each in zips[zip_code])
    plan = chance.choices(("solo", "family", "big-family"), (54, 34, 12))[0]
    count = {"solo": 1, "family": chance.choice((1, 2, 2)), "big-family": chance.choice((2, 3))}
    is_lot = chance.random() < 0.2
    return Customer(
        number=number,
        first_name=first_name,
        last_name=last_name,
        zip_code=zip_code,
        plan=plan,
        cars=[a_car(chance) for _ in range(count[plan])],
        place={
            "street": a_street(chance),
            "unit": f"Unit {chance.randint(1, 40)}" if is_lot else "",
            "city": "Bradenton" if zip_code in BRADENTON else "Sarasota",
            "state": "FL",
            "zip_code": zip_code,
            "spot": LOT if is_lot else DRIVEWAY,
            "gate_code": f"#{chance.randint(1000, 9999)}" if is_lot else "",
            "notes": chance.choice(NOTES),
        },
        located=Located(round(lat, 5), round(lng, 5), is_approximate=False),
        waited=chance.random() < 0.4,
    )


def a_street(chance: Random) -> str:
    street = chance.choice(STREETS.split())
    return f"{chance.randint(100, 4999)} {street.replace('|', ' ').replace('_', ' ')}"


def a_car(chance: Random) -> dict[str, Any]:
    """Make up a vehicle as its form is typed."""
    make = chance.choice(list(CATALOGUE))
    letters = "".join(chance.choices("ABCDEFGHJKLMNPRSTUVWXYZ", k=3))
    grade = chance.choices(("regular", "plus", "premium", "diesel"), (78, 7, 12, 3))[0]
    return {
        "make": make,
        "model": chance.choice(list(CATALOGUE[make])),
        "year": str(chance.randint(2011, 2026)),
        "color": chance.choice(COLORS),
        "license_plate": f"{letters} {chance.choice('ABCDEFGH')}{chance.randint(10, 99)}",
        "plate_state": "FL",
        "grade": "premium" if make == "BMW" else grade,
        "fuel_door": chance.choice(("Unlocked", "Unlocks with the doors", "Button inside the car")),
        "tank_tenths": "",
        "other_make": "",
        "other_model": "",
    }
