"""The company of the demo: staff, areas with hours and prices, trucks."""

from dataclasses import dataclass
from datetime import date, timedelta

from fuel_app.accounts.queries import people
from fuel_app.accounts.queries import people as factor_rows
from fuel_app.accounts.rules import Actor, Role
from fuel_app.accounts.service import security
from fuel_app.accounts.service.passwords import hash_new
from fuel_app.accounts.tables import Person
from fuel_app.areas.queries import price_revision
from fuel_app.areas.rules.areas import AreaForm
from fuel_app.areas.rules.hours import Hours, Window
from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADES, NewPrice, PriceTerms
from fuel_app.areas.service import areas, prices
from fuel_app.areas.service import hours as area_hours
from fuel_app.dispatch.rules.trucks import ShiftForm, TruckForm
from fuel_app.dispatch.service import trucks
from fuel_app.kit import clock, secrets
from fuel_app.kit.db.session import reading, transaction
from fuel_app.launch.service import areas as area_changes

PASSWORD = "gulf-breeze-4821-tanks"  # noqa: S105 (it is printed)
SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"  # of the admin's authenticator app
RECOVERY_CODES = ("3f9a-02bc-77e1", "b61d-94ea-0c52", "8e07-d3f5-19ab")

OPENINGS = (8, 10, 12, 14, 16, 18)
CAPACITY = 4  # of a window
_MARGIN_MILLS = 450  # of a gallon
_START_MILLS = {"regular": 3199, "plus": 3599, "premium": 3949, "diesel": 3749}
_STAFF = {
    "admin": (Role.ADMIN, "Grace", "Holloway"),
    "dispatcher": (Role.DISPATCHER, "Marcus", "Bell"),
    "technician": (Role.TECHNICIAN, "Dana", "Reyes"),
    "technician2": (Role.TECHNICIAN, "Tyler", "Brooks"),
    "technician3": (Role.TECHNICIAN, "Nina", "Castellano"),
}
_TRUCKS = {
    "Heron": ("GFT 101", "4120 Clark Rd, Sarasota, FL 34233", Point(27.2700, -82.4780)),
    "Osprey": ("GFT 102", "1700 Whitfield Ave, Sarasota, FL 34243", Point(27.4060, -82.5420)),
    "Pelican": ("GFT 103", "3200 Fruitville Rd, Sarasota, FL 34237", Point(27.3380, -82.5050)),
}
VISITORS_TRUCK = "Heron"
# Truck, technician and hours of each day.
_SHIFTS = (
    ("Heron", "technician", "11:00", "21:00"),
    ("Osprey", "technician2", "07:00", "20:30"),
    ("Pelican", "technician3", "07:00", "16:30"),
)


@dataclass(frozen=True, slots=True)
class Company:
    """The ids of what was made."""

    actors: dict[str, Actor]
    trucks: dict[str, str]

    @property
    def admin(self) -> Actor:
        return self.actors["admin"]

    @property
    def dispatcher(self) -> Actor:
        return self.actors["dispatcher"]


def email_of(name: str) -> str:
    return f"{name}@gulfside.example"


async def found() -> Company:
    """Store the staff and the trucks."""
    actors = {name: await _staff_member(name, *about) for name, about in _STAFF.items()}
    admin = actors["admin"]
    for number, (name, (plate, home, point)) in enumerate(_TRUCKS.items(), start=1):
        form = TruckForm.parse(
            {
                "name": name,
                "license_plate": plate,
                "regular": "300",
                "plus": "60",
                "premium": "100",
                "diesel": "100",
                "meter_number": f"LC-{4400 + number}",
                "meter_sealed_on": (clock.day_of(clock.now()) - timedelta(days=90)).isoformat(),
                "home": home,
            }
        )
        await trucks.save_truck(admin, "", 0, form, point)
    named = {truck.name: truck.id for truck in await trucks.list_trucks(admin)}
    return Company(actors, named)


async def _staff_member(name: str, role: Role, first_name: str, last_name: str) -> Actor:
    now = clock.now()
    email = email_of(name)
    person = Person(
        email=email,
        first_name=first_name,
        last_name=last_name,
        phone=f"94155501{len(name):02}",
        password_hash=await hash_new(PASSWORD, first_name, last_name, email),
        password_changed_at=now,
        email_verified_at=now,
    )
    if role is Role.ADMIN:
        person.totp_seed, person.totp_confirmed_at = secrets.encrypt(SEED), now
    async with transaction() as session:
        session.add(person)
        await session.flush()
        await people.add_roles(session, person.id, {role})
        if role is Role.ADMIN:
            hashes = [security.recovery_hash(person.id, code) for code in RECOVERY_CODES]
            await factor_rows.replace_recovery_codes(session, person.id, hashes)
    return Actor(frozenset({role}), person.id)


async def make_area(admin: Actor, name: str, zips: object) -> str:
    """Make an area with its windows and prices. Return its id."""
    zip_codes = " ".join(zips if isinstance(zips, dict) else ())
    form = AreaForm.parse({"name": name, "zips": zip_codes, "grades": list(GRADES), "tax": "0"})
    area_id = await areas.create(form, actor=admin)
    day = tuple(Window(opens, opens + 2, CAPACITY) for opens in OPENINGS)
    seen = (await area_hours.read(area_id, actor=admin)).hours
    await area_changes.change_hours(area_id, seen, Hours((day,) * 7), actor=admin)
    return area_id


async def set_prices(admin: Actor, area_id: str, more_mills: int) -> None:
    """Set the price of each grade, so much above the first one."""
    terms = PriceTerms.parse({"source": "Port Manatee rack", "effective": ""})
    new = []
    async with reading() as session:
        for grade, mills in _START_MILLS.items():
            seen = await price_revision(session, area_id, grade)
            price = mills + more_mills
            new.append(NewPrice(area_id, grade, price, price - _MARGIN_MILLS, seen))
    await prices.set_prices(new, terms, actor=admin)


async def put_on_shift(company: Company, day: date) -> None:
    """Add the shifts of a day."""
    for truck, technician, starts, ends in _SHIFTS:
        form = ShiftForm.parse(
            {
                "truck": company.trucks[truck],
                "technician": company.actors[technician].person_id,
                "starts": starts,
                "ends": ends,
            }
        )
        await trucks.save_shift(company.dispatcher, day, "", 0, form)
