"""Imported files: encodings, delimiters and columns; their rows; hostile files."""

import codecs
import csv
import io
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit import table_file as reading
from fuel_app.kit.csv import guarded, lines
from fuel_app.kit.table_file import BYTES_MAX, UnusableFile, more_than_once, parsed_places
from fuel_app.submissions.rules.imports import (
    ALREADY_STORED,
    FIELDS,
    TWICE,
    CheckedRow,
    ImportedEntry,
    LeadFile,
    LeadMapping,
    Preview,
    PreviewRow,
    checked,
    reasons_of,
)
from tests.lead_files import HEADER, people, table

TEXT = "first_name,last_name,email\r\nJosé,Núñez,jose@example.com\r\n"


def rows_of(data: bytes) -> list[list[str]]:
    return [cells for _, cells in LeadFile.read("leads.csv", data).records()]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_quoted_cell_may_hold_separators_quotes_and_line_ends(end):
    data = table(f'"Ada, ""the{end}first""",Lovelace,ada@example.com')
    assert rows_of(data) == [[f'Ada, "the{end}first"', "Lovelace", "ada@example.com"]]


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
@pytest.mark.parametrize(("delimiter", "end"), [(",", "\r\n"), (";", "\n"), ("\t", "\r")])
def test_every_encoding_delimiter_and_line_end_is_read(encoding, delimiter, end):
    data = TEXT.replace(",", delimiter).replace("\r\n", end).encode(encoding)
    marks = (b"", codecs.BOM_UTF16_BE) if encoding == "utf-16-be" else (b"",)
    for mark in marks:
        assert rows_of(mark + data) == [["José", "Núñez", "jose@example.com"]]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "The file is empty"),
        (b"\n\n", "The file is empty"),
        (b" ", "The file is empty"),
        (codecs.BOM_UTF8, "The file is empty"),
        (codecs.BOM_UTF16_LE, "The file is empty"),
        (HEADER.encode(), "The file has no rows"),
        (table("", ",,,,", " , ,\t"), "The file has no rows"),
        (b"PK\x03\x04\x14\x00\x06\x00" + bytes(range(256)) * 4, "This is not a CSV file"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "This is not a CSV file"),
        (table("Ada,Love\0lace,ada@example.com"), "This is not a CSV file"),
        (TEXT.replace("José", "Jos\0").encode("utf-16"), "This is not a CSV file"),
        (codecs.BOM_UTF8 + TEXT.encode("latin-1"), "cannot be read"),
        (table("Ada,\x81\x8d,a@example.com").decode().encode("latin-1"), "cannot be read"),
        (TEXT.encode("utf-16") + b"x", "cannot be read"),
        (b"x" * (BYTES_MAX + 1), "The file must be 20 MB or smaller"),
        (f"{HEADER}{',' * 200}\nA,B,c@d.example".encode(), "200 columns or fewer"),
        (
            table(*people(1), '"Ada,Lovelace', "x" * csv.field_size_limit()),
            r"Line \d+: a cell is too long. Is a quote missing\?",
        ),
    ],
    ids=range(17),
)
def test_unusable_file_is_refused_with_its_reason(data, reason):
    with pytest.raises(UnusableFile, match=reason):
        LeadFile.read("leads.csv", data)


@pytest.mark.parametrize(
    ("data", "problem", "repeated"),
    [
        (b"first_name,email\n1,2\n", "Missing required fields: last_name", ""),
        (
            b"phone_number\tzip\n1\t2\n",
            "Missing required fields: first_name, last_name, email",
            "",
        ),
        (
            b"first_name,last_name,email,EMAIL \n1,2,3,4\n",
            "Missing required fields: email",
            "Fields that appear more than once: email",
        ),
        (TEXT.encode(), "", ""),
    ],
)
def test_what_is_not_mapped_is_named(data, problem, repeated):
    file = LeadFile.read("leads.csv", data)
    assert LeadMapping.guess(file).problem == problem
    assert more_than_once(file.repeated(FIELDS)) == repeated


