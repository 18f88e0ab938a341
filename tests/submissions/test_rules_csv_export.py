"""A lead's line in the export."""

from datetime import UTC, datetime

from fuel_app.leads.rules import LeadRow
from fuel_app.submissions.rules.csv import export_row


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
