"""Hostile files: corrupted bytes, huge rows, and formulas in cells."""

import csv
import io
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit import csv as spreadsheets
from fuel_app.submissions.rules.csv import BYTES_MAX, LeadFile, UnusableFile, checked
from tests.lead_files import HEADER, people, table

WELL_FORMED = table(*people(6), '"O""Brien, Ada","two\nlines",o@example.com,,')
SPOILS = st.sampled_from([b'"', b"\0", b"\r", b"\n", b",", b";", b"\t", b"\xff", b"\xfe", b"\x81"])
FORMULAS = ["=1+1", "=cmd|'/c calc'!A0", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "\uff1d1"]


@given(
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"]),
    st.lists(st.tuples(st.integers(0, 400), SPOILS | st.binary(max_size=4), st.booleans())),
)
def test_corrupted_file_is_refused_or_each_row_has_an_outcome(encoding, spoils):
    data = WELL_FORMED.decode().encode(encoding)
    for at, what, instead in spoils:
        data = data[:at] + what + data[at + (len(what) if instead else 0) :]
    with suppress(UnusableFile):
        file = LeadFile.read("leads.csv", data)
        rows = list(checked(file))
        assert file.rows == len(rows)
        assert all(bool(row.entry) != bool(row.reason) for row in rows)


LONG = BYTES_MAX - 200


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (f"{HEADER}{',x' * 10**6}\n".encode(), "too long"),
        (table("," * LONG), "too long"),
        (table("Ada,Lovelace,ada@example.com" + "," * 2**20), "Line 2 is too long"),
        (table('"' * LONG), "too long"),
        (table('"' + "\n" * 200_000), "Is a quote missing"),
        (f"{HEADER}\n{'x' * (LONG // 2)}".encode("utf-16"), "too long"),
        (b";" * LONG, "too long"),
        (b"\xef\xbb\xbf" * 10**6, "Missing required fields|too long"),
    ],
    ids=range(8),
)
def test_huge_row_is_refused_quickly(data, why):
    started = time.perf_counter()
    with pytest.raises(UnusableFile, match=why):
        LeadFile.read("leads.csv", data)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize("formula", FORMULAS)
def test_rejected_row_has_no_formula_and_can_be_imported_again(formula):
    quoted = '"{}"'.format(formula.replace('"', '""'))
    file = LeadFile.read("leads.csv", table(f"Ada,{quoted},nobody"))
    (row,) = checked(file)
    again = spreadsheets.lines([file.kept_header, row.cells])
    assert list(csv.reader(io.StringIO(again, newline="")))[1][1].startswith(f"'{formula[0]}")
    (read_again,) = checked(LeadFile.read("again.csv", again.encode()))
    assert read_again.cells == row.cells
