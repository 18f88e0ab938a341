"""A visitor asks about a ZIP."""

import pytest

from fuel_app.marketing.state import ServiceAreaState
from tests.helpers.tabs import tab_at


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("34236", ("34236", "Sarasota", "")),
        (" 34209 ", ("34209", "Bradenton", "")),
        ("90210", ("90210", "", "")),
        ("3423", ("", "", "ZIP code must be 5 digits")),
        (None, ("", "", "ZIP code must be 5 digits")),
    ],
)
async def test_the_answer_is_honest(typed, answer):
    state = await tab_at().get_state(ServiceAreaState)
    state.check({"zip_code": typed})
    assert (state.zip_code, state.city, state.error) == answer
