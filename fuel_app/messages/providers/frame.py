"""The frame of all messages: HTML and text are made of one content."""

from dataclasses import dataclass

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from fuel_app.kit import contact
from fuel_app.messages.rules.content import Content
from fuel_app.settings import settings

_MOST = 160  # characters of a subject
_environment = Environment(
    loader=PackageLoader("fuel_app.messages.providers"),
    autoescape=select_autoescape(["html"], default=False, default_for_string=True),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A message as it goes out."""

    subject: str
    text: str
    html: str


def rendered(content: Content, *, unsubscribe: str = "") -> Rendered:
    """Return a mail's subject, text and HTML; `unsubscribe` is a whole address."""
    values = {
        "content": content,
        "address": settings.public_url + content.button.path if content.button else "",
        "unsubscribe": unsubscribe,
        "site": settings.public_url,
        "brand": settings.brand_name,
        "company_address": settings.company_address,
        "support_email": settings.support_email,
        "support_phone": settings.support_phone,
    }
    # Names may be part of it: one line without control characters.
    subject = contact.text(content.subject)[:_MOST]
    return Rendered(subject, page("frame.txt", **values), page("frame.html", **values))


def page(name: str, **values: object) -> str:
    return _environment.get_template(name).render(**values)
