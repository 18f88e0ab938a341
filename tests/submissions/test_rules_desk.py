"""Forms of the sales desk, and what they are in words."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from fuel_app.kit.errors import InvalidForm
from fuel_app.leads.rules import LOST, LeadRow
from fuel_app.submissions.rules.desk import (
    LOGGED,
    Desk,
    Lost,
    NextStep,
    QuoteNote,
    note_title,
    waiting_text,
)

NOW = datetime(2026, 3, 9, 20, tzinfo=UTC)  # Monday, 4 PM
QUOTE = LeadRow(
    number=1,
    id="id",
    type="fleet",
    status="Not Contacted",
    shown_status="Not Contacted",
    lead_source="Inbound",
    created_at=NOW,
    name="Grace Hopper",
    company="Gulf Trucks",
    email="grace@example.com",
    phone="9415550123",
    zip_code="",
    revision=0,
    unanswered=True,
)


@pytest.mark.parametrize(
    ("typed", "messages"),
    [
        ({"what": "call message", "text": ""}, {}),
        ({"what": "mail", "text": "Sent\nthe sheet"}, {}),
        ({"what": "note", "text": " "}, {"text": "Text is required"}),
        ({"what": "", "text": "x"}, {"what": "What to log is required"}),
        ({"what": "note", "text": "x" * 2001}, {"text": "Text must be 2,000 characters or fewer"}),
    ],
)
def test_note_needs_a_text_and_a_call_its_outcome(typed, messages):
    assert {key: text for key, text in QuoteNote.problems(typed).items() if text} == messages


def test_each_kind_is_logged_and_read_back():
    for what, title in LOGGED.items():
        note = QuoteNote(what=what, text="x")
        assert note_title(note.kind, note.outcome) == title


@pytest.mark.parametrize("day", ["", None, "soon", "2026-02-30", "1999-12-31", "2101-01-01"])
def test_next_step_needs_a_day(day):
    with pytest.raises(InvalidForm) as refused:
        NextStep.parse({"next_step": "Call back", "next_step_on": day})
    assert refused.value.messages == {"next_step_on": "Enter a date"}
    step = NextStep.parse({"next_step": "Call back", "next_step_on": "2026-03-09"})
    assert step.next_step_on == date(2026, 3, 9)


def test_reason_may_stay_unsaid_but_not_be_made_up():
    assert Lost.parse({"lost_reason": "", "lost_note": ""}).lost_reason == ""
    assert Lost.problems({"lost_reason": "rain"})["lost_reason"] == "Reason is required"


def test_desk_shows_the_reason_of_a_quote_that_is_lost_alone():
    said = {"lost_reason": "price", "lost_note": "3 cents"}
    lost = Desk.of(replace(QUOTE, status=LOST, unanswered=False, **said), "", (), NOW)
    assert (lost.lost, lost.lost_note, lost.promise) == ("Price", "3 cents", "")
    reopened = Desk.of(replace(QUOTE, **said), "", (), NOW)
    assert (reopened.lost, reopened.lost_note) == ("", "")
    assert (reopened.promise, reopened.is_overdue) == ("Answer due in 24 h", False)


@pytest.mark.parametrize(
    ("day", "text", "is_due"),
    [
        (8, "overdue since Mar 8, 2026", True),
        (9, "due today", True),
        (10, "on Mar 10, 2026", False),
    ],
)
def test_desk_says_when_the_next_step_is_due(day, text, is_due):
    planned = replace(QUOTE, next_step="Call back", next_step_on=date(2026, 3, day))
    desk = Desk.of(planned, "", (), NOW)
    assert (desk.next_due, desk.next_is_due) == (text, is_due)
    assert waiting_text(planned, "Marcus Bell", NOW, is_step=True) == (
        f"Call back, {text}. Grace Hopper, (941) 555-0123. Owner: Marcus Bell"
    )


def test_quote_waits_with_whom_to_call():
    assert waiting_text(QUOTE, "", NOW, is_step=False) == (
        "Answer due in 24 h. Grace Hopper, (941) 555-0123. Owner: nobody"
    )
