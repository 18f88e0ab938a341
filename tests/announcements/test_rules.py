"""What an announcement may say, when it goes out, and how the list words it."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from fuel_app.announcements.rules import (
    BODY_MAX,
    SUBJECT_MAX,
    TEXT_MAX,
    AnnouncementForm,
    AnnouncementLine,
    Audience,
    SendForm,
    room,
)
from fuel_app.kit.errors import InvalidForm
from tests.helpers.announcements import OFFER, TYPED
from tests.helpers.outbox import NOON


def problems(**typed: object) -> dict[str, str]:
    problems = AnnouncementForm.problems(TYPED | typed)
    return {name: message for name, message in problems.items() if message}


@pytest.mark.parametrize("field", ["kind", "subject", "body"])
def test_what_every_announcement_needs(field):
    for nothing in ("", "  \n ", None, ["x"]):
        assert problems(**{field: nothing}).keys() == {field}


def test_how_long_an_announcement_may_be():
    longest = {"subject": "W" * SUBJECT_MAX, "body": "W" * BODY_MAX}
    assert problems(**longest) == {}
    assert problems(**{name: f"{text}W" for name, text in longest.items()}).keys() == {*longest}


def test_paragraphs_and_lines_stay_and_invisible_characters_go():
    form = AnnouncementForm.parse(TYPED | {"body": " One \r\ntwo\n\n\n\nthree\u200b \n"})
    assert form.body == "One\ntwo\n\n\n\nthree"


def test_text_message_of_an_offer_is_one_segment():
    plain = AnnouncementForm.parse(OFFER | {"text": "It’s $5 – “today”…"})  # noqa: RUF001
    assert plain.text == 'It\'s $5 - "today"...'
    assert AnnouncementForm.problems(OFFER | {"text": "W" * TEXT_MAX})["text"] == ""
    for wrong, why in (("W" * (TEXT_MAX + 1), "characters or fewer"), ("5 €", "plain letters")):
        assert why in AnnouncementForm.problems(OFFER | {"text": wrong})["text"]
    assert "Only offers" in problems(text="$5 off")["text"]


def test_audience_is_one_that_the_form_offers():
    assert problems(plan_id="none") == problems(plan_id="family") == {}
    assert problems(plan_id="gold") == {"plan_id": "Plan is required"}


def test_time_of_sending_is_to_come_and_within_ninety_days():
    assert SendForm.parse({"when": ""}).at(NOON) == NOON
    tomorrow = SendForm.parse({"when": "2026-03-03T09:00"})
    assert tomorrow.at(NOON) == NOON + timedelta(hours=21)
    for when in ("2026-03-02T11:59", "2026-06-30T09:00"):
        with pytest.raises(InvalidForm) as refused:
            SendForm.parse({"when": when}).at(NOON)
        assert refused.value.messages.keys() == {"when"}


@pytest.mark.parametrize(
    ("due", "retried", "most"),
    [(0, 0, 100), (50, 0, 50), (51, 0, 0), (0, 999, 100), (0, 1_000, 0)],
)
def test_outbox_takes_more_once_half_is_out_and_few_are_retried(due, retried, most):
    assert room(due, retried) == most


def test_audience_in_words():
    both = Audience(people=1_200, mails=1_199, texts=1)
    assert (both.people_text, both.channels_text) == (
        "1,200 customers",
        "1,199 e-mails and 1 text message",
    )
    nobody = Audience()
    assert (nobody.people_text, nobody.channels_text) == ("", "")


def line(state: str, **more: object) -> AnnouncementLine:
    row = SimpleNamespace(
        id="1",
        subject="$5 off",
        kind="offer",
        plan_id=more.pop("plan_id", ""),
        state=state,
        changed_at=NOON,
        send_at=NOON,
    )
    facts: dict = {"messages": {}, "left": 0, "unsubscribed": 0, "now": NOON} | more
    return AnnouncementLine.of(row, "All areas", **facts)


def test_list_says_when_an_announcement_goes_out():
    assert line("draft").when == "Changed Mar 2, 2026, 12:00 PM"
    assert line("scheduled").when == "Goes out Mar 2, 2026, 12:00 PM"
    assert line("sending").when == "Began Mar 2, 2026, 12:00 PM"
    at_night = NOON + timedelta(hours=9)
    assert line("sending", now=at_night).when.endswith("It goes on at 8 AM")
    assert line("paused", now=at_night).when == "Began Mar 2, 2026, 12:00 PM"
    assert line("draft", plan_id="none").about == "Special offer · All areas · Without a plan"


def test_list_counts_what_has_become_of_the_messages():
    assert line("draft").counts == line("scheduled").counts == ""
    assert line("sending").counts == "Nothing sent"
    numbers = {
        ("mail", "sent"): 1_204,
        ("sms", "sent"): 80,
        ("mail", "queued"): 5,
        ("mail", "failed"): 3,
        ("sms", "skipped"): 2,
    }
    shown = line("sending", messages=numbers, left=95, unsubscribed=4)
    assert shown.counts == (
        "1,204 e-mails and 80 text messages sent · 100 waiting · 3 failed · 2 not sent · "
        "4 unsubscribed since"
    )
    assert (shown.done, shown.goal) == (1_289, 1_389)
