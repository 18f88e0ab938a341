"""Whose car is due near a day's stops: within some days of it, and not far in a straight line."""

from dataclasses import dataclass
from datetime import date

from fuel_app.forecasts.rules.forecasts import Forecast, short_day
from fuel_app.kit.clock import day_of
from fuel_app.kit.words import counted

NEAR_DAYS = 3  # before or after the stops' day
NEAR_M = (750, 3_000)  # to each side of a stop: the wider box where too few live in the other
MOST = 20  # cars that are shown
_MILE_M = 1609.344


@dataclass(frozen=True, slots=True)
class NearCar:
    """A car that is due and not booked, whose customer has a place near a stop."""

    id: str
    title: str
    person_id: str
    customer: str
    when: Forecast
    meters: float  # to the nearest stop, in a straight line

    @property
    def distance(self) -> str:
        """Return '0.4 miles'."""
        miles = self.meters / _MILE_M
        return "less than 0.1 miles" if miles < 0.1 else f"{miles:.1f} miles"


def is_due_about(when: Forecast, day: date) -> bool:
    return abs((day_of(when.due) - day).days) <= NEAR_DAYS


def due_text(when: Forecast, day: date) -> str:
    """Return 'Due around Thu, Dec 3, 2 days later', as seen from the stops' day."""
    days = (day_of(when.due) - day).days
    apart = f"{counted(abs(days), 'day')} {'later' if days > 0 else 'earlier'}"
    return f"Due around {short_day(when.due)}, {apart if days else 'the same day'}"
