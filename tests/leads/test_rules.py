"""Folding of case and accents, the promise of an answer, and the changes that staff may make."""

import unicodedata
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit.clock import NEW_YORK
from fuel_app.kit.errors import NotALeadValue
from fuel_app.leads import rules as leads
from fuel_app.leads.rules import (
    Change,
    LeadQuery,
    answer_due,
    overdue_before,
    promise_text,
)
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
    assert Change.source("Meta Ads") == Change("status", {"status": "Meta Ads"})
    other = settings.model_copy(update={"lead_source_writes": "lead_source"})
    monkeypatch.setattr(leads, "settings", other)
    assert Change.source("Meta Ads") == Change("lead_source", {"lead_source": "Meta Ads"})


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


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=NEW_YORK)


@pytest.mark.parametrize(
    ("asked", "due"),
    [
        ("2026-11-24T14:30", "2026-11-25T14:30"),  # a Tuesday
        ("2026-11-24T08:00", "2026-11-25T08:00"),
        ("2026-11-24T07:59", "2026-11-24T17:00"),  # before the office opens: this evening
        ("2026-11-24T17:00", "2026-11-25T17:00"),  # after it has closed: the next one's
        ("2026-11-24T23:59", "2026-11-25T17:00"),
        ("2026-11-20T16:59", "2026-11-23T16:59"),  # a Friday
        ("2026-11-20T17:00", "2026-11-23T17:00"),
        ("2026-11-21T03:00", "2026-11-23T17:00"),  # a Saturday
        ("2026-11-22T20:00", "2026-11-23T17:00"),
        ("2026-03-06T10:00", "2026-03-09T10:00"),  # the clock goes forward between
        ("2026-10-30T10:00", "2026-11-02T10:00"),  # and back
        ("2026-03-08T03:30", "2026-03-09T17:00"),
    ],
)
def test_answer_is_due_within_one_business_day(asked, due):
    assert answer_due(local(asked)) == local(due)


HOURS = [local(f"2026-03-{day:02}T{hour:02}:00") for day in range(5, 12) for hour in (7, 8, 12, 17)]
MOMENTS = st.sampled_from(HOURS) | st.integers(0, 20 * 24 * 60 * 60).map(
    lambda seconds: local("2026-02-27T00:00") + timedelta(seconds=seconds)
)


@given(asked=MOMENTS, now=MOMENTS)
def test_quotes_before_a_moment_are_those_whose_answer_is_due(asked, now):
    asked_at, now_at = asked.astimezone(UTC), now.astimezone(UTC)
    assert (asked_at < overdue_before(now_at)) == (answer_due(asked_at) <= now_at)


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ("2026-11-25T11:20", "Answer due in 3 h"),
        ("2026-11-25T13:40", "Answer due in 50 min"),
        ("2026-11-25T14:30", "Overdue by 1 min"),
        ("2026-11-25T16:35", "Overdue by 2 h"),
        ("2026-11-27T14:30", "Overdue by 2 days"),
    ],
)
def test_promise_says_how_long_is_left(now, text):
    assert promise_text(local("2026-11-24T14:30"), local(now)) == text


def test_weekend_is_part_of_what_is_left():
    assert promise_text(local("2026-11-20T14:30"), local("2026-11-20T14:30")) == (
        "Answer due in 3 days"
    )


def test_filters_of_quotes_know_their_own_values_alone():
    owner = "0195f3d2-7c1a-7bd4-8a1f-3a2c9d5e7f10"
    asked = {"owner": owner, "answer": "overdue", "next": "due"}
    assert LeadQuery.parse(asked).parameters() == asked
    assert LeadQuery.parse({"owner": "none"}).owner == "none"
    assert LeadQuery.parse({"owner": "me", "answer": "x", "next": "x"}) == LeadQuery()


def test_reason_of_a_lost_quote_is_one_of_the_list():
    assert Change.lost("price", " 3 cents ").values == {
        "status": "Closed Lost",
        "lost_reason": "price",
        "lost_note": "3 cents",
    }
    with pytest.raises(NotALeadValue):
        Change.lost("rain", "")
