"""Words around numbers."""

import pytest

from fuel_app.kit.words import counted


@pytest.mark.parametrize(
    ("count", "nouns", "text"),
    [
        (0, ("lead",), "0 leads"),
        (1, ("match", "matches"), "1 match"),
        (1234, ("match", "matches"), "1,234 matches"),
    ],
)
def test_a_count_has_its_noun_in_the_right_number(count, nouns, text):
    assert counted(count, *nouns) == text
