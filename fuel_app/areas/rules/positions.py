"""Positions on earth: parsing and distances."""

from math import asin, cos, isfinite, radians, sin, sqrt
from typing import NamedTuple

EARTH_RADIUS_M = 6_371_009  # the mean radius R1 of the IUGG
NEARBY_M = 25_000  # from the middle of its ZIP to any address


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
    return Point(float(lat), float(lng)) if on_earth(lat, lng) else None


def on_earth(lat: float, lng: float) -> bool:
    if abs(lat) > 90 or abs(lng) > 180:  # first: a huge integer does not fit into a float
        return False
    return isfinite(lat) and isfinite(lng)


def great_circle_meters(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return the distance by the haversine formula."""
    lat_a, lng_a, lat_b, lng_b = map(radians, (*a, *b))
    chord = sin((lat_b - lat_a) / 2) ** 2
    chord += cos(lat_a) * cos(lat_b) * sin((lng_b - lng_a) / 2) ** 2
    return 2 * EARTH_RADIUS_M * asin(min(1.0, sqrt(chord)))


class Located(NamedTuple):
    """A car's place; an approximate one waits for its pin."""

    lat: float
    lng: float
    is_approximate: bool
