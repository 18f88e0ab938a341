"""Rules of the waves and of the list of places."""

from datetime import UTC, datetime, timedelta

import pytest

from fuel_app.launch.rules import (
    PAGE_SIZE,
    Candidate,
    DemandQuery,
    DemandRow,
    OpenArea,
    forecast,
    page_of,
    waves_text,
)

OPENED = datetime(2026, 11, 20, tzinfo=UTC)
AREA = OpenArea("area", "Sarasota", OPENED)
SAID = {"submission": "one", "area": "Sarasota"}


@pytest.mark.parametrize(
    ("waiting", "per_day", "words"),
    [
        (0, 100, "Nobody is waiting for an invitation"),
        (1, 100, "1 waiting, about 1 day at 100 a day"),
        (100, 100, "100 waiting, about 1 day at 100 a day"),
        (1240, 100, "1,240 waiting, about 13 days at 100 a day"),
    ],
)
def test_forecast_counts_whole_days(waiting, per_day, words):
    assert forecast(waiting, per_day) == words


@pytest.mark.parametrize(
    ("area_status", "state", "waiting", "words"),
    [
        ("open", "", 3, "Nobody has been invited yet."),
        ("open", "running", 3, "A wave goes out each day, 8 AM to 8 PM."),
        ("open", "running", 0, "Everybody has been invited."),
        ("open", "paused", 3, "Invitations are paused."),
        ("waitlist", "", 3, "Only an open area invites its waitlist."),
        ("paused", "running", 3, "The waves wait until the area is open again."),
    ],
)
def test_waves_are_described_in_a_sentence(area_status, state, waiting, words):
    assert waves_text(area_status, state, waiting) == words


@pytest.mark.parametrize(
    ("joined", "whole", "promise"),
    [
        (OPENED - timedelta(days=1), False, {"free_fill_cap": "$50"}),
        (OPENED - timedelta(days=1), True, {"free_fill_whole": "yes"}),
        (OPENED, False, {}),
        (OPENED, True, {}),
    ],
    ids=["capped", "whole", "after the opening", "whole after the opening"],
)
def test_free_fill_is_promised_to_those_who_joined_before_the_opening(joined, whole, promise):
    person = Candidate("one", "ada@example.com", joined, whole)
    assert person.payload(AREA, "$50") == SAID | promise


PLACES = (
    DemandRow("34236", "34236", "34236", 5, "5", "Sarasota", "open"),
    DemandRow("34205", "34205", "34205", 9, "9"),
    DemandRow("", "No ZIP", "", 7, "7"),
)


def names(**asked: str) -> list[str]:
    return [each.name for each in page_of(PLACES, DemandQuery.parse(asked)).rows]


@pytest.mark.parametrize(
    ("column", "first"),
    [
        ("name", "34205"),
        ("zip", "No ZIP"),
        ("area", "34205"),
        ("", "34205"),
        ("waiting", "34236"),
    ],
)
def test_places_are_sorted_by_each_column(column, first):
    assert names(sort=column)[0] == first


def test_places_are_found_by_name_zip_and_area():
    assert names(q="SARA") == ["34236"]
    assert names(q="342") == ["34205", "34236"]
    assert names(q="elsewhere") == []


def test_places_without_an_area_are_those_with_a_zip():
    assert names(area="none") == ["34205"]


def test_page_beyond_the_end_is_the_last():
    many = [DemandRow(f"{n:05}", f"{n:05}", f"{n:05}", n, f"{n}") for n in range(PAGE_SIZE + 1)]
    found = page_of(many, DemandQuery(page=9))
    assert (found.page, found.pages, found.total, len(found.rows)) == (2, 2, PAGE_SIZE + 1, 1)


def test_unknown_view_shows_zips():
    assert not DemandQuery.parse({"of": "moons"}).of_neighborhoods
    assert DemandQuery.parse({"of": "neighborhoods"}).of_neighborhoods
