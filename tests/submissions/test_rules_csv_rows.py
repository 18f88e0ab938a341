"""Rows of an import: validation, duplicates and rejected cells."""

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


def test_row_is_cleaned_as_the_waitlist_form_is():
    row = ' Ada ,"Love \n lace",ADA+Ads@Example.COM ,+1 (941) 555-0123, 34236 '
    assert entry(table(row)).model_dump() == {
        "first_name": "Ada",
        "last_name": "Love lace",
        "email": "ada+ads@example.com",
        "phone_number": "9415550123",
        "zip_code": "34236",
    }


def test_phone_and_zip_are_optional():
    assert entry(table("Ada,Lovelace,ada@example.com,,,,,")).phone_number == ""
    assert entry(table("Ada,Lovelace,ada@example.com")).zip_code == ""
    short = table("Ada,Lovelace,ada@example.com", header="first_name,last_name,email")
    assert (entry(short).phone_number, entry(short).zip_code) == ("", "")


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
    assert reason(row) == why


def test_first_row_with_an_email_is_imported_and_later_ones_are_duplicates():
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
