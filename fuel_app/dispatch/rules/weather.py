"""A weather hold as it is asked for: a day, an area, a time, a reason."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.areas.rules.hours import REASON_MAX, clean_day
from fuel_app.bookings.rules.bookings import Booking
from fuel_app.bookings.rules.states import BOOKED, DISPATCHED
from fuel_app.kit import contact
from fuel_app.kit.clock import NEW_YORK
from fuel_app.kit.errors import InvalidForm
from fuel_app.kit.forms import Form, line
from fuel_app.kit.ids import well_formed_id


def clean_time(value: object) -> time:
    """Return a time of day as browsers send it."""
    try:
        return datetime.strptime(contact.text(value), "%H:%M").time()  # noqa: DTZ007
    except ValueError:
        raise ValueError("Choose a time") from None


def clean_area(value: object) -> str:
    """Return an area's id; an empty text is all of them."""
    known = well_formed_id(value) or ""
    if value != "" and not known:
        raise ValueError("Choose an area")
    return known


@dataclass(frozen=True, slots=True)
class Storm:
    """A time in an area, or in all of them."""

    area_id: str
    starts_at: datetime
    ends_at: datetime

    def stops(self, booking: Booking) -> bool:
        """Return whether a booking that no technician has begun has its window in it."""
        is_here = self.area_id in ("", booking.area_id)
        is_then = booking.starts_at < self.ends_at and self.starts_at < booking.ends_at
        return is_here and is_then and booking.state in (BOOKED, DISPATCHED)


class StormForm(Form):
    """The time of a weather hold."""

    day: Annotated[date, PlainValidator(clean_day)]
    area_id: Annotated[str, PlainValidator(clean_area)]
    starts: Annotated[time, PlainValidator(clean_time)]
    ends: Annotated[time, PlainValidator(clean_time)]

    def storm(self, now: datetime) -> Storm:
        """Return the time on New York's clocks.

        Raises:
            InvalidForm: If it ends before it begins, or is over.
        """
        starts, ends = (
            datetime.combine(self.day, each, NEW_YORK).astimezone(UTC)
            for each in (self.starts, self.ends)
        )
        if ends <= starts:
            raise InvalidForm({"ends": "It has to end after it begins"})
        if ends <= now:
            raise InvalidForm({"ends": "This time is over"})
        return Storm(self.area_id, starts, ends)


class HoldForm(StormForm):
    """A weather hold, with the reason that customers read."""

    reason: Annotated[str, line("Reason", REASON_MAX)]
