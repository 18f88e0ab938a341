"""Places: completion of half-typed US cities and ZIP codes, positions on earth, and distances."""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from heapq import nsmallest
from math import asin, cos, isfinite, radians, sin, sqrt
from typing import NamedTuple

EARTH_RADIUS_M = 6_371_009  # the mean radius R1 of the IUGG
NEARBY_M = 25_000  # from the middle of its ZIP to any address


class Point(NamedTuple):
    """Latitude and longitude in degrees."""

    lat: float
    lng: float


def parse_position(lat: object, lng: object) -> Point | None:
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
    """A car's location; an approximate one waits for its pin."""

    lat: float
    lng: float
    is_approximate: bool


LOCATION_MAX = 300  # characters

HOME_STATE = "FL"
MOST = 6  # suggestions
LEAST_TYPED = 2  # characters before there is anything to suggest
LONGEST_TYPED = 100

_ABBREVIATIONS = {"st": "saint", "ft": "fort", "mt": "mount"}
_AFTER_ALL = "\uffff"


class Place(NamedTuple):
    """One ZIP with its city and other names in its addresses."""

    zip_code: str
    state: str
    city: str
    other_cities: tuple[str, ...] = ()


class Gazetteer:
    """Sorted places; a search is two binary ones."""

    def __init__(self, places: Iterable[Place]) -> None:
        zips_of: Counter[str] = Counter()
        zips, with_city = [], []
        for place in places:
            label = f"{place.city}, {place.state} {place.zip_code}"
            zips.append((place.zip_code, label))
            with_city.append((_key(label), label))
            for city in (place.city, *place.other_cities):
                zips_of[f"{city}, {place.state}"] += 1
        self._zips = _Sorted(zips)
        self._with_city = _Sorted(with_city)
        self._cities = _Sorted((_key(label), label) for label in zips_of)
        self._rank = {
            label: (not label.endswith(HOME_STATE), -size) for label, size in zips_of.items()
        }

    def complete(self, text: str) -> list[str]:
        """Return completions of a text; after a comma, of its last part."""
        typed = _key(text[:LONGEST_TYPED])
        if len(typed) < LEAST_TYPED:
            return []
        if completions := self._search(typed):
            return completions
        before, comma, after = text[:LONGEST_TYPED].partition(",")
        return [f"{before.strip()}, {each}" for each in self.complete(after)] if comma else []

    def _search(self, typed: str) -> list[str]:
        if typed[0].isdigit():
            return self._zips.starting_with(typed)[:MOST]
        cities = nsmallest(MOST, self._cities.starting_with(typed), key=self._rank.__getitem__)
        if len(cities) < MOST:
            cities += self._with_city.starting_with(typed)[: MOST - len(cities)]
        return cities


class _Sorted:
    """Labels sorted by their keys."""

    def __init__(self, entries: Iterable[tuple[str, str]]) -> None:
        in_order = sorted(entries)
        self._keys = [key for key, _ in in_order]
        self._labels = [label for _, label in in_order]

    def starting_with(self, prefix: str) -> list[str]:
        first = bisect_left(self._keys, prefix)
        return self._labels[first : bisect_left(self._keys, prefix + _AFTER_ALL, first)]


def _key(text: str) -> str:
    """Normalize a place: ASCII lower case, `St.` and the like spelled out."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    if len(words) > 1:
        words[0] = _ABBREVIATIONS.get(words[0], words[0])
    return " ".join(words)


Coordinates = tuple[float, float]  # latitude and longitude, in degrees

# The ZIP codes in use whose mail is addressed to these cities, post-office boxes included:
# USPS ZIP Locale Detail (postalpro.usps.com/ZIP_Locale_Detail) as in the `zipcodes` package 3.0.0.
# `tests/areas/test_rules_places.py` compares the two.
ZIP_CODES = {
    "Sarasota": (*range(34230, 34244), 34249, 34260, 34276, 34277),
    "Bradenton": (*range(34201, 34213), *range(34280, 34283)),
}

_CITIES = {str(code): city for city, codes in ZIP_CODES.items() for code in codes}


def city_served(zip_code: str) -> str | None:
    """Return the city of a ZIP of the area; None outside."""
    return _CITIES.get(zip_code)


def not_yet(zip_code: str) -> str:
    """Return what a visitor from a ZIP outside the open areas is told."""
    return (
        f"We do not serve {zip_code} yet. Join the waitlist and we write to you when we open there."
    )


def outline(places: Mapping[str, Coordinates]) -> list[Coordinates]:
    """Return a closed line around the area; empty if too few of its ZIPs have a position.

    The convex hull (A. M. Andrew, 'Another efficient algorithm for convex hulls', 1979).
    """
    inside = sorted({places[code] for code in _CITIES if code in places})
    if len(inside) < 3:
        return []
    return _half(inside)[:-1] + _half(reversed(inside))


def _half(places: Iterable[Coordinates]) -> list[Coordinates]:
    hull: list[Coordinates] = []
    for place in places:
        while len(hull) > 1 and not _turns_left(hull[-2], hull[-1], place):
            hull.pop()
        hull.append(place)
    return hull


def _turns_left(a: Coordinates, b: Coordinates, c: Coordinates) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])
