"""Consent to text messages, and the words that end it."""

import re
from enum import StrEnum

from fuel_app.kit.contact import sender_text
from fuel_app.kit.errors import Refusal
from fuel_app.messages.rules.content.parts import BRAND
from fuel_app.settings import settings

# Stored with every consent: a change here holds for later ones alone.
WORDING = (
    f"I agree to receive text messages about my fill-ups from {BRAND} at this number. How many "
    "depends on my bookings. Message and data rates may apply. Reply STOP to end, HELP for help. "
    "Agreeing is not needed to buy anything."
)


class Word(StrEnum):
    """The request of a text message to us."""

    STOP = "STOP"
    START = "START"
    HELP = "HELP"


_WORDS = {
    **dict.fromkeys(
        ("STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "OPTOUT"), Word.STOP
    ),
    **dict.fromkeys(("START", "YES", "UNSTOP"), Word.START),
    **dict.fromkeys(("HELP", "INFO"), Word.HELP),
}
ANSWERS = {
    Word.STOP: f"{BRAND}: you get no more text messages from us. Reply START to have them again.",
    Word.START: f"{BRAND}: you get text messages about your fill-ups again. Reply STOP to end.",
    Word.HELP: f"{BRAND}: {settings.support_phone}, {settings.support_email}. "
    "Message and data rates may apply. Reply STOP to end.",
}


def word_of(text: object) -> Word | None:
    """Return what a text message asks for, if it does: 'Stop.', 'opt out'."""
    typed = text if isinstance(text, str) and len(text) <= 40 else ""
    return _WORDS.get(re.sub(r"[^A-Z]", "", typed.upper()))


def phone_of(number: object) -> str:
    """Return the ten digits of a US number such as +19415550100; empty for any other."""
    typed = number if isinstance(number, str) else ""
    return typed[2:] if re.fullmatch(r"\+1[0-9]{10}", typed) else ""


class PhoneStopped(Refusal):
    """The carriers let nothing through to a phone that has sent STOP until it sends START."""

    def __init__(self) -> None:
        ours = sender_text(settings.twilio_from)
        super().__init__(f"Text START to {ours} first: this phone has sent us STOP.")


class ConsentNeeded(Refusal):
    message = "Verify your phone and agree to text messages first."
