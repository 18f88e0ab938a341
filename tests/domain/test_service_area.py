"""Where we deliver today."""

import pytest
import zipcodes

from fuel_app.domain.service_area import ZIP_CODES, city_served, serves


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
