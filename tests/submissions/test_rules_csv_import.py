"""Imported files of every encoding and delimiter are read, or refused with a reason."""

import codecs
import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuel_app.kit.csv import guarded, lines
from fuel_app.submissions.rules import csv as reading
from fuel_app.submissions.rules.csv import BYTES_MAX, LeadFile, UnusableFile
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
    assert rows_of(data) == [["José", "Núñez", "jose@example.com"]]
    big_endian = codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be")
    assert rows_of(big_endian) == [["José", "Núñez", "jose@example.com"]]


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
        (b"first_name,email\n1,2\n", "Missing required fields: last_name$"),
        (b"phone_number\tzip\n1\t2\n", "Missing required fields: first_name, last_name, email$"),
        (b"first_name,last_name,email,EMAIL \n1,2,3,4\n", "appear more than once: email$"),
        (b"x" * (BYTES_MAX + 1), "The file must be 20 MB or smaller"),
        (
            table(*people(1), '"Ada,Lovelace', "x" * csv.field_size_limit()),
            r"Line \d+: a cell is too long. Is a quote missing\?",
        ),
    ],
    ids=range(19),
)
def test_unusable_file_is_refused_with_its_reason(data, reason):
    with pytest.raises(UnusableFile, match=reason):
        LeadFile.read("leads.csv", data)


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
    assert file.places == {"first_name": 0, "last_name": 1, "email": 2}


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