def test_columns_of_one_name_can_be_told_apart_and_a_mapping_is_parsed():
    data = b"first_name,last_name,email,email,,Town\nAda,Lovelace,x,ada@example.com,y,Sarasota\n"
    file = LeadFile.read("leads.csv", data)
    assert file.columns[2:] == ["email (column 3)", "email (column 4)", "Column 5", "Town"]
    sent = {"first_name": "0", "last_name": "1", "email": "3", "phone": "x", "zip_code": 4}
    places = parsed_places(sent | {"notes": "6", "made_up": "1"}, FIELDS, len(file.header))
    assert places == {"first_name": 0, "last_name": 1, "email": 3}
    assert parsed_places(None, FIELDS, 6) == {}
    for keeps_rest, notes in (
        (False, ""),
        (True, "email (column 3): x\nColumn 5: y\nTown: Sarasota"),
    ):
        mapping = LeadMapping(places, keeps_rest)
        (row,) = checked(file, mapping)
        assert row.entry
        assert (row.entry.email, row.entry.notes) == ("ada@example.com", notes)
    assert mapping.rest(file) == [2, 4, 5]


def test_source_and_notes_of_a_file_are_read():
    data = (
        table(
            "Ada,Lovelace,a@example.com,Owner 1,Call, please",
            "Bob,Lovelace,b@example.com,,",
            "Cy,Lovelace,c@example.com,Facebook,",
            "Fleet,Lovelace,d@example.com,,x",
            header="first_name,last_name,email,Lead Source,Comments,Type",
        )
        .replace(b"Call, please", b"Call,Waitlist")
        .replace(b",,x", b",,,fleet ")
    )
    ada, bob, cy, fleet = check(data)
    assert ada.entry and bob.entry  # noqa: PT018
    assert (ada.entry.lead_source, ada.entry.notes) == ("Owner 1", "Call")
    assert (bob.entry.lead_source, bob.entry.notes) == ("Meta Ads", "")
    assert cy.reason.startswith("Lead source must be Inbound, Meta Ads")
    assert fleet.reason == "Only leads of the waitlist are imported, no quotes"


def test_reasons_are_counted_each_by_itself():
    assert reasons_of(
        {
            "Invalid email address": 2,
            "Last name is required; Invalid email address": 1,
            "The email is already in line 2 of the file": 1,
            "The email is already in line 7 of the file": 1,
        }
    ) == (
        "Invalid email address: 3 rows",
        "The email is in the file more than once: 2 rows",
        "Last name is required: 1 row",
    )


def test_preview_counts_and_shows_the_first_rows():
    rows = check(table(*people(6), *people(1), "Eve,,eve@x.io,,"))
    preview = Preview(whole=8).adding(rows[:4], {"ada2@import.example"}).adding(rows[4:], set())
    assert (preview.done, preview.good, preview.known, preview.refused) == (8, 5, 2, 1)
    first, second, *_ = preview.first
    assert first == PreviewRow(
        2, "Ada Lovelace", "ada1@import.example · (941) 555-0123 · 34236", "", ""
    )
    assert (second.reason, len(preview.first)) == (ALREADY_STORED, 5)
    assert reasons_of(dict(preview.refusals)) == (
        f"{ALREADY_STORED}: 1 row",
        "The email is in the file more than once: 1 row",
        "Last name is required: 1 row",
    )
    twice = Preview().adding(check(table(*people(40), *people(40), "Eve,,no,,")), set())
    assert dict(twice.refusals)[TWICE] == 40
    assert len(twice.refusals) == 3  # a row with two faults counts for both
    refused = PreviewRow.of(rows[-1], is_known=False)
    assert refused == PreviewRow(9, "Eve, eve@x.io", reason="Last name is required")


def test_other_separators_in_the_header_are_no_delimiter():
    data = b"email;last_name;first_name;what, when, where\nada@example.com;Lovelace;Ada;x\n"
    assert rows_of(data) == [["ada@example.com", "Lovelace", "Ada", "x"]]


