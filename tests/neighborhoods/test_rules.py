"""Discounts, names, the questions of the staff's screens, and the wording of changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit.money import dollars
from fuel_app.neighborhoods import rules
from fuel_app.neighborhoods.rules import (
    MIN_OVER_MAX,
    NOT_A_NUMBER,
    TIERS,
    MemberQuery,
    NeighborhoodQuery,
    NeighborhoodSummary,
    name_key,
    tier_for,
)


def neighborhood(members: int) -> NeighborhoodSummary:
    return NeighborhoodSummary("0f8fad5b", "Palm Court", "34236", members)


def test_a_tier_spans_members_and_gives_a_monthly_and_a_yearly_discount():
    assert [
        (t.label, rules.members_range(t), t.monthly_discount, t.yearly_discount) for t in TIERS
    ] == [
        ("Tier 0", "0-4", dollars(0), dollars(0)),
        ("Tier 1", "5-9", dollars(5), dollars(60)),
        ("Tier 2", "10-19", dollars(10), dollars(120)),
        ("Tier 3", "20+", dollars(15), dollars(180)),
    ]


@pytest.mark.parametrize(
    ("members", "level", "color", "goal", "missing", "step"),
    [
        (0, 0, "grey", 5, "5 short of Tier 1", "5 more neighbors and everyone saves $5 a month"),
        (4, 0, "grey", 5, "1 short of Tier 1", "1 more neighbor and everyone saves $5 a month"),
        (5, 1, "yellow", 10, "5 short of Tier 2", "5 more neighbors and everyone saves $10 a"),
        (9, 1, "yellow", 10, "1 short of Tier 2", "1 more neighbor and everyone saves $10 a"),
        (10, 2, "green", 20, "10 short of Tier 3", "10 more neighbors and everyone saves $15 a"),
        (19, 2, "green", 20, "1 short of Tier 3", "1 more neighbor and everyone saves $15 a"),
        (20, 3, "green", 20, "", "Everyone saves $15 a month, $180 a year"),
        (1_000_000, 3, "green", 20, "", "Everyone saves $15 a month, $180 a year"),
    ],
)
def test_more_neighbors_reach_a_higher_tier(members, level, color, goal, missing, step):
    assert neighborhood(members).tier == tier_for(members) == TIERS[level]
    assert rules.next_tier(members) == (TIERS[level + 1] if level < 3 else None)
    assert rules.badge_color(members) == color
    assert rules.progress_goal(members) == goal
    assert rules.missing_to_next(members) == missing
    assert neighborhood(members).next_step.startswith(step)


def test_names_are_compared_without_case_and_spaces():
    for same in ("PALM  COURT", " Palm\tCourt ", "palmcourt", "Palm\u00a0Court"):
        assert name_key(same) == name_key("Palm Court")
    assert name_key("Weiße Straße") == name_key("WEISSE STRASSE")
    for other in ("Palm Court 2", "Palm-Court", "Pálm Court", "Palm Cour"):
        assert name_key(other) != name_key("Palm Court")


def test_a_neighborhood_name_is_required_and_short():
    assert rules.clean_name("  Palm \n Court ") == "Palm Court"
    assert rules.clean_name("x" * 60) == "x" * 60
    with pytest.raises(ValueError, match="Neighborhood name is required"):
        rules.clean_name(" ")
    with pytest.raises(ValueError, match="Neighborhood name must be 60 characters or fewer"):
        rules.clean_name("x" * 61)


@given(st.text())
def test_every_accepted_name_has_a_key_that_fits(typed):
    try:
        name = rules.clean_name(typed)
    except ValueError:
        return
    assert 0 < len(name_key(name)) <= 200
    assert name_key(name_key(name)) == name_key(name)


@pytest.mark.parametrize(
    ("asked", "least", "most", "short_of", "problems"),
    [
        ({}, None, None, None, ("", "")),
        ({"min": "0", "max": "0", "missing": "10"}, 0, 0, 10, ("", "")),
        ({"min": "2", "max": "2", "missing": "11"}, 2, 2, None, ("", "")),
        ({"min": "two", "missing": "0"}, None, None, None, (NOT_A_NUMBER, "")),
        ({"min": "2", "max": "-2"}, 2, None, None, ("", NOT_A_NUMBER)),
        ({"max": "1.5"}, None, None, None, ("", NOT_A_NUMBER)),
        ({"min": "٣", "max": "1" * 10}, None, None, None, (NOT_A_NUMBER, NOT_A_NUMBER)),
        ({"min": "3", "max": "2"}, 3, 2, None, (MIN_OVER_MAX, "")),
    ],
)
def test_a_number_filter_is_a_whole_number_or_none(asked, least, most, short_of, problems):
    query = NeighborhoodQuery.parse(asked)
    assert (query.least, query.most, query.short_of) == (least, most, short_of)
    assert query.problems == dict(zip(("min", "max"), problems, strict=True))


@pytest.mark.parametrize("query", [NeighborhoodQuery, MemberQuery])
@given(
    asked=st.dictionaries(
        st.sampled_from(["q", "zip", "min", "max", "sort", "page", "lead"]),
        st.none() | st.text() | st.sampled_from(["-name", "email", "--name", "joined", "2", "-2"]),
    )
)
def test_any_address_is_read_and_written_alike(query, asked):
    read = query.parse(asked)
    assert query.parse(read.parameters()) == read
    assert read.page >= 1
    assert read.column in query.COLUMNS


@pytest.mark.parametrize(
    ("kind", "before", "after", "line"),
    [
        ("rename", {"name": "Palm"}, {"name": "Bay"}, "Renamed from Palm to Bay"),
        (
            "merge",
            {"name": "Palm"},
            {"name": "Bay", "moved": 1},
            "Palm was merged into Bay: 1 member moved",
        ),
        (
            "pioneer",
            {"pioneer": "Ada Bell"},
            {"pioneer": "Zoe Young"},
            "Pioneer's role handed from Ada Bell to Zoe Young",
        ),
        ("pioneer", {}, {"pioneer": "Zoe"}, "Pioneer's role handed from nobody to Zoe"),
    ],
)
def test_each_change_is_worded_in_one_line(kind, before, after, line):
    assert rules.change_summary(kind, before, after) == line
