"""CSV files: no formula runs in a spreadsheet, and every cell reads back unchanged."""

import csv
import re
from datetime import UTC, datetime
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit.csv import guarded, lines, moment, unguarded


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t1", "\r1", "\n1", "'=", "''@", "\uff1d", "\uff20"]
)
def test_formula_is_prefixed(start):
    assert guarded(f"{start}1+1") == f"'{start}1+1"


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("a; =1+1;-b", "a;' =1+1;'-b"),
        ("a\t@b", "a\t'@b"),
        ("a\n+1\r\n'-1", "a\n'+1\r\n''-1"),
        ('a;"=1+1;b', "a;'\"=1+1;b"),
        ("\uff1d1;\uff1d1", "'\uff1d1;'\uff1d1"),
    ],
)
def test_formula_behind_another_separator_is_prefixed(cell, safe):
    assert guarded(cell) == safe
    assert unguarded(safe) == cell


@given(st.lists(st.text(" '=+-@\t\r\n;,\"1\uff1d", max_size=9), min_size=1, max_size=3))
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_no_cell_is_a_formula_at_any_separator(separator, row):
    file = lines([row])
    cells = [cell for each in csv.reader(StringIO(file, ""), delimiter=separator) for cell in each]
    if separator != ",":
        cells += re.split(f"[{separator}\r\n]", file)  # as one that knows no quotes
    assert [cell for cell in cells if cell.startswith(tuple("=+-@\uff1d"))] == []


@pytest.mark.parametrize(
    "cell", ["", "Ada", "1=1", "'t Hooft", " =1", "a;b", "a;'b", "1;1-1", "a\nb"]
)
def test_other_cells_are_unchanged(cell):
    assert guarded(cell) == unguarded(cell) == cell


@given(st.text() | st.text(" '=+-@\t\r\n;\"1"))
def test_unguarded_reverts_guarded(cell):
    assert unguarded(guarded(cell)) == cell


def test_cells_are_quoted_by_rfc_4180():
    row = ["O'Brien, Ada", 'the "first"', "two\nlines", "👩‍🔬", "plain"]
    assert lines([row]) == '"O\'Brien, Ada","the ""first""","two\nlines",👩‍🔬,plain\r\n'


def test_moments_are_written_in_new_york_time():
    assert moment(datetime(2026, 11, 1, 6, 30, 1, 999, tzinfo=UTC)) == "2026-11-01 01:30:01"
