"""Trucks as admins type them, and shifts as dispatchers do: truck, technician, hours of a day.

Also why one of them cannot be saved, retired or copied.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Self

from pydantic import PlainValidator

from fuel_app.areas.rules.hours import clean_day
from fuel_app.areas.rules.places import Point
from fuel_app.areas.rules.prices import GRADE_LABELS, GRADES
from fuel_app.dispatch.rules.day import DayOver, Shift, Truck
from fuel_app.dispatch.rules.drives import find_fault
from fuel_app.kit import clock, contact
from fuel_app.kit.clock import NEW_YORK, long_date, time_span
from fuel_app.kit.contact import ZIP_DIGITS, text
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.ids import well_formed_id

NAME_MAX, PLATE_MAX, METER_MAX, HOME_MAX = 40, 12, 40, 200
MOST_GALLONS = 9_999
DAYS_NAMED = 5
NAME_TAKEN = "There is a truck with this name already"
_GALLONS = re.compile(r"([0-9]{1,4})(?:\.([0-9]))?")
_LOADED = re.compile(r"([0-9]{1,4})(?:\.([0-9]{1,3}))?")


class TruckGone(Refusal):
    message = "This truck is not there any more."


class TruckChanged(Refusal):
    """A concurrent change, which must not be overwritten unseen."""

    message = "Another admin has changed this truck meanwhile. You now see it as it is."


class OnShift(Refusal):
    """A truck with shifts ahead cannot be retired."""

    def __init__(self, days: Sequence[date]) -> None:
        named = [f"{day:%a, %b} {day.day}" for day in days[:DAYS_NAMED]]
        if more := len(days) - len(named):
            named.append(f"{more} more {'day' if more == 1 else 'days'}")
        super().__init__(
            f"This truck is on shift on {'; '.join(named)}. "
            "Remove it from these days on the dispatch board first."
        )


def clean_gallons(value: object) -> int | None:
    """Return the thousandths of a gallon that a tank holds; None for an empty text."""
    typed = contact.text(value).replace(",", "")
    if not typed:
        return None
    found = _GALLONS.fullmatch(typed)
    if not found or not int(found[1]):
        raise ValueError(f"Enter gallons from 1 to {MOST_GALLONS:,}, such as 150")
    return int(found[1]) * 1000 + int(found[2] or 0) * 100


def clean_home(value: object) -> str:
    """Return an address that ends with its ZIP."""
    home = contact.name("Home address", HOME_MAX)(value)
    if not contact.is_zip_code(home[-ZIP_DIGITS:]):
        raise ValueError("End the address with its ZIP, such as 100 Depot Rd, Sarasota, FL 34236")
    return home


class TruckForm(Form):
    """A truck; the tanks are thousandths of a gallon by grade, None for one not on board."""

    name: Annotated[str, line("Name", NAME_MAX)]
    license_plate: Annotated[str, line("License plate", PLATE_MAX)]
    regular: Annotated[int | None, PlainValidator(clean_gallons)]
    plus: Annotated[int | None, PlainValidator(clean_gallons)]
    premium: Annotated[int | None, PlainValidator(clean_gallons)]
    diesel: Annotated[int | None, PlainValidator(clean_gallons)]
    meter_number: Annotated[str, line("Meter number", METER_MAX)]
    meter_sealed_on: Annotated[date, PlainValidator(clean_day)]
    home: Annotated[str, PlainValidator(clean_home)]

    @classmethod
    def parse(cls, sent: object, **known: object) -> Self:
        """Check the fields, and that there is a tank."""
        form = super().parse(sent, **known)
        if not form.tanks:
            raise InvalidForm({GRADES[0]: "Enter the gallons of at least one tank"})
        return form

    @property
    def tanks(self) -> dict[str, int]:
        """Return what the tanks hold, of the grades on board."""
        held = {grade: getattr(self, grade) for grade in GRADES}
        return {grade: milligallons for grade, milligallons in held.items() if milligallons}

    @property
    def zip_code(self) -> str:
        return self.home[-ZIP_DIGITS:]


def clean_loaded(value: object) -> int | None:
    """Return thousandths of a gallon that were loaded; None for an empty text."""
    typed = contact.text(value).replace(",", "")
    if not typed:
        return None
    found = _LOADED.fullmatch(typed)
    if not found:
        raise ValueError("Enter gallons, such as 120.5")
    return int(found[1] + (found[2] or "").ljust(3, "0"))


class LoadedForm(Form):
    """Form of what a refill has loaded, in thousandths of a gallon; None for a grade not said."""

    regular: Annotated[int | None, PlainValidator(clean_loaded)]
    plus: Annotated[int | None, PlainValidator(clean_loaded)]
    premium: Annotated[int | None, PlainValidator(clean_loaded)]
    diesel: Annotated[int | None, PlainValidator(clean_loaded)]

    def of_tanks(self, tanks: Mapping[str, int]) -> dict[str, int]:
        """Return what was loaded into each tank of a truck; nothing where none was said.

        Raises:
            InvalidForm: If nothing is said, or more than a tank holds.
        """
        said = {grade: getattr(self, grade) for grade in GRADES}
        if all(said[grade] is None for grade in tanks):
            raise InvalidForm({next(iter(tanks)): "Enter the gallons; 0 if none were loaded"})
        over = {
            grade: f"{GRADE_LABELS[grade]}: the tank holds {tank_text(tanks.get(grade, 0)) or 0}"
            for grade, milligallons in said.items()
            if (milligallons or 0) > tanks.get(grade, 0)
        }
        if over:
            raise InvalidForm(over)
        return {grade: said[grade] or 0 for grade in tanks}


def loaded_text(loaded: Mapping[str, int]) -> str:
    """'Regular 120.5, Diesel 0 gal'."""
    shown = (
        f"{GRADE_LABELS[grade]} {gallons_of(loaded[grade])}" for grade in GRADES if grade in loaded
    )
    return f"{', '.join(shown)} gal"


def gallons_of(milligallons: int) -> str:
    """Return gallons as they are typed: '120.5', '0'."""
    whole, rest = divmod(milligallons, 1000)
    return f"{whole}.{rest:03}".rstrip("0").rstrip(".") if rest else str(whole)


def check_home(point: Point) -> None:
    """Refuse a home that no route can begin at. Raises InvalidForm."""
    if wrong := find_fault(point):
        raise InvalidForm({"home": wrong})


def check_seal(form: TruckForm, today: date) -> None:
    """Refuse a seal of a later day. Raises InvalidForm."""
    if form.meter_sealed_on > today:
        raise InvalidForm({"meter_sealed_on": "Enter today or an earlier day"})


def truck_fields(truck: Truck) -> dict[str, str]:
    """Return a truck as it stands in the form's fields."""
    return {
        "name": truck.name,
        "license_plate": truck.license_plate,
        **{grade: tank_text(truck.tanks.get(grade, 0)) for grade in GRADES},
        "meter_number": truck.meter_number,
        "meter_sealed_on": truck.meter_sealed_on.isoformat(),
        "home": truck.home,
    }


