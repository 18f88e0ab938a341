"""Folding of case and accents, and the changes that staff may make."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit.errors import NotALeadValue
from fuel_app.leads import rules as leads
from fuel_app.leads.rules import Change
from fuel_app.settings import settings


def by_definition(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text).casefold()
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


@given(st.text() | st.text(st.characters(codec="ascii")))
def test_fold_equals_its_definition(text):
    assert leads.fold(text) == by_definition(text)


def test_fold_ignores_case_and_accents():
    assert leads.fold("JOSÉ Núñez") == leads.fold("jose nunez") == "jose nunez"


@pytest.mark.parametrize("value", ["", "contacted", "pending", None, 7, ["Contacted"], "x" * 9000])
def test_unknown_status_or_source_is_refused(value):
    with pytest.raises(NotALeadValue):
        Change.status(value)
    with pytest.raises(NotALeadValue):
        Change.source(value)


def test_lead_source_control_writes_to_the_column_that_the_setting_names(monkeypatch):
    assert Change.source("Meta Ads") == Change("status", "Meta Ads")
    other = settings.model_copy(update={"lead_source_writes": "lead_source"})
    monkeypatch.setattr(leads, "settings", other)
    assert Change.source("Meta Ads") == Change("lead_source", "Meta Ads")
