"""Files of a company, and the tax exemption that one of them proves."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated

from pydantic import PlainValidator

from fuel_app.companies.rules.companies import REASON_MAX, day
from fuel_app.kit import contact
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form, line

PERMIT, CERTIFICATE, PICTURE = DOCUMENTS = ("permit", "certificate", "picture")
FILE_MAX_BYTES = 5_000_000
FILE_NAME_MAX = 120
MOST_DOCUMENTS = 500

# Florida: resale and exempt organisations; the kind stands on the certificate.
EXEMPTION_KINDS = ("government", "nonprofit", "agriculture", "resale", "other")
EXEMPTION_NAMES: Mapping[str, str] = {
    "government": "Government",
    "nonprofit": "Nonprofit organization",
    "agriculture": "Agriculture",
    "resale": "Resale",
    "other": "Other",
}
ASKED, APPROVED, DECLINED, ENDED = EXEMPTION_STATES = ("asked", "approved", "declined", "ended")
CERTIFICATE_MAX = 60

_PDF, _PNG, _JPEG = b"%PDF-", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff"


def media_type_of(file: bytes) -> str | None:
    """Return the type of a file by its first bytes; None for one that is not taken."""
    kinds = ((_PDF, "application/pdf"), (_PNG, "image/png"), (_JPEG, "image/jpeg"))
    return next((kind for start, kind in kinds if file.startswith(start)), None)


def _last_day(value: object) -> date:
    found = day("Valid to")(value)
    if found is None:
        raise ValueError("Valid to is required")
    return found


class ExemptionForm(Form):
    """A claim to pay no tax; its certificate is uploaded before."""

    kind: Annotated[str, PlainValidator(contact.one_of("Kind", EXEMPTION_KINDS))]
    certificate: Annotated[str, line("Certificate number", CERTIFICATE_MAX)]
    valid_to: Annotated[date, PlainValidator(_last_day)]


class ExemptionDecline(Form):
    """Why an admin declines or ends an exemption; the company reads it."""

    reason: Annotated[str, line("Reason", REASON_MAX)]


@dataclass(frozen=True, slots=True)
class Exemption:
    """A tax exemption, as screens show it; an empty one is none."""

    id: str = ""
    kind: str = ""
    certificate: str = ""
    valid_to: str = ""
    state: str = ""
    state_text: str = ""
    document_id: str = ""
    document_name: str = ""


def is_exempt(state: str, valid_to: date, on: date) -> bool:
    """Return whether a fill of a day is free of tax: approved, and not yet over."""
    return state == APPROVED and on <= valid_to


def exemption_text(state: str, *, is_over: bool, valid_to: str, reason: str) -> str:
    """Return the state of an exemption in words; `valid_to` is a day in words."""
    if state == APPROVED:
        return f"Ended on {valid_to}" if is_over else f"Approved, valid to {valid_to}"
    words = {
        ASKED: "We are looking at it; until then tax is charged",
        DECLINED: f"Declined: {reason}",
        ENDED: f"Ended by us: {reason}",
    }
    return words[state]


class NotADocument(Refusal):
    message = "Choose a PDF, a JPEG or a PNG."


class DocumentTooLarge(Refusal):
    message = f"Choose a file of {FILE_MAX_BYTES // 1_000_000} MB or less."
    http_status = 413


class DocumentGone(Refusal):
    message = "This file is not there any more."
    http_status = 404


class TooManyDocuments(Refusal):
    message = f"A company keeps up to {MOST_DOCUMENTS} files."


class NoCertificate(Refusal):
    message = "Upload the certificate first."


class ExemptionGone(Refusal):
    message = "This exemption was decided or replaced meanwhile."
