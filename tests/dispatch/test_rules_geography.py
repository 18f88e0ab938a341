"""Which points can be driven to, and how far apart they are."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.dispatch.rules.geography import Point, fault, great_circle_meters, position

SARASOTA, BRADENTON = Point(27.3364, -82.5307), Point(27.4989, -82.5748)
anywhere = st.builds(Point, st.floats(-90, 90), st.floats(-180, 180))


def test_the_cities_are_as_far_apart_as_a_map_says():
    assert great_circle_meters(SARASOTA, BRADENTON) == pytest.approx(18_580, abs=30)


@given(anywhere, anywhere)
def test_distance_is_the_same_both_ways_and_never_more_than_half_around(a, b):
    assert great_circle_meters(a, b) == pytest.approx(great_circle_meters(b, a))
    assert 0 <= great_circle_meters(a, b) <= 20_015_200
    assert great_circle_meters(a, a) == 0


@pytest.mark.parametrize("point", [SARASOTA, BRADENTON, Point(27, -82.4)])
def test_the_area_can_be_driven_to(point):
    assert fault(point) is None


@pytest.mark.parametrize(
    ("point", "what"),
    [
        ((0, 0), "no valid coordinates"),
        ((nan, -82.5), "no valid coordinates"),
        ((27.3, inf), "no valid coordinates"),
        ((-82.5307, 27.3364), "latitude and longitude are swapped"),
        ((25.76, -80.19), "outside the service area"),
        ((27.3364, 82.5307), "outside the service area"),
    ],
)
def test_what_is_wrong_with_a_point_is_said(point, what):
    assert what in (fault(Point(*point)) or "")


@pytest.mark.parametrize(
    ("lat", "lng", "found"),
    [
        (27, -82.5, Point(27.0, -82.5)),
        (0, 0, Point(0.0, 0.0)),
        ("27", "-82.5", None),
        (None, None, None),
        (True, 1, None),
        (1, False, None),
        (27.3, "x", None),
        (nan, 0, None),
        (inf, 0, None),
        (91, 0, None),
        (0, 181, None),
        (10**400, 0, None),
    ],
)
def test_a_position_comes_from_a_browser_and_may_be_anything(lat, lng, found):
    assert position(lat, lng) == found