@pytest.mark.parametrize(
    "header",
    [
        "FIRST_NAME,Last_Name,eMail",
        " first_name , last_name ,\temail ",
        '"first_name","last_name","email"',
        "First Name,Last Name,Email",
        "\ufefffirst_name,last_name,email",
        "first_name,last_name,email,id,id",
    ],
)
def test_column_names_ignore_case_spaces_and_a_bom(header):
    file = LeadFile.read("leads.csv", f"{header}\nAda,Lovelace,ada@example.com\n".encode())
    assert file.guess(FIELDS) == {"first_name": 0, "last_name": 1, "email": 2}


def test_usual_names_of_columns_are_known_where_ours_are_not_there():
    data = (
        "Email Address,Surname,First Name,Mobile,ZIP,id\n"
        "ada@example.com,Lovelace,Ada,9415550123,34228-1234,x\n"
    )
    (row,) = check(data.encode())
    assert row.entry
    assert (row.entry.email, row.entry.last_name) == ("ada@example.com", "Lovelace")
    assert (row.entry.phone_number, row.entry.zip_code) == ("9415550123", "34228")
    both = LeadFile.read("leads.csv", b"email_address,first_name,last_name,email\n1,2,3,4\n")
    assert both.guess(FIELDS)["email"] == 3


@pytest.mark.parametrize(("typed", "read"), [("34228 1234", "34228"), ("342281234", "34228")])
def test_zip_code_with_four_more_digits_is_read(typed, read):
    (row,) = check(table(f"Ada,Lovelace,a@example.com,,{typed}"))
    assert row.entry
    assert row.entry.zip_code == read


@pytest.mark.parametrize("typed", ["34228-12", "3422-81234", "34228-12345"])
def test_other_numbers_are_no_zip_code(typed):
    (row,) = check(table(f"Ada,Lovelace,a@example.com,,{typed}"))
    assert row.reason == "ZIP code must be 5 digits"


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("leads.csv", "leads.csv"),
        ("C:\\files\\Leads.CSV", "Leads.CSV"),
        ("../../etc/leads.csv", "leads.csv"),
        ("x" * 300 + ".csv", "x" * 196 + ".csv"),
    ],
)
def test_file_name_has_no_folders_and_is_bounded(name, own):
    assert LeadFile.read(name, TEXT.encode()).name == own


@pytest.mark.parametrize("name", ["leads.xlsx", "leads.csv.exe", "csv", "", None, 7])
def test_other_file_names_are_refused(name):
    with pytest.raises(UnusableFile, match=r"^Only \.csv files can be uploaded\.$"):
        LeadFile.read(name, TEXT.encode())


def test_too_many_rows_are_refused(monkeypatch):
    monkeypatch.setattr(reading, "ROWS_MAX", 3)
    assert LeadFile.read("leads.csv", table("", *people(3), ",,,,", "")).rows == 3
    with pytest.raises(UnusableFile, match="3 rows or fewer"):
        LeadFile.read("leads.csv", table(*people(4)))


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


@given(
    st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=8),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_written_files_read_back_unchanged(rows, encoding):
    written = lines([["first_name", "last_name", "email"], *rows, ["the", "last", "one"]])
    filled = [row for row in rows if "".join(map(guarded, row)).strip()]
    read = LeadFile.read("leads.csv", written.encode(encoding)).records()
    assert [cells for _, cells in read][:-1] == [list(map(guarded, row)) for row in filled]


def check(data: bytes) -> list[CheckedRow]:
    file = LeadFile.read("leads.csv", data)
    return list(checked(file, LeadMapping.guess(file)))


def entry(data: bytes) -> ImportedEntry:
    (row,) = check(data)
    assert row.entry
    return row.entry


