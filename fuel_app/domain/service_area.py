"""Where we deliver today."""

from collections.abc import Iterable, Mapping

Place = tuple[float, float]  # latitude and longitude, in degrees

# The ZIP codes in use whose mail is addressed to these cities, post-office boxes included:
# USPS ZIP Locale Detail (postalpro.usps.com/ZIP_Locale_Detail) as in the `zipcodes` package 3.0.0.
# `tests/domain/test_service_area.py` compares the two.
ZIP_CODES = {
    "Sarasota": (*range(34230, 34244), 34249, 34260, 34276, 34277),
    "Bradenton": (*range(34201, 34213), *range(34280, 34283)),
}

_CITIES = {str(code): city for city, codes in ZIP_CODES.items() for code in codes}


def city_served(zip_code: str) -> str | None:
    """The city of a ZIP inside the area; None outside."""
    return _CITIES.get(zip_code)


def serves(zip_code: str) -> bool:
    return zip_code in _CITIES


def outline(places: Mapping[str, Place]) -> list[Place]:
    """A line around the area, closed; empty where too few of its ZIPs have a place.

    It is the convex hull (A. M. Andrew, 'Another efficient algorithm for convex hulls', 1979).
    """
    inside = sorted({places[code] for code in _CITIES if code in places})
    if len(inside) < 3:
        return []
    return _half(inside)[:-1] + _half(reversed(inside))


def _half(places: Iterable[Place]) -> list[Place]:
    hull: list[Place] = []
    for place in places:
        while len(hull) > 1 and not _turns_left(hull[-2], hull[-1], place):
            hull.pop()
        hull.append(place)
    return hull


def _turns_left(a: Place, b: Place, c: Place) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])
