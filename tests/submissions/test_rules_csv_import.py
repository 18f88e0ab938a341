"""A file is read whichever program wrote it, or refused in words."""

import codecs
import csv
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit.csv import guarded, lines
from fuel_app.submissions.rules import csv as reading
from fuel_app.submissions.rules.csv import BYTES_MAX, FileTooLarge, LeadFile, UnusableFile
from tests.lead_files import HEADER, people, table

TEXT = "first_name,last_name,email\r\nJosé,Núñez,jose@example.com\r\n"


def rows_of(data: bytes) -> list[list[str]]:
    return [cells for _, cells in LeadFile.read("leads.csv", data).records()]


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-16-be"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("cp1252"),
    ],
    ids=["utf-8", "utf-8 bom", "utf-16", "utf-16le", "utf-16be", "utf-16be bom", "cp1252"],
)
def test_every_encoding_of_a_spreadsheet_is_read(data):
    assert rows_of(data) == [["José", "Núñez", "jose@example.com"]]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_every_separator_is_read(delimiter, encoding):
    data = TEXT.replace(",", delimiter).encode(encoding)
    assert rows_of(data) == [["José", "Núñez", "jose@example.com"]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_read(end):
    assert rows_of(TEXT.replace("\r\n", end).encode()) == [["José", "Núñez", "jose@example.com"]]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_quoted_cell_holds_separators_quotes_and_lines(end):
    data = table(f'"Ada, ""the{end}first""",Lovelace,ada@example.com')
    assert rows_of(data) == [[f'Ada, "the{end}first"', "Lovelace", "ada@example.com"]]


def test_other_separators_in_the_header_do_not_confuse():
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
    ],
)
def test_names_of_columns_ignore_case_spaces_and_a_bom(header):
    file = LeadFile.read("leads.csv", f"{header}\nAda,Lovelace,ada@example.com\n".encode())
    assert file.places == {"first_name": 0, "last_name": 1, "email": 2}


def test_columns_that_we_do_not_know_are_passed_over():
    file = LeadFile.read("x.csv", b"id,email,id,phone,last_name,first_name\n1,2,3,4,5,6\n")
    assert file.places == {"email": 1, "phone": 3, "last_name": 4, "first_name": 5}


@pytest.mark.parametrize(
    ("header", "missing"),
    [
        ("first_name,email", "last_name"),
        ("name,phone", "first_name, last_name, email"),
        ("phone_number\tzip", "first_name, last_name, email"),
    ],
)
def test_missing_columns_are_named(header, missing):
    with pytest.raises(UnusableFile) as refusal:
        LeadFile.read("leads.csv", f"{header}\n1,2,3\n".encode())
    assert str(refusal.value) == f"Missing required fields: {missing}"


def test_a_column_that_is_there_twice_leaves_no_choice_to_chance():
    with pytest.raises(UnusableFile, match="Fields that appear more than once: email"):
        LeadFile.read("leads.csv", b"first_name,last_name,email,EMAIL \n1,2,3,4\n")


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("leads.csv", "leads.csv"),
        ("C:\\files\\Leads.CSV", "Leads.CSV"),
        ("../../etc/leads.csv", "leads.csv"),
        ("x" * 300 + ".csv", "x" * 196 + ".csv"),
    ],
)
def test_a_file_is_known_by_its_own_name(name, own):
    assert LeadFile.read(name, TEXT.encode()).name == own


@pytest.mark.parametrize("name", ["leads.xlsx", "leads.csv.exe", "csv", "", None, 7])
def test_only_csv_files_are_taken(name):
    with pytest.raises(UnusableFile, match=r"^Only \.csv files can be uploaded\.$"):
        LeadFile.read(name, TEXT.encode())


@pytest.mark.parametrize("data", [table(), HEADER.encode(), table("", ",,,,", " , ,\t")])
def test_a_file_without_rows_is_refused(data):
    with pytest.raises(UnusableFile, match="The file has no rows"):
        LeadFile.read("leads.csv", data)


def test_blank_rows_do_not_count():
    assert LeadFile.read("leads.csv", table("", *people(2), ",,,,", "")).rows == 2


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04\x14\x00\x06\x00" + bytes(range(256)) * 4,
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        table("Ada,Love\0lace,ada@example.com"),
        TEXT.replace("José", "Jos\0").encode("utf-16"),
    ],
)
def test_a_binary_file_named_csv_is_refused(data):
    with pytest.raises(UnusableFile, match="This is not a CSV file"):
        LeadFile.read("leads.csv", data)


@pytest.mark.parametrize(
    "data",
    [
        codecs.BOM_UTF8 + table("Jos\xe9,N,j@example.com").decode().encode("latin-1"),
        table("Ada,\x81\x8d,a@example.com").decode().encode("latin-1"),
        TEXT.encode("utf-16") + b"x",
    ],
)
def test_a_text_that_cannot_be_read_is_refused(data):
    with pytest.raises(UnusableFile, match="cannot be read"):
        LeadFile.read("leads.csv", data)


def test_a_quote_that_never_ends_is_refused_with_its_line():
    data = table(*people(1), '"Ada,Lovelace,ada@example.com', "x" * csv.field_size_limit())
    with pytest.raises(UnusableFile, match=r"Line \d+: a cell is too long. Is a quote missing?"):
        LeadFile.read("leads.csv", data)


@pytest.mark.parametrize("data", [b"", b"\n\n", b" ", codecs.BOM_UTF8, codecs.BOM_UTF16_LE])
def test_nothing_at_all_is_refused(data):
    with pytest.raises(UnusableFile, match="The file is empty"):
        LeadFile.read("leads.csv", data)


def test_a_file_that_is_too_large_is_refused():
    with pytest.raises(FileTooLarge, match="20 MB or smaller"):
        LeadFile.read("leads.csv", b"x" * (BYTES_MAX + 1))


def test_a_file_of_too_many_rows_is_refused(monkeypatch):
    monkeypatch.setattr(reading, "ROWS_MAX", 3)
    assert LeadFile.read("leads.csv", table(*people(3))).rows == 3
    with pytest.raises(UnusableFile, match="3 rows or fewer"):
        LeadFile.read("leads.csv", table(*people(4)))


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)


@given(
    st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=8),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_whatever_we_write_we_read(rows, encoding):
    written = lines([["first_name", "last_name", "email"], *rows, ["the", "last", "one"]])
    filled = [row for row in rows if "".join(map(guarded, row)).strip()]
    read = LeadFile.read("leads.csv", written.encode(encoding)).records()
    assert [cells for _, cells in read][:-1] == [list(map(guarded, row)) for row in filled]


@given(st.binary(max_size=400))
def test_no_bytes_at_all_are_more_than_refused(data):
    with suppress(UnusableFile):
        assert LeadFile.read("leads.csv", data).rows > 0
