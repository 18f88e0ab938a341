"""Reasons not to send a message, worded for the staff's screen."""

from dataclasses import dataclass
from datetime import datetime

from fuel_app.kit.outbox import MAIL
from fuel_app.messages.rules.kinds import Kind
from fuel_app.messages.rules.preferences import NotificationSettings

TOO_LATE = "It is too late for it."
OUTDATED = "What it says has changed meanwhile."
NO_PERSON = "The account is deleted or deactivated."
NO_ADDRESS = "There is no address to send it to."
NO_PHONE = "There is no verified phone."
REFUSED = "The address refuses mail."
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
        chosen: The person's switches; None for an address that is no person's.
        refused: The address refuses mail, or the phone has sent STOP.
        agreed: To text messages.
    """

    address: str
    chosen: NotificationSettings | None = None
    refused: bool = False
    unsubscribed: bool = False
    agreed: bool = False


def reason_against(
    kind: Kind, channel: str, to: Destination, good_until: datetime | None, now: datetime
) -> str:
    """Return why a message is not sent, or an empty text."""
    if good_until and now > good_until:
        return TOO_LATE
    if not to.address:
        return NO_ADDRESS if channel == MAIL else NO_PHONE
    if channel == MAIL:
        # A visitor has just asked for a code or a link: the mailbox may be there again.
        was_asked_for = kind.is_security and bool(kind.secrets)
        return REFUSED if to.refused and not was_asked_for else _against_mail(kind, to)
    return STOPPED if to.refused else _against_sms(kind, to)


def _against_mail(kind: Kind, to: Destination) -> str:
    if kind.always:
        return ""
    if to.unsubscribed:
        return UNSUBSCRIBED
    if to.chosen and not to.chosen.email:
        return CHANNEL_OFF
    return _against_kind(kind, to)


def _against_sms(kind: Kind, to: Destination) -> str:
    if kind.is_security:  # a code that its owner has asked for a moment ago
        return ""
    if to.chosen and not to.chosen.sms:
        return CHANNEL_OFF
    return _against_kind(kind, to) or ("" if to.agreed else NO_CONSENT)


def _against_kind(kind: Kind, to: Destination) -> str:
    is_on = not kind.switch or to.chosen is None or getattr(to.chosen, kind.switch)
    return "" if is_on else SWITCHED_OFF