def test_row_is_cleaned_as_the_waitlist_form_is():
    row = ' Ada ,"Love \n lace",ADA+Ads@Example.COM ,+1 (941) 555-0123, 34236 '
    assert entry(table(row)).model_dump() == {
        "first_name": "Ada",
        "last_name": "Love lace",
        "email": "ada+ads@example.com",
        "phone_number": "9415550123",
        "zip_code": "34236",
        "lead_source": "Meta Ads",
        "notes": "",
    }


@pytest.mark.parametrize("header", [HEADER, "first_name,last_name,email"])
@pytest.mark.parametrize("end", ["", ",,,,,"])
def test_phone_and_zip_are_optional(header, end):
    row = entry(table(f"Ada,Lovelace,ada@example.com{end}", header=header))
    assert (row.phone_number, row.zip_code) == ("", "")


def test_prefixes_of_the_ads_platform_are_removed():
    row = entry(table("Ada,Lovelace,ada@example.com,p:+19415550123,z:34236"))
    assert (row.phone_number, row.zip_code) == ("9415550123", "34236")


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (",Lovelace,ada@example.com", "First name is required"),
        ("Ada, ,ada@example.com", "Last name is required"),
        ("Ada,Lovelace,ada@example", "Invalid email address"),
        ("Ada,Lovelace,", "Invalid email address"),
        ("Ada,Lovelace,ada@example.com,555-0123", "Phone number must be 10 digits"),
        ("Ada,Lovelace,ada@example.com,,3423", "ZIP code must be 5 digits"),
        (",,nobody", "First name is required; Last name is required; Invalid email address"),
        ("Ada,Lovelace,of,ada@example.com,,34236", "The row has more cells than the header"),
    ],
)
def test_invalid_row_is_rejected_with_its_reasons(row, why):
    (rejected,) = check(table(row))
    assert (rejected.entry, rejected.reason) == (None, why)


def test_first_row_with_an_email_is_imported_and_later_ones_are_duplicates():
    rows = ("Ada,Lovelace,ada@example.com", "Bob,Lovelace,bob@example.com")
    ada, bob, twin = check(table(*rows, "Augusta,King,ADA@Example.com "))
    assert ada.entry
    assert bob.entry
    assert (twin.line, twin.entry, twin.duplicate) == (4, None, True)
    assert twin.reason == "The email is already in line 2 of the file"


def test_invalid_row_makes_no_later_row_a_duplicate():
    bad, good = check(table(",,ada@example.com", "Ada,Lovelace,ada@example.com"))
    assert not bad.entry
    assert not bad.duplicate
    assert good.entry


def test_rejected_row_keeps_its_cells():
    (row,) = check(table(" Ada ,,'+1 now", header="first_name,last_name,email,id,Reason"))
    assert row.cells == [" Ada ", "", "+1 now", ""]  # filled up, without an earlier reason
    (row,) = check(table("a,b,c,d,e,f", header="first_name,last_name,email,reason,id"))
    assert row.cells == ["a", "b", "c", "e", "f"]


LONG = BYTES_MAX - 200
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
        rows = list(checked(file, LeadMapping.guess(file)))
        assert file.rows == len(rows)
        assert all(bool(row.entry) != bool(row.reason) for row in rows)


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
        (b"\xef\xbb\xbf" * 10**6, "has no rows|too long"),
    ],
    ids=range(8),
)
def test_huge_row_is_refused(data, why):
    with pytest.raises(UnusableFile, match=why):
        LeadFile.read("leads.csv", data)


@pytest.mark.parametrize("formula", FORMULAS)
def test_rejected_row_has_no_formula_and_can_be_imported_again(formula):
    quoted = '"{}"'.format(formula.replace('"', '""'))
    file = LeadFile.read("leads.csv", table(f"Ada,{quoted},nobody"))
    (row,) = checked(file, LeadMapping.guess(file))
    again = lines([file.kept_header, row.cells])
    assert list(csv.reader(io.StringIO(again, newline="")))[1][1].startswith(f"'{formula[0]}")
    (read_again,) = check(again.encode())
    assert read_again.cells == row.cells