def tank_text(milligallons: int) -> str:
    """Return what a tank holds, such as '150' or '150.5'; '' for no tank."""
    whole, tenths = milligallons // 1000, milligallons // 100 % 10
    shown = f"{whole:,}.{tenths}" if tenths else f"{whole:,}"
    return shown if milligallons else ""


def tanks_text(truck: Truck) -> str:
    """Return what a truck carries, such as 'Regular 300, Diesel 100 gallons'."""
    held = (
        f"{GRADE_LABELS[grade]} {tank_text(truck.tanks[grade])}"
        for grade in GRADES
        if grade in truck.tanks
    )
    return f"{', '.join(held)} gallons"


def meter_text(truck: Truck) -> str:
    return f"{truck.meter_number}, sealed {clock.short_date(truck.meter_sealed_on)}"


STEP_MINUTES = 15
LONGEST_SHIFT = timedelta(hours=16)
SHIFTS_AHEAD = timedelta(days=366)  # shifts can be made until then
WEEK = timedelta(days=7)
TIME_SKIPPED = "Clocks go forward this night and skip this time"
DEFAULT_HOURS = {"starts": "07:00", "ends": "15:00"}  # what an empty form starts with


class NoDay(Refusal):
    message = "Choose a day within a year."


class ShiftStarted(Refusal):
    message = "The route of this shift has begun, so the shift stays."


