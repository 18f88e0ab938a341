"""The waitlist's own rules decide which rows become leads."""

import pytest

from fuel_app.submissions.rules.csv import CheckedRow, LeadFile, checked
from fuel_app.waitlist.rules import WaitlistEntry
from tests.lead_files import table


def check(data: bytes) -> list[CheckedRow]:
    return list(checked(LeadFile.read("leads.csv", data)))


def entry(data: bytes) -> WaitlistEntry:
    (row,) = check(data)
    assert row.entry
    return row.entry


def reason(row: str, **more: str) -> str:
    (rejected,) = check(table(row, **more))
    assert not rejected.entry
    return rejected.reason


def test_a_row_is_cleaned_as_a_visitor_s_form_is():
    row = ' Ada ,"Love \n lace",ADA+Ads@Example.COM ,+1 (941) 555-0123, 34236 '
    assert entry(table(row)).model_dump() == {
        "first_name": "Ada",
        "last_name": "Love lace",
        "email": "ada+ads@example.com",
        "phone_number": "9415550123",
        "zip_code": "34236",
    }


def test_phone_and_zip_may_be_empty_or_not_there():
    assert entry(table("Ada,Lovelace,ada@example.com,,")).phone_number == ""
    assert entry(table("Ada,Lovelace,ada@example.com")).zip_code == ""
    short = table("Ada,Lovelace,ada@example.com", header="first_name,last_name,email")
    assert (entry(short).phone_number, entry(short).zip_code) == ("", "")


def test_the_marks_of_the_ads_platform_are_no_part_of_the_number():
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
def test_a_row_that_is_not_right_is_told_why(row, why):
    assert reason(row) == why


def test_empty_cells_beyond_the_header_are_nothing():
    assert entry(table("Ada,Lovelace,ada@example.com,,,,,")).email == "ada@example.com"


def test_the_first_row_with_an_email_is_the_one():
    ada, bob, twin = check(
        table(
            "Ada,Lovelace,ada@example.com",
            "Bob,Lovelace,bob@example.com",
            "Augusta,King,ADA@Example.com ",
        )
    )
    assert ada.entry
    assert bob.entry
    assert (twin.line, twin.entry, twin.duplicate) == (4, None, True)
    assert twin.reason == "The email is already in line 2 of the file"


def test_a_bad_row_does_not_keep_a_good_one_with_its_email_out():
    bad, good = check(table(",,ada@example.com", "Ada,Lovelace,ada@example.com"))
    assert not bad.entry
    assert not bad.duplicate
    assert good.entry


def test_a_phone_that_two_share_is_no_duplicate():
    rows = check(
        table(
            "Ada,Lovelace,ada@example.com,(941) 555-0123",
            "Bob,Lovelace,bob@example.com,941.555.0123",
        )
    )
    assert [row.entry and row.entry.phone_number for row in rows] == ["9415550123"] * 2


def test_a_rejected_row_keeps_its_cells():
    (row,) = check(table(" Ada ,,'+1 now", header="first_name,last_name,email,id,Reason"))
    assert row.cells == [" Ada ", "", "+1 now", ""]  # filled up, without an earlier reason
    (row,) = check(table("a,b,c,d,e,f", header="first_name,last_name,email,reason,id"))
    assert row.cells == ["a", "b", "c", "e", "f"]


def test_what_our_own_files_prefix_is_taken_as_it_was():
    assert entry(table("'=Ada,'@Love,ada@example.com")).first_name == "=Ada"
