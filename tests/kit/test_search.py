"""Text as the staff's search of people compares it."""

import pytest

from fuel_app.kit.search import WORDS_MOST, searchable, words_of


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Łukasz O'Neil-Núñez Jr.", "lukasz oneil nunez jr"),
        ("  Straße\n5 ", "strasse 5"),
        ("bob.stone@example.com", "bob stone example com"),
        ("Ⅳ ½ 李", "iv 1 2 李"),
        ("%_'", ""),
    ],
)
def test_texts_are_compared_without_case_accents_and_signs(text, found):
    assert searchable(text) == found


def test_each_word_is_looked_for_once():
    assert words_of("Ann ann ANN Lee") == ("ann", "lee")
    assert len(words_of(" ".join(map(str, range(20))))) == WORDS_MOST
