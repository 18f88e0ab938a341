"""The words of text messages to us, and their phones."""

import pytest

from fuel_app.messages.rules import delivery
from fuel_app.messages.rules.delivery import PhoneStopped, Word, phone_of, word_of
from tests.helpers.twilio import SETTINGS


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


@pytest.mark.parametrize("number", ["", None, 19415550123, "+49170123456", "9415550123"])
def test_other_numbers_are_none_of_ours(number):
    assert phone_of(number) == ""
