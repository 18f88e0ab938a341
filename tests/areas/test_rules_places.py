"""Completing a half-typed place."""

import pytest

from fuel_app.areas.rules import MOST, Gazetteer, Place

PLACES = [
    Place("34201", "FL", "Bradenton"),
    Place("34217", "FL", "Bradenton Beach"),
    Place("34230", "FL", "Sarasota"),
    Place("34236", "FL", "Sarasota"),
    Place("34240", "FL", "Sarasota", ("Lakewood Ranch",)),
    Place("33701", "FL", "Saint Petersburg"),
    Place("12866", "NY", "Saratoga Springs"),
    Place("95070", "CA", "Saratoga"),
    Place("81212", "CO", "Canon City"),
    Place("62269", "IL", "O Fallon"),
]


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("", []),
        ("s", []),
        ("  ,, ", []),
        ("zz", []),
        ("342", ["Bradenton, FL 34201", "Bradenton Beach, FL 34217", "Sarasota, FL 34230"]),
        ("34236", ["Sarasota, FL 34236"]),
        ("342367", []),
        ("SARATOGA S", ["Saratoga Springs, NY", "Saratoga Springs, NY 12866"]),
        ("Sarasota, FL 3424", ["Sarasota, FL 34240"]),
        ("lakewood", ["Lakewood Ranch, FL"]),
        ("St. Pete", ["Saint Petersburg, FL", "Saint Petersburg, FL 33701"]),
        ("Cañon", ["Canon City, CO", "Canon City, CO 81212"]),
        ("o'fal", ["O Fallon, IL", "O Fallon, IL 62269"]),
        ("1 Main St, Apt 2, lake", ["1 Main St, Apt 2, Lakewood Ranch, FL"]),
        ("1 Main St", []),
    ],
)
def test_what_a_text_may_become(typed, found):
    assert Gazetteer(PLACES).complete(typed)[:3] == found


def test_the_home_state_comes_first_then_the_bigger_city():
    found = Gazetteer(PLACES).complete("sa")
    assert found[:2] == ["Sarasota, FL", "Saint Petersburg, FL"]


def test_suggestions_fit_on_a_phone():
    many = [Place(f"{number:05}", "TX", f"Springfield {number}") for number in range(300)]
    assert len(Gazetteer(many).complete("spring")) == MOST
    assert len(Gazetteer(many).complete("00")) == MOST


def test_no_places_no_suggestions():
    assert Gazetteer(()).complete("Sarasota") == []


def test_a_text_without_end_is_answered_like_a_short_one():
    assert Gazetteer(PLACES).complete("a," * 100_000) == []
