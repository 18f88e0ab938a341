"""Points: validation, distances and links to driving directions."""

from math import asin, cos, isfinite, radians, sin, sqrt
from typing import NamedTuple
from urllib.parse import urlencode

EARTH_RADIUS_M = 6_371_009  # the mean radius R1 of the IUGG

# Sarasota and Manatee county with their islands, and a little around them.
_SOUTH, _NORTH = 26.9, 27.7
_WEST, _EAST = -82.9, -82.0


class Point(NamedTuple):
    """Latitude and longitude in degrees."""

    lat: float
    lng: float


def position(lat: object, lng: object) -> Point | None:
    """Parse a position from a browser; None if it is invalid."""
    if isinstance(lat, bool) or isinstance(lng, bool):
        return None
    if not isinstance(lat, int | float) or not isinstance(lng, int | float):
        return None
    return Point(float(lat), float(lng)) if _on_earth(lat, lng) else None


def fault(point: Point) -> str | None:
    """Return why a point cannot be a stop, worded for staff; None if it can."""
    if not _on_earth(*point) or point == (0, 0):
        return "It has no valid coordinates."
    if _in_area(*point):
        return None
    if _in_area(point.lng, point.lat):
        return "Its latitude and longitude are swapped."
    return "It is outside the service area."


def great_circle_meters(a: Point, b: Point) -> float:
    """Return the distance by the haversine formula."""
    lat_a, lng_a, lat_b, lng_b = map(radians, (*a, *b))
    chord = sin((lat_b - lat_a) / 2) ** 2
    chord += cos(lat_a) * cos(lat_b) * sin((lng_b - lng_a) / 2) ** 2
    return 2 * EARTH_RADIUS_M * asin(min(1.0, sqrt(chord)))


def directions_link(to: Point, start: Point | None = None) -> str:
    """Link to driving directions in Google Maps; without a start they begin at the device.

    https://developers.google.com/maps/documentation/urls/get-started#directions-action
    """
    question = {"api": "1", "destination": _pair(to), "travelmode": "driving"}
    if start:
        question["origin"] = _pair(start)
    return f"https://www.google.com/maps/dir/?{urlencode(question, safe=',')}"


def _on_earth(lat: float, lng: float) -> bool:
    if abs(lat) > 90 or abs(lng) > 180:  # first: a huge integer does not fit into a float
        return False
    return isfinite(lat) and isfinite(lng)


def _in_area(lat: float, lng: float) -> bool:
    return _SOUTH <= lat <= _NORTH and _WEST <= lng <= _EAST


def _pair(point: Point) -> str:
    return f"{point.lat:.6f},{point.lng:.6f}"
