"""Folding of case and accents for comparisons of leads."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from fuel_app.leads import rules as leads


def by_definition(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@given(st.text() | st.text(st.characters(codec="ascii")))
def test_fold_equals_its_definition(text):
    assert leads.fold(text) == by_definition(text)


def test_fold_ignores_case_and_accents():
    assert leads.fold("JOSÉ Núñez") == leads.fold("jose nunez") == "jose nunez"
