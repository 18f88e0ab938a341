"""A lead's details in words."""

from datetime import UTC, datetime

import pytest

from fuel_app.quotes.tables import BusinessQuote, FleetQuote
from fuel_app.submissions.rules.details import LinkedCustomer, LogLine, customers_note, fields_of
from fuel_app.waitlist.tables import WaitlistSubmission

AT = datetime(2026, 3, 9, 3, 59, tzinfo=UTC)


@pytest.mark.parametrize("table", [WaitlistSubmission, FleetQuote, BusinessQuote])
def test_every_column_of_a_lead_is_shown_to_staff_but_links_and_secrets(table):
    links = {"neighborhood_id", "referred_by_id", "resume_hash"}  # one is a secret
    elsewhere = {*links, "id", "free_fill_whole"}  # of the address, and of the one who signs up
    for column in set(table.model_fields) - elsewhere:
        assert fields_of({column: "x"}), column
    assert fields_of({"resume_hash": "x"}) == ()


def test_many_customers_are_counted_and_the_first_ones_named():
    some = [LinkedCustomer(f"C{number}", is_member=True) for number in range(12)]
    assert customers_note([]) == ""
    assert customers_note(some[:1]) == "C0 is a customer and keeps the neighborhood discount."
    assert customers_note([LinkedCustomer("Ada", is_member=False)]) == (
        "Ada is a customer and keeps the account."
    )
    assert customers_note(some[:2]) == (
        "2 of them are customers and keep their accounts and neighborhood discounts: C0, C1."
    )
    assert customers_note(some).endswith("C8, C9 and 2 more.")


@pytest.mark.parametrize(
    ("kind", "before", "after", "undo", "what"),
    [
        ("delete", "", "", False, "Deleted"),
        ("delete", "", "", True, "Restored"),
        ("status", "Contacted", "Closed Won", False, "Status: Contacted → Closed Won"),
        ("lead_source", "Inbound", "Meta Ads", True, "Lead source: Inbound → Meta Ads (undo)"),
    ],
)
def test_log_says_what_was_done_by_whom_in_new_york_s_time(kind, before, after, undo, what):
    line = LogLine.of(AT, "Ada Lovelace", kind, before, after, undo=undo)
    assert (line.what, line.who) == (what, "by Ada Lovelace")
    assert line.when.startswith("Mar 8, 2026")
