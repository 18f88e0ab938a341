"""Drives through points, and links to driving directions."""

from dataclasses import dataclass
from urllib.parse import urlencode

from fuel_app.areas.rules.places import Point, on_earth

# Sarasota and Manatee county with their islands, and a little around them.
_SOUTH, _NORTH = 26.9, 27.7
_WEST, _EAST = -82.9, -82.0


def find_fault(point: Point) -> str | None:
    """Return why a point cannot be a stop, worded for staff; None if it can."""
    if not on_earth(*point) or point == (0, 0):
        return "It has no valid coordinates."
    if _in_area(*point):
        return None
    if _in_area(point.lng, point.lat):
        return "Its latitude and longitude are swapped."
    return "It is outside the service area."


def directions_link(to: Point | str, start: Point | None = None) -> str:
    """Link to driving directions to a point or an address in Google Maps.

    Without a start they begin at the device.
    https://developers.google.com/maps/documentation/urls/get-started#directions-action
    """
    question = {
        "api": "1",
        "destination": to if isinstance(to, str) else _pair(to),
        "travelmode": "driving",
    }
    if start:
        question["origin"] = _pair(start)
    return f"https://www.google.com/maps/dir/?{urlencode(question, safe=',')}"


def _in_area(lat: float, lng: float) -> bool:
    return _SOUTH <= lat <= _NORTH and _WEST <= lng <= _EAST


def _pair(point: Point) -> str:
    return f"{point.lat:.6f},{point.lng:.6f}"


OFFLINE = "Offline estimate"
ESTIMATED = "Estimated without live traffic"


def duration_text(seconds: float) -> str:
    """Format a duration: '1 min', '12 mins', '1 hour 5 mins'."""
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    parts = ((hours, "hour"), (minutes, "min"))
    return " ".join(f"{n} {unit}{'s' if n > 1 else ''}" for n, unit in parts if n)


@dataclass(frozen=True, slots=True)
class Leg:
    """The drive from one point of a route to the next."""

    seconds: int
    duration: str

    @classmethod
    def lasting(cls, seconds: float) -> "Leg":
        return cls(round(seconds), duration_text(seconds))


@dataclass(frozen=True, slots=True)
class Drive:
    """A provider's answer for points to drive through: one leg fewer than points."""

    legs: tuple[Leg, ...]
    line: tuple[Point, ...]
    provider: str
    estimated: bool = False  # without live traffic


MOST_STOPS = 500  # a matrix has a number for each pair
