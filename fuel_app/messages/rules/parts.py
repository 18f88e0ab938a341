"""Parts of the contents of messages: their frame, facts and button."""

from dataclasses import dataclass

from fuel_app.settings import settings

BRAND = settings.brand_name
SITE = settings.public_url
HOST = SITE.partition("://")[2]
END = " Reply STOP to end."


Facts = tuple[tuple[str, str], ...]


def facts(*named: tuple[str, str]) -> Facts:
    """Return names with their values; those without one are left out."""
    return tuple(fact for fact in named if fact[1])


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
        body: Paragraphs of the staff's own, of any lines, whose addresses become links.
        code: Shown large.
        links: Other things to do, each in a line.
        closing: What to do if something is wrong, in small letters.
        sms: The whole as a text message, which ends with its link, if it has one.
        push: As a notification, where there is no text message to say it.
    """

    subject: str
    lead: str
    paragraphs: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    facts: Facts = ()
    code: str = ""
    button: Button | None = None
    links: tuple[Button, ...] = ()
    closing: str = ""
    sms: str = ""
    push: str = ""

    @property
    def at_a_glance(self) -> str:
        """Return what a notification says: the text message without its sender, link and STOP.

        It shows on locked screens, so it says no more. The link is what it opens.
        """
        said = self.push or self.sms.removeprefix(f"{BRAND}: ").removesuffix(END)
        if " " in said and said.rpartition(" ")[2].startswith(f"{SITE}/"):
            said = said.rpartition(" ")[0].rstrip(" .:") + "."
        return said[:1].upper() + said[1:]
