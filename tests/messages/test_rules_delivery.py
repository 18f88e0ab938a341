"""Rules by which a message may go, and the words of text messages to us."""

from datetime import timedelta
from typing import Any

import pytest

from fuel_app.messages.rules import delivery
from fuel_app.messages.rules.delivery import (
    Destination,
    PhoneStopped,
    Word,
    phone_of,
    reason_against,
    word_of,
)
from fuel_app.messages.rules.kinds import NotificationSettings, kind_of
from tests.helpers.outbox import NOON
from tests.messages.twilio import SETTINGS

MAIL = "ada@example.com"
OFF = NotificationSettings(*[False] * 9)
ON = NotificationSettings(*[True] * 9)


def against(kind: str, channel: str = "mail", late: float = -1, **known: Any) -> str:
    good_until = NOON - timedelta(minutes=late)
    to = Destination(**{"address": MAIL, **known})
    return reason_against(kind_of(kind), channel, to, good_until, NOON)


@pytest.mark.parametrize(
    ("kind", "known", "reason"),
    [
        ("day_before", {}, ""),
        ("day_before", {"chosen": ON}, ""),
        ("day_before", {"late": 1}, delivery.TOO_LATE),
        ("verify", {"address": ""}, delivery.NO_ADDRESS),
        ("password_changed", {"refused": True}, delivery.REFUSED),
        ("verify", {"refused": True}, ""),
        ("verify", {"unsubscribed": True, "chosen": OFF}, ""),
        ("payment_failed", {"unsubscribed": True, "chosen": OFF}, ""),
        ("completed", {"chosen": OFF}, ""),  # the receipt
        ("waitlist_welcome", {"unsubscribed": True}, delivery.UNSUBSCRIBED),
        ("day_before", {"chosen": OFF}, delivery.CHANNEL_OFF),
        ("day_before", {"chosen": NotificationSettings(day_before=False)}, delivery.SWITCHED_OFF),
        ("arrived", {"chosen": NotificationSettings()}, ""),
    ],
)
def test_mail(kind, known, reason):
    assert against(kind, **known) == reason


@pytest.mark.parametrize(
    ("kind", "known", "reason"),
    [
        ("on_the_way", {"chosen": ON, "agreed": True}, ""),
        ("on_the_way", {"chosen": ON, "agreed": True, "refused": True}, delivery.STOPPED),
        ("on_the_way", {"chosen": ON}, delivery.NO_CONSENT),
        ("on_the_way", {"address": "", "chosen": ON}, delivery.NO_PHONE),
        ("on_the_way", {"chosen": OFF, "agreed": True}, delivery.CHANNEL_OFF),
        ("payment_failed", {"chosen": OFF, "agreed": True}, delivery.CHANNEL_OFF),
        (
            "completed",
            {"chosen": NotificationSettings(completion=False, sms=True), "agreed": True},
            delivery.SWITCHED_OFF,
        ),
        ("sms_code", {"chosen": OFF}, ""),
        ("phone_code", {"refused": True}, delivery.STOPPED),
    ],
)
def test_text_messages(kind, known, reason):
    assert against(kind, "sms", **known) == reason


@pytest.mark.parametrize(
    ("kind", "known", "reason"),
    [
        ("on_the_way", {"chosen": ON}, ""),
        ("on_the_way", {"chosen": OFF}, delivery.CHANNEL_OFF),
        ("payment_failed", {"chosen": OFF}, delivery.CHANNEL_OFF),
        ("on_the_way", {"chosen": ON, "address": ""}, delivery.NO_DEVICE),
        ("on_the_way", {"chosen": ON, "late": 1}, delivery.TOO_LATE),
        (
            "completed",
            {"chosen": NotificationSettings(completion=False, push=True)},
            delivery.SWITCHED_OFF,
        ),
        ("route_changed", {"chosen": OFF}, ""),  # it is about work
    ],
)
def test_notifications(kind, known, reason):
    assert against(kind, "push", **known) == reason


def test_a_stopped_phone_is_told_our_number(configure):
    configure(delivery, **SETTINGS)
    assert str(PhoneStopped()).startswith("Text START to (941) 555-0100 first")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        *(("stop", Word.STOP), (" Stop! ", Word.STOP), ("opt-out", Word.STOP)),
        *(("Start", Word.START), ("HELP?", Word.HELP), ("stop it now", None)),
        *(("", None), (None, None), (7, None), ("stop" * 100, None), ("\u017ftop", Word.STOP)),
    ],
)
def test_words_of_text_messages(text, word):
    assert word_of(text) == word


def test_other_numbers_are_none_of_ours():
    for number in ("", None, 19415550123, "+49170123456", "9415550123", "+1" + "\u0661" * 10):
        assert phone_of(number) == ""
