"""Points on the map: which can be stops, and how far apart they are."""

from math import asin, cos, isfinite, radians, sin, sqrt
from typing import NamedTuple

EARTH_RADIUS_M = 6_371_009  # the mean radius R1 of the IUGG

# Sarasota and Manatee county with their islands, and a little around them.
_SOUTH, _NORTH = 26.9, 27.7
_WEST, _EAST = -82.9, -82.0


class Point(NamedTuple):
    """Degrees, latitude first as maps for people have it."""

    lat: float
    lng: float


def position(lat: object, lng: object) -> Point | None:
    """A position that a browser has sent; None if it cannot be one."""
    if isinstance(lat, bool) or isinstance(lng, bool):
        return None
    if not isinstance(lat, int | float) or not isinstance(lng, int | float):
        return None
    return Point(float(lat), float(lng)) if _on_earth(lat, lng) else None


def fault(point: Point) -> str | None:
    """Why nobody can be sent to this point, worded for staff; None if somebody can."""
    if not _on_earth(*point) or point == (0, 0):
        return "It has no valid coordinates."
    if _in_area(*point):
        return None
    if _in_area(point.lng, point.lat):
        return "Its latitude and longitude are swapped."
    return "It is outside the service area."


def great_circle_meters(a: Point, b: Point) -> float:
    """The haversine formula, which is exact enough at any distance."""
    lat_a, lng_a, lat_b, lng_b = map(radians, (*a, *b))
    chord = sin((lat_b - lat_a) / 2) ** 2
    chord += cos(lat_a) * cos(lat_b) * sin((lng_b - lng_a) / 2) ** 2
    return 2 * EARTH_RADIUS_M * asin(min(1.0, sqrt(chord)))


def _on_earth(lat: float, lng: float) -> bool:
    if abs(lat) > 90 or abs(lng) > 180:  # before floats: an integer may be of any size
        return False
    return isfinite(lat) and isfinite(lng)


def _in_area(lat: float, lng: float) -> bool:
    return _SOUTH <= lat <= _NORTH and _WEST <= lng <= _EAST
