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


@pytest.mark.parametrize(
    ("location", "zip_code"),
    [
        ("1 Main St, Sarasota, FL 34236", "34236"),
        ("1 Main St, Sarasota, FL 34236-1234, USA", "34236"),
        ("34236 Main St, Sarasota", ""),
        ("12345 Main St, 34236, or 34108", "34108"),
        ("Lot 123456, Bradenton", ""),
        ("", ""),
    ],
)
def test_last_zip_code_of_a_location_is_its_own(location, zip_code):
    assert leads.zip_in(location) == zip_code


def test_filters_are_counted_without_the_search():
    assert leads.LeadQuery.parse({"q": "ada", "zip": "342", "type": "fleet"}).filters == 2
