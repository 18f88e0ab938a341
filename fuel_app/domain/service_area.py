"""Where we deliver today."""

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