class NothingToCopy(Refusal):
    def __init__(self, day: date) -> None:
        super().__init__(f"There were no shifts on {day:%A}, {long_date(day)}.")


def planned_day(value: object, today: date) -> date:
    """Return a day whose shifts may still change: a date, or as browsers send it.

    Raises NoDay, DayOver.
    """
    try:
        day = value if type(value) is date else clean_day(value)
    except ValueError:
        raise NoDay from None
    if day < today:
        raise DayOver
    if day > today + SHIFTS_AHEAD:
        raise NoDay
    return day


def clean_time(value: object) -> time:
    """Return a time of day as browsers send it, such as '07:15'."""
    try:
        typed = datetime.strptime(text(value), "%H:%M").replace(tzinfo=UTC).time()
    except ValueError:
        raise ValueError("Enter a time, such as 7:00 AM") from None
    if typed.minute % STEP_MINUTES:
        raise ValueError(f"Choose a time in steps of {STEP_MINUTES} minutes")
    return typed


def _chosen(message: str) -> PlainValidator:
    def clean(value: object) -> str:
        if chosen := well_formed_id(value):
            return chosen
        raise ValueError(message)

    return PlainValidator(clean)


class ShiftForm(Form):
    """A shift; truck and technician are ids."""

    truck: Annotated[str, _chosen("Choose a truck")]
    technician: Annotated[str, _chosen("Choose a technician")]
    starts: Annotated[time, PlainValidator(clean_time)]
    ends: Annotated[time, PlainValidator(clean_time)]

    @classmethod
    def again(cls, shift: Shift) -> Self:
        """Return the same shift for another day."""
        starts, ends = (
            each.astimezone(NEW_YORK).time() for each in (shift.starts_at, shift.ends_at)
        )
        who = {"truck": shift.truck.id, "technician": shift.technician_id}
        return cls.model_construct(None, **who, starts=starts, ends=ends)

    def on(self, day: date) -> tuple[datetime, datetime]:
        """Return start and end on a day in New York. Raises InvalidForm if they are none."""
        starts, ends = (_on_clock(day, name, getattr(self, name)) for name in DEFAULT_HOURS)
        if ends <= starts:
            raise InvalidForm({"ends": "Enter a time after the start"})
        if ends - starts > LONGEST_SHIFT:
            raise InvalidForm(
                {"ends": f"A shift has {LONGEST_SHIFT.seconds // 3600} hours at most"}
            )
        return starts, ends


def _on_clock(day: date, name: str, at: time) -> datetime:
    """Return the UTC time of New York's clocks on a day: the first of two."""
    moment = datetime.combine(day, at, NEW_YORK).astimezone(UTC)
    if moment.astimezone(NEW_YORK).time() != at:
        raise InvalidForm({name: TIME_SKIPPED})
    return moment


def shift_fields(shift: Shift) -> dict[str, str]:
    """Return a shift as it stands in the form's fields."""
    form = ShiftForm.again(shift)
    hours = {"starts": f"{form.starts:%H:%M}", "ends": f"{form.ends:%H:%M}"}
    return {"truck": form.truck, "technician": form.technician, **hours}


def hours_text(shift: Shift) -> str:
    """'7 AM–3 PM' in New York."""  # noqa: RUF002
    return time_span(shift.starts_at, shift.ends_at)


@dataclass(frozen=True, slots=True)
class DayShifts:
    """The shifts of a day with the trucks and technicians to choose from; names are by id."""

    shifts: tuple[tuple[Shift, int], ...]  # with the number of stops
    trucks: Mapping[str, str]
    technicians: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Copied:
    """The outcome of copying shifts; `left_out` says what was not copied, and why."""

    count: int
    left_out: tuple[str, ...]
