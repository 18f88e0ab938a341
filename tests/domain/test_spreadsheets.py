"""What a spreadsheet opens runs nothing, and comes back as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.domain.spreadsheets import BOM, guarded, lines, unguarded


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t", "\r", "\n", "'=", "''@", "\uff1d", "\uff20"]
)
def test_what_a_spreadsheet_would_run_is_prefixed(start):
    assert guarded(f"{start}1+1") == f"'{start}1+1"


@pytest.mark.parametrize("cell", ["", "Ada", "1=1", "'t Hooft", " =1"])
def test_everything_else_stays_as_it_is(cell):
    assert guarded(cell) == unguarded(cell) == cell


@given(st.text() | st.text("'=+-@\t\r1"))
def test_the_prefix_can_be_taken_away_again(cell):
    assert unguarded(guarded(cell)) == cell


def test_cells_are_quoted_by_the_standard_alone():
    row = ["O'Brien, Ada", 'the "first"', "two\nlines", "👩‍🔬", "plain"]
    assert lines([row]) == '"O\'Brien, Ada","the ""first""","two\nlines",👩‍🔬,plain\r\n'


def test_a_spreadsheet_knows_the_encoding():
    assert BOM.encode() == b"\xef\xbb\xbf"
