"""Where we deliver today."""

import pytest
import zipcodes

from fuel_app.areas.rules import ZIP_CODES, city_served, outline, serves


@pytest.mark.parametrize("city", ["Sarasota", "Bradenton"])
def test_the_table_is_what_the_mail_says(city):
    in_use = zipcodes.filter_by(city=city, state="FL", active=True)
    assert {str(code) for code in ZIP_CODES[city]} == {place["zip_code"] for place in in_use}


@pytest.mark.parametrize(
    ("zip_code", "city"),
    [("34236", "Sarasota"), ("34209", "Bradenton"), ("34285", None), ("90210", None), ("", None)],
)
def test_a_zip_is_inside_or_outside(zip_code, city):
    assert city_served(zip_code) == city
    assert serves(zip_code) is (city is not None)


def test_the_outline_goes_around_every_zip_and_ends_where_it_starts():
    square = [(27.0, -82.0), (27.0, -83.0), (28.0, -83.0), (28.0, -82.0)]
    inside = [(27.5, -82.5), (27.1, -82.9), (27.0, -82.5)]  # the last one on an edge
    codes = [str(code) for code in ZIP_CODES["Sarasota"]]
    places = dict(zip(codes, [*square, *inside], strict=False))
    line = outline(places | {"90210": (34.1, -118.4)})
    assert line[0] == line[-1]
    assert len(line) == 5
    assert set(line) == set(square)


def test_two_places_have_no_outline():
    assert outline({"34230": (27.0, -82.0), "34231": (27.1, -82.1)}) == []
