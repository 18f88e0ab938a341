"""What a spreadsheet opens runs nothing, and comes back as it was."""

import csv
import re
from datetime import UTC, datetime
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit.csv import BOM, guarded, lines, moment, unguarded


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t1", "\r1", "\n1", "'=", "''@", "\uff1d", "\uff20"]
)
def test_what_a_spreadsheet_would_run_is_prefixed(start):
    assert guarded(f"{start}1+1") == f"'{start}1+1"


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("a;=1+1", "a;'=1+1"),
        ("a; =1+1;-b", "a;' =1+1;'-b"),
        ("a\t@b", "a\t'@b"),
        ("a\n+1\r\n'-1", "a\n'+1\r\n''-1"),
        ('a;"=1+1;b', "a;'\"=1+1;b"),
        ("=1;=2", "'=1;'=2"),
        ("\t=1", "'\t'=1"),
        ("\uff1d1;\uff1d1", "'\uff1d1;'\uff1d1"),
    ],
)
def test_what_would_be_run_by_a_spreadsheet_that_splits_elsewhere_is_prefixed_too(cell, safe):
    assert guarded(cell) == safe
    assert unguarded(safe) == cell


@given(st.lists(st.text(" '=+-@\t\r\n;,\"1\uff1d", max_size=9), min_size=1, max_size=3))
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_nothing_is_run_whatever_the_spreadsheet_splits_at(separator, row):
    file = lines([row])
    cells = [cell for each in csv.reader(StringIO(file, ""), delimiter=separator) for cell in each]
    if separator != ",":
        cells += re.split(f"[{separator}\r\n]", file)  # as one that knows no quotes
    assert [cell for cell in cells if cell.startswith(tuple("=+-@\uff1d"))] == []


@pytest.mark.parametrize(
    "cell", ["", "Ada", "1=1", "'t Hooft", " =1", "a;b", "a;'b", "1;1-1", "a\nb"]
)
def test_everything_else_stays_as_it_is(cell):
    assert guarded(cell) == unguarded(cell) == cell


@given(st.text() | st.text(" '=+-@\t\r\n;\"1"))
def test_the_prefix_can_be_taken_away_again(cell):
    assert unguarded(guarded(cell)) == cell


def test_cells_are_quoted_by_the_standard_alone():
    row = ["O'Brien, Ada", 'the "first"', "two\nlines", "👩‍🔬", "plain"]
    assert lines([row]) == '"O\'Brien, Ada","the ""first""","two\nlines",👩‍🔬,plain\r\n'


def test_a_spreadsheet_knows_the_encoding():
    assert BOM.encode() == b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("at", "written"),
    [
        (datetime(2026, 3, 8, 6, 59, tzinfo=UTC), "2026-03-08 01:59:00"),
        (datetime(2026, 3, 8, 7, 0, tzinfo=UTC), "2026-03-08 03:00:00"),
        (datetime(2026, 11, 1, 5, 30, 1, tzinfo=UTC), "2026-11-01 01:30:01"),
        (datetime(2026, 11, 1, 6, 30, 1, 999, tzinfo=UTC), "2026-11-01 01:30:01"),
    ],
)
def test_moments_are_new_yorks(at, written):
    assert moment(at) == written
