"""What the address of the staff's table of neighborhoods asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.neighborhoods.rules.listing import (
    MIN_OVER_MAX,
    NOT_A_NUMBER,
    NeighborhoodPage,
    NeighborhoodQuery,
    problems,
)


def test_an_empty_address_asks_for_all_neighborhoods_by_name():
    assert NeighborhoodQuery.parse({}) == NeighborhoodQuery()
    assert NeighborhoodQuery().parameters() == {}
    assert not NeighborhoodQuery().filtered


def test_an_address_says_all_that_is_asked_for():
    asked = {
        "q": "Palm",
        "zip": "342",
        "min": "3",
        "max": "9",
        "pioneer": "ada",
        "missing": "2",
        "sort": "-members",
        "page": "4",
    }
    query = NeighborhoodQuery.parse(asked)
    assert query == NeighborhoodQuery("Palm", "342", 3, 9, "ada", 2, "members", True, 4)
    assert query.parameters() == asked
    assert query.filtered


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("min", "many"),
        ("min", "-1"),
        ("max", "1.5"),
        ("max", "1" * 10),
        ("max", "٣"),
        ("missing", "0"),
        ("missing", "11"),
        ("sort", "email"),
        ("sort", "--name"),
        ("page", "0"),
        ("page", None),
        ("q", ["Palm"]),
    ],
)
def test_what_makes_no_sense_leaves_nothing_out(name, value):
    assert NeighborhoodQuery.parse({name: value}) == NeighborhoodQuery()


def test_nought_is_a_number_of_members():
    assert NeighborhoodQuery.parse({"max": "0"}).most == 0
    assert NeighborhoodQuery.parse({"min": "0"}).parameters() == {"min": "0"}


@pytest.mark.parametrize(
    ("asked", "messages"),
    [
        ({}, {}),
        ({"min": "", "max": " "}, {}),
        ({"min": "2", "max": "2"}, {}),
        ({"min": "two"}, {"min": NOT_A_NUMBER}),
        ({"min": "2", "max": "-2"}, {"max": NOT_A_NUMBER}),
        ({"min": "3", "max": "2"}, {"min": MIN_OVER_MAX}),
    ],
)
def test_a_wrong_number_is_named(asked, messages):
    assert problems(asked) == messages


@pytest.mark.parametrize("only", [{"sort": "-zip"}, {"page": "2"}])
def test_an_order_and_a_page_leave_no_neighborhood_out(only):
    assert not NeighborhoodQuery.parse(only).filtered


@given(st.dictionaries(st.sampled_from(["q", "zip", "min", "max", "sort", "page"]), st.text()))
def test_what_an_address_says_reads_the_same_again(asked):
    query = NeighborhoodQuery.parse(asked)
    assert NeighborhoodQuery.parse(query.parameters()) == query


@pytest.mark.parametrize(("total", "pages"), [(0, 1), (50, 1), (51, 2)])
def test_a_page_has_fifty_lines(total, pages):
    assert NeighborhoodPage((), 1, total).pages == pages
