"""What a spreadsheet opens runs nothing, and comes back as it was."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.domain.lead_files import BOM, export_row, lines
from fuel_app.domain.lead_files.writing import guarded, unguarded
from fuel_app.domain.leads import LeadRow


def lead(**differs) -> LeadRow:
    shown = {
        "number": 1,
        "id": "1",
        "type": "waitlist",
        "status": "Contacted",
        "shown_status": "pending",
        "lead_source": "Inbound",
        "created_at": datetime(2026, 3, 9, 3, 30, 15, 99, tzinfo=UTC),
        "name": "Ada Lovelace",
        "company": "",
        "email": "ada@example.com",
        "phone": "9415550123",
        "revision": 0,
    }
    return LeadRow(**shown | differs)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "'=", "''@"])
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


def test_a_waitlist_lead_has_no_company_and_is_pending():
    assert export_row(lead()) == (
        "Waitlist",
        "N/A",
        "Ada Lovelace",
        "ada@example.com",
        "9415550123",
        "pending",
        "2026-03-08 23:30:15",  # in New York, where the clock has just been changed
    )


def test_a_quote_request_has_its_company_and_its_own_status():
    quote = lead(type="fleet", company="Engines", shown_status="Closed Won")
    assert export_row(quote)[:2] == ("Fleet", "Engines")
    assert export_row(quote)[5] == "Closed Won"


def test_a_spreadsheet_knows_the_encoding():
    assert BOM.encode() == b"\xef\xbb\xbf"
