"""What a neighborhood earns, and what its members see of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit.money import dollars
from fuel_app.neighborhoods.rules import neighborhoods
from fuel_app.neighborhoods.rules.neighborhoods import (
    NeighborhoodSummary,
    badge_color,
    name_key,
    next_tier,
    tier_for,
)


def neighborhood(members: int = 1, **differs: str) -> NeighborhoodSummary:
    shown = {"id": "0f8fad5b", "name": "Palm Court", "zip_code": "34236"} | differs
    return NeighborhoodSummary(**shown, members=members)


@pytest.mark.parametrize(
    ("members", "level", "monthly", "yearly"),
    [
        (0, 0, 0, 0),
        (1, 0, 0, 0),
        (4, 0, 0, 0),
        (5, 1, 5, 60),
        (9, 1, 5, 60),
        (10, 2, 10, 120),
        (19, 2, 10, 120),
        (20, 3, 15, 180),
        (25, 3, 15, 180),
        (1_000_000, 3, 15, 180),
    ],
)
def test_more_neighbors_earn_a_higher_tier(members, level, monthly, yearly):
    tier = tier_for(members)
    assert (tier.level, tier.monthly_discount) == (level, dollars(monthly))
    assert tier.yearly_discount == dollars(yearly)
    assert tier.label == f"Tier {level}"
    assert neighborhood(members).tier == tier


def test_a_tier_spans_members_up_to_the_next():
    spans = [neighborhoods.members_range(tier) for tier in neighborhoods.TIERS]
    assert spans == ["0-4", "5-9", "10-19", "20+"]


@pytest.mark.parametrize(
    ("members", "goal"),
    [(0, 5), (4, 5), (5, 10), (9, 10), (10, 20), (19, 20), (20, 20), (25, 20)],
)
def test_progress_fills_towards_the_next_tier(members, goal):
    assert neighborhoods.progress_goal(members) == goal


@pytest.mark.parametrize(
    ("members", "level"), [(0, 1), (4, 1), (5, 2), (9, 2), (10, 3), (19, 3), (20, None), (25, None)]
)
def test_the_next_tier_is_one_up_until_the_top(members, level):
    tier = next_tier(members)
    assert (tier and tier.level) == level


@pytest.mark.parametrize(
    ("members", "color"),
    [(0, "grey"), (4, "grey"), (5, "yellow"), (9, "yellow"), (10, "green"), (25, "green")],
)
def test_the_badge_turns_yellow_then_green(members, color):
    assert badge_color(members) == color


@pytest.mark.parametrize(
    ("members", "step"),
    [
        (0, "5 more neighbors and everyone saves $5 a month, $60 a year"),
        (4, "1 more neighbor and everyone saves $5 a month, $60 a year"),
        (5, "5 more neighbors and everyone saves $10 a month, $120 a year"),
        (9, "1 more neighbor and everyone saves $10 a month, $120 a year"),
        (10, "10 more neighbors and everyone saves $15 a month, $180 a year"),
        (19, "1 more neighbor and everyone saves $15 a month, $180 a year"),
        (20, "Everyone saves $15 a month, $180 a year"),
        (25, "Everyone saves $15 a month, $180 a year"),
    ],
)
def test_a_neighborhood_knows_what_it_is_working_towards(members, step):
    assert neighborhood(members).next_step == step


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0 neighbors"), (1, "1 neighbor"), (2, "2 neighbors")]
)
def test_neighbors_are_counted_in_words(count, words):
    assert neighborhoods.neighbors(count) == words


@pytest.mark.parametrize(
    ("members", "words"), [(4, "1 short of Tier 1"), (5, "5 short of Tier 2"), (25, "")]
)
def test_a_neighborhood_says_how_far_its_next_tier_is(members, words):
    assert neighborhoods.missing_to_next(members) == words


@pytest.mark.parametrize(
    "name",
    ["Palm Court", "palm court", "PALM  COURT", " Palm\tCourt ", "palmcourt", "Palm\u00a0Court"],
)
def test_names_are_the_same_whatever_their_case_and_spaces(name):
    assert name_key(name) == name_key("Palm Court")


def test_a_sharp_s_is_two():
    assert name_key("Weiße Straße") == name_key("WEISSE STRASSE")


@pytest.mark.parametrize("name", ["Palm Court 2", "Palm-Court", "Pálm Court", "Palm Cour"])
def test_other_names_are_other_neighborhoods(name):
    assert name_key(name) != name_key("Palm Court")


def test_a_neighborhood_name_is_required_and_short():
    assert neighborhoods.clean_name("  Palm \n Court ") == "Palm Court"
    assert neighborhoods.clean_name("x" * 60) == "x" * 60
    with pytest.raises(ValueError, match="Neighborhood name is required"):
        neighborhoods.clean_name(" ")
    with pytest.raises(ValueError, match="Neighborhood name must be 60 characters or fewer"):
        neighborhoods.clean_name("x" * 61)


@given(st.integers(min_value=0))
def test_one_more_neighbor_never_lowers_the_tier(members):
    assert tier_for(members + 1).level >= tier_for(members).level
    assert neighborhoods.progress_goal(members) in {5, 10, 20}
    assert neighborhood(members).next_step


@given(st.text())
def test_every_accepted_name_has_a_key_that_fits(typed):
    try:
        name = neighborhoods.clean_name(typed)
    except ValueError:
        return
    assert 0 < len(name_key(name)) <= 200
    assert name_key(name_key(name)) == name_key(name)
