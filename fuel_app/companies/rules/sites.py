"""Sites of a company: the form, where the vehicles stand, the fire authority's permit."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.companies.rules.companies import STREET_MAX, day
from fuel_app.kit import contact
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form, ZipCode, line

SITE_MAX = 80
GATE_MAX = 30
TEXT_MAX = 500
HOURS_MAX = 120
PERMIT_MAX = 80
MOST_SITES = 200
PERMIT_WARNED = timedelta(days=30)

NO_PERMIT, VALID, ENDS_SOON, EXPIRED = PERMITS = ("none", "valid", "ends_soon", "expired")


def _optional(label: str, longest: int) -> PlainValidator:
    return PlainValidator(
        lambda value: contact.name(label, longest)(value) if contact.text(value) else ""
    )


def _optional_phone(value: object) -> str:
    return contact.phone(value) if contact.text(value) else ""


class SiteForm(Form):
    """A site with all that a technician needs at night."""

    name: Annotated[str, line("Name", SITE_MAX)]
    street: Annotated[str, line("Street", STREET_MAX)]
    city: Annotated[str, line("City")]
    zip_code: ZipCode
    gate_code: Annotated[str, _optional("Gate code", GATE_MAX)]
    contact_name: Annotated[str, _optional("Contact", contact.NAME_MAX)]
    contact_phone: Annotated[str, PlainValidator(_optional_phone)]
    hours: Annotated[str, _optional("Hours", HOURS_MAX)]
    parking: Annotated[str, PlainValidator(contact.lines("Where vehicles stand", TEXT_MAX))]
    permit_authority: Annotated[str, _optional("Authority", PERMIT_MAX)]
    permit_number: Annotated[str, _optional("Permit number", PERMIT_MAX)]
    permit_valid_to: Annotated[date | None, PlainValidator(day("Valid to"))]

    @property
    def postal(self) -> str:
        """Return what finds the site on a map."""
        return f"{self.street}, {self.city}, FL {self.zip_code}"


NEW_SITE = SiteForm.blank()


@dataclass(frozen=True, slots=True)
class Site:
    """A site as screens show it."""

    id: str = ""
    name: str = ""
    street: str = ""
    city: str = ""
    zip_code: str = ""
    address: str = ""
    lat: float = 0.0
    lng: float = 0.0
    is_approximate: bool = True  # its pin is the ZIP's centre
    gate_code: str = ""
    contact_name: str = ""
    contact_phone: str = ""  # ten digits, or none
    phone_text: str = ""
    hours: str = ""
    parking: str = ""
    permit_authority: str = ""
    permit_number: str = ""
    permit_valid_to: str = ""  # as a field holds it
    permit: str = NO_PERMIT
    permit_text: str = ""
    permit_document_id: str = ""
    picture_id: str = ""
    is_closed: bool = False


def permit_of(number: str, valid_to: date | None, today: date) -> str:
    """Return the state of a permit; one without an end is valid until it gets one."""
    if not number:
        return NO_PERMIT
    if valid_to is None or valid_to > today + PERMIT_WARNED:
        return VALID
    return ENDS_SOON if valid_to >= today else EXPIRED


def permit_text(permit: str, number: str, valid_to: str) -> str:
    """Return a permit in words; `valid_to` is a day in words, or empty."""
    words: Mapping[str, str] = {
        NO_PERMIT: "No permit on record",
        VALID: f"Permit {number}" + (f", valid to {valid_to}" if valid_to else ""),
        ENDS_SOON: f"Permit {number} ends on {valid_to}",
        EXPIRED: f"Permit {number} ended on {valid_to}",
    }
    return words[permit]


def to_do(sites: list[Site]) -> list[str]:
    """Return what a company's sites still need, in words."""
    open_sites = [site for site in sites if not site.is_closed]
    unset = [f"Set the pin of {site.name}" for site in open_sites if site.is_approximate]
    permits = [
        f"{site.name}: {site.permit_text}"
        for site in open_sites
        if site.permit in (ENDS_SOON, EXPIRED)
    ]
    return unset + permits


class SiteGone(Refusal):
    message = "This site is not there any more."


class SiteNameTaken(Refusal):
    message = "The company has a site of this name."


class TooManySites(Refusal):
    message = f"A company has up to {MOST_SITES} sites."


class SitePinTooFar(Refusal):
    message = "The pin is too far from this ZIP code. Put it where the vehicles stand."


class UnknownSiteZip(Refusal):
    message = "We cannot place this ZIP code on the map."
