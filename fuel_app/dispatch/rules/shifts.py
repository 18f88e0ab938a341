"""Shifts as dispatchers type them: truck, technician, hours on one day."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Self

from pydantic import PlainValidator

from fuel_app.areas.rules.hours import clean_day
from fuel_app.dispatch.rules.day import DayOver, Shift
from fuel_app.kit.clock import NEW_YORK, long_date, time_of_day
from fuel_app.kit.contact import text
from fuel_app.kit.errors import InvalidForm, Refusal
from fuel_app.kit.forms import Form
from fuel_app.kit.ids import well_formed_id

STEP_MINUTES = 15
LONGEST = timedelta(hours=16)
AHEAD = timedelta(days=366)  # shifts can be made until then
WEEK = timedelta(days=7)
SKIPPED = "Clocks go forward this night and skip this time"
HOURS = {"starts": "07:00", "ends": "15:00"}  # what an empty form starts with


class NoDay(Refusal):
    message = "Choose a day within a year."


class ShiftStarted(Refusal):
    message = "The route of this shift has begun, so the shift stays."


class NothingToCopy(Refusal):
    def __init__(self, day: date) -> None:
        super().__init__(f"There were no shifts on {day:%A}, {long_date(day)}.")


def planned_day(value: object, today: date) -> date:
    """Return a day whose shifts may still change: a date, or as browsers send it.

    Raises:
        NoDay, DayOver
    """
    try:
        day = value if type(value) is date else clean_day(value)
    except ValueError:
        raise NoDay from None
    if day < today:
        raise DayOver
    if day > today + AHEAD:
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
        """Return the start and the end on a day in New York.

        Raises:
            InvalidForm: If clocks skip one of them, if they are out of order, or too far apart.
        """
        starts, ends = (_on_clock(day, name, getattr(self, name)) for name in HOURS)
        if ends <= starts:
            raise InvalidForm({"ends": "Enter a time after the start"})
        if ends - starts > LONGEST:
            raise InvalidForm({"ends": f"A shift has {LONGEST.seconds // 3600} hours at most"})
        return starts, ends


def _on_clock(day: date, name: str, at: time) -> datetime:
    """Return the UTC time of New York's clocks on a day: the first of two."""
    moment = datetime.combine(day, at, NEW_YORK).astimezone(UTC)
    if moment.astimezone(NEW_YORK).time() != at:
        raise InvalidForm({name: SKIPPED})
    return moment


def typed(shift: Shift) -> dict[str, str]:
    """Return a shift as it stands in the form's fields."""
    form = ShiftForm.again(shift)
    hours = {"starts": f"{form.starts:%H:%M}", "ends": f"{form.ends:%H:%M}"}
    return {"truck": form.truck, "technician": form.technician, **hours}


def hours_text(shift: Shift) -> str:
    """'7:00 AM to 3:00 PM' in New York."""
    return f"{time_of_day(shift.starts_at)} to {time_of_day(shift.ends_at)}"


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
