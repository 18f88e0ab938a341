"""Reasons not to send a message, consent to text messages, and the words that end it."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from fuel_app.kit.contact import sender_text
from fuel_app.kit.errors import Refusal
from fuel_app.kit.outbox import MAIL, PUSH, SMS
from fuel_app.messages.rules.kinds import Category, Kind, NotificationSettings
from fuel_app.messages.rules.parts import BRAND
from fuel_app.settings import settings

TOO_LATE = "It is too late for it."
OUTDATED = "What it says has changed meanwhile."
NO_PERSON = "The account is deleted or deactivated."
NO_ADDRESS = "There is no address to send it to."
NO_PHONE = "There is no verified phone."
NO_DEVICE = "No device has notifications turned on."
REFUSED = "The address refuses mail."
UNVERIFIED = "The e-mail address is not verified."
UNSUBSCRIBED = "The recipient has unsubscribed."
STOPPED = "The recipient has texted STOP."
NO_CONSENT = "There is no consent to text messages."
CHANNEL_OFF = "The recipient has switched this channel off."
SWITCHED_OFF = "The recipient has switched this off."
LIMIT = "The recipient has had as many of these today as we send."
USED = "Its code or link is used, or replaced by a newer one."
NO_ACCOUNT = "No account has this e-mail."
# The notes of messages that are settled, though nothing can be sent here.
NO_MAIL_SERVER = "Not sent: no mail server is set."
NO_SMS_SERVICE = "Not sent: no text message service is set."
KEPT_HERE = (NO_MAIL_SERVER, NO_SMS_SERVICE)


@dataclass(frozen=True, slots=True)
class Destination:
    """The address of a message, and what is known of it.

    Args:
        address: Of a notification how many devices have it, as staff read it.
        chosen: The person's switches; None for an address that is no person's.
        refused: The address refuses mail, or the phone has sent STOP.
        agreed: To text messages; of marketing, to offers by text message.
        unverified: The e-mail is not known to be the person's: no reason against service.
    """

    address: str
    chosen: NotificationSettings | None = None
    refused: bool = False
    unsubscribed: bool = False
    agreed: bool = False
    unverified: bool = False


def reason_against(
    kind: Kind, channel: str, to: Destination, good_until: datetime | None, now: datetime
) -> str:
    """Return why a message is not sent, or an empty text."""
    if good_until and now > good_until:
        return TOO_LATE
    if not to.address:
        return {MAIL: NO_ADDRESS, SMS: NO_PHONE, PUSH: NO_DEVICE}[channel]
    if channel == MAIL:
        # A visitor has just asked for a code or a link: the mailbox may be there again.
        was_asked_for = kind.is_security and bool(kind.secrets)
        return REFUSED if to.refused and not was_asked_for else _against_mail(kind, to)
    if channel == PUSH:
        return _against_push(kind, to)
    return STOPPED if to.refused else _against_sms(kind, to)


def _against_mail(kind: Kind, to: Destination) -> str:
    if kind.always:
        return ""
    if to.unsubscribed:
        return UNSUBSCRIBED
    if to.unverified:
        return UNVERIFIED
    if to.chosen and not to.chosen.email:
        return CHANNEL_OFF
    return _against_kind(kind, to)


def _against_sms(kind: Kind, to: Destination) -> str:
    if kind.is_security:  # a code that its owner has asked for a moment ago
        return ""
    if to.chosen and not to.chosen.sms:
        return CHANNEL_OFF
    return _against_kind(kind, to) or ("" if to.agreed else NO_CONSENT)


def _against_push(kind: Kind, to: Destination) -> str:
    if kind.category is Category.WORK:  # what the device is there for; off is off there
        return ""
    if to.chosen and not to.chosen.push:
        return CHANNEL_OFF
    return _against_kind(kind, to)


def _against_kind(kind: Kind, to: Destination) -> str:
    is_on = not kind.switch or to.chosen is None or getattr(to.chosen, kind.switch)
    return "" if is_on else SWITCHED_OFF


# Stored with every consent: a change here holds for later ones alone.
WORDING = (
    f"I agree to receive text messages about my fill-ups from {BRAND} at this number. How many "
    "depends on my bookings. Message and data rates may apply. Reply STOP to end, HELP for help. "
    "Agreeing is not needed to buy anything."
)

# Advertising by text takes a consent of its own, at a number, that no purchase depends on
# (501.059 F.S., 47 CFR 64.1200). Stored likewise.
OFFERS_WORDING = (
    f"I agree that {BRAND} sends special offers by text message to my verified number, with a "
    "system that selects numbers and sends by itself: at most 3 in 24 hours, between 8 AM and "
    "8 PM. Message and data rates may apply. Reply STOP to end, HELP for help. Agreeing is not "
    "needed to buy anything."
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
