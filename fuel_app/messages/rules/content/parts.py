"""The parts of which a message is made."""

from dataclasses import dataclass

from fuel_app.settings import settings

BRAND = settings.brand_name
SITE = settings.public_url
HOST = SITE.partition("://")[2]
END = " Reply STOP to end."


class MissingValue(Exception):  # noqa: N818 (a bug, not a refusal)
    """A message was queued without a value that its text needs."""


Facts = tuple[tuple[str, str], ...]


def facts(*known: tuple[str, str]) -> Facts:
    """Return names with their values; those without one are left out."""
    return tuple(fact for fact in known if fact[1])


@dataclass(frozen=True, slots=True)
class Button:
    """The one thing to do; `path` is an address of this site."""

    label: str
    path: str


@dataclass(frozen=True, slots=True)
class Content:
    """One message. Every value may hold anything: the frame escapes it.

    Args:
        lead: The sentence that matters.
        code: Shown large.
        closing: What to do if something is wrong, in small letters.
        sms: The whole as a text message.
    """

    subject: str
    lead: str
    paragraphs: tuple[str, ...] = ()
    facts: Facts = ()
    code: str = ""
    button: Button | None = None
    closing: str = ""
    sms: str = ""
