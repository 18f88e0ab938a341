"""Completion of half-typed places, and the service area."""

from math import inf, nan

import pytest
import zipcodes
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.areas.rules.places import (
    MOST,
    ZIP_CODES,
    Gazetteer,
    Place,
    Point,
    city_served,
    great_circle_meters,
    outline,
    parse_position,
)

PLACES = [
    Place("34201", "FL", "Bradenton"),
    Place("34217", "FL", "Bradenton Beach"),
    Place("34230", "FL", "Sarasota"),
    Place("34236", "FL", "Sarasota"),
    Place("34240", "FL", "Sarasota", ("Lakewood Ranch",)),
    Place("33701", "FL", "Saint Petersburg"),
    Place("12866", "NY", "Saratoga Springs"),
    Place("95070", "CA", "Saratoga"),
    Place("81212", "CO", "Canon City"),
    Place("62269", "IL", "O Fallon"),
]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", []),
        ("s", []),
        ("  ,, ", []),
        ("zz", []),
        ("342", ["Bradenton, FL 34201", "Bradenton Beach, FL 34217", "Sarasota, FL 34230"]),
        ("34236", ["Sarasota, FL 34236"]),
        ("342367", []),
        ("SARATOGA S", ["Saratoga Springs, NY", "Saratoga Springs, NY 12866"]),
        ("Sarasota, FL 3424", ["Sarasota, FL 34240"]),
        ("lakewood", ["Lakewood Ranch, FL"]),
        ("St. Pete", ["Saint Petersburg, FL", "Saint Petersburg, FL 33701"]),
        ("Cañon", ["Canon City, CO", "Canon City, CO 81212"]),
        ("o'fal", ["O Fallon, IL", "O Fallon, IL 62269"]),
        ("1 Main St, Apt 2, lake", ["1 Main St, Apt 2, Lakewood Ranch, FL"]),
        ("1 Main St", []),
        ("a," * 100_000, []),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_completions_of_a_text(typed, found):
    assert Gazetteer(PLACES).complete(typed)[:3] == found


def test_home_state_then_larger_city_comes_first_and_few_are_suggested():
    assert Gazetteer(PLACES).complete("sa")[:2] == ["Sarasota, FL", "Saint Petersburg, FL"]
    many = [Place(f"{number:05}", "TX", f"Springfield {number}") for number in range(300)]
    assert len(Gazetteer(many).complete("spring")) == MOST
    assert len(Gazetteer(many).complete("00")) == MOST
    assert Gazetteer(()).complete("Sarasota") == []


def test_served_zips_equal_the_postal_table():
    for city, codes in ZIP_CODES.items():
        in_use = zipcodes.filter_by(city=city, state="FL", active=True)
        assert {str(code) for code in codes} == {place["zip_code"] for place in in_use}
        assert {city_served(str(code)) for code in codes} == {city}
    assert city_served("34285") is city_served("") is None


def test_outline_encloses_every_zip_and_is_closed():
    square = [(27.0, -82.0), (27.0, -83.0), (28.0, -83.0), (28.0, -82.0)]
    inside = [(27.5, -82.5), (27.1, -82.9), (27.0, -82.5)]  # the last one is on an edge
    codes = [str(code) for code in ZIP_CODES["Sarasota"]]
    places = dict(zip(codes, [*square, *inside], strict=False))
    line = outline(places | {"90210": (34.1, -118.4)})
    assert line[0] == line[-1]
    assert len(line) == 5
    assert set(line) == set(square)
    assert outline({"34230": (27.0, -82.0), "34231": (27.1, -82.1)}) == []


SARASOTA, BRADENTON = Point(27.3364, -82.5307), Point(27.4989, -82.5748)
anywhere = st.builds(Point, st.floats(-90, 90), st.floats(-180, 180))


def test_distance_between_two_cities():
    assert great_circle_meters(SARASOTA, BRADENTON) == pytest.approx(18_580, abs=30)


@given(anywhere, anywhere)
def test_distance_is_symmetric_and_at_most_half_the_globe(a, b):
    assert great_circle_meters(a, b) == pytest.approx(great_circle_meters(b, a))
    assert 0 <= great_circle_meters(a, b) <= 20_015_200
    assert great_circle_meters(a, a) == 0


@pytest.mark.parametrize(
    ("lat", "lng", "found"),
    [
        (27, -82.5, Point(27.0, -82.5)),
        *((value, 0, None) for value in ("27", None, True, nan, inf, 91, 10**400)),
        *((0, value, None) for value in ("x", False, 181)),
    ],
)
def test_invalid_browser_position_is_none(lat, lng, found):
    assert parse_position(lat, lng) == found
