"""The text by which leads are compared."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from fuel_app.leads import rules as leads


def by_definition(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@given(st.text() | st.text(st.characters(codec="ascii")))
def test_the_short_way_for_plain_letters_leads_to_the_same_text(text):
    assert leads.fold(text) == by_definition(text)


def test_case_and_accents_make_no_difference():
    assert leads.fold("JOSÉ Núñez") == leads.fold("jose nunez") == "jose nunez"
