"""A proposal as its contacts read it, on the page and on paper, and how they answer it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, time
from typing import Annotated, Any

from pydantic import PlainValidator, ValidationInfo

from fuel_app.areas.rules.prices import DIESEL, GRADE_LABELS
from fuel_app.billing.rules.receipts import TAXES, UNDYED
from fuel_app.companies.rules.companies import CYCLE_NAMES, TERM_NAMES
from fuel_app.companies.rules.price_rules import RACK
from fuel_app.kit import contact
from fuel_app.kit.clock import date_and_time, long_date
from fuel_app.kit.forms import Form, line
from fuel_app.kit.words import and_list, counted
from fuel_app.proposals.rules.states import REASON_MAX, name_of
from fuel_app.proposals.rules.terms import WEEKDAYS, ProposalTerms
from fuel_app.settings import settings

CODE_MAX = 20
BINDS = "I may bind the company to this proposal."
CONSENTS = "I agree to sign electronically, which binds as a signature on paper does."
_LAW = "Signed electronically under the Uniform Electronic Transaction Act, s. 668.50, Florida "
_LAW += "Statutes."


@dataclass(frozen=True)
class Section:
    title: str
    facts: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Document:
    """A proposal in words; empty until it is loaded."""

    name: str = ""  # 'P-12, version 2'
    company: str = ""
    sections: list[Section] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def file_name(self) -> str:
        number, _, version = self.name.partition(", version ")
        return f"{number}-v{version}.pdf"


def document_of(terms: ProposalTerms, number: int, version: int) -> Document:
    """Return what a proposal says."""
    rule, sections = terms.price_rule, []
    company = [("Company", terms.company_name), ("Legal name", terms.legal_name)]
    company += [("For", str(each)) for each in terms.contacts]
    company += [("Valid until", long_date(terms.valid_until))]
    sections.append(_section("Proposal", company))
    vehicles = counted(int(terms.vehicle_count), "vehicle")
    served = [
        ("Fuel", and_list([GRADE_LABELS[each] for each in terms.products])),
        ("Vehicles", f"{vehicles}, about {terms.gallons:,} gallons each a fill"),
        ("Frequency", terms.frequency.replace("-", " ").capitalize()),
        ("Days", _days(terms.weekdays)),
        ("Window", f"{_clock(terms.opens)} to {_clock(terms.closes)}{_overnight(terms)}"),
    ]
    sections.append(_section("What we serve", served))
    sites = [(s.name, f"{s.street}, {s.city}, FL {s.zip_code}") for s in terms.sites]
    sections.append(_section("Where", sites))
    price = [
        ("Fuel", rule.label),
        ("Read from", rule.source if rule.basis == RACK else ""),
        ("Each visit", str(terms.visit_fee) if terms.visit_fee.cents else "No fee"),
        ("Each vehicle", str(terms.vehicle_fee) if terms.vehicle_fee.cents else "No fee"),
        ("Least a visit", counted(terms.minimum_gallons, "gallon") * bool(terms.minimum_gallons)),
    ]
    sections.append(_section("Price", price))
    pay = [
        ("Terms", TERM_NAMES[terms.payment]),
        ("Invoices", f"{CYCLE_NAMES[terms.invoice_cycle]}, to {terms.billing_email}"),
        ("Purchase order", "Needed on each invoice" if terms.po_required else "Not needed"),
    ]
    sections.append(_section("Payment", pay))
    notes = [each for each in terms.notes.splitlines() if each]
    notes += [TAXES, *([UNDYED] if DIESEL in terms.products else [])]
    return Document(name_of(number, version), terms.company_name, sections, notes)


def _section(title: str, facts: list[tuple[str, str]]) -> Section:
    return Section(title, [fact for fact in facts if fact[1]])


def _days(days: tuple[str, ...]) -> str:
    if days == WEEKDAYS:
        return "Every day"
    if days == WEEKDAYS[:5]:
        return "Monday to Friday"
    return and_list([each.capitalize() for each in days])


def _clock(at: time) -> str:
    return f"{at.hour % 12 or 12}:{at:%M %p}"


def _overnight(terms: ProposalTerms) -> str:
    return " the next morning" if terms.closes <= terms.opens else ""


def _same_name(value: object, info: ValidationInfo) -> str:
    """Return a signature, which repeats the name."""
    signature = contact.name("Signature")(value)
    if signature.casefold() != str(info.data.get("name", signature)).casefold():
        raise ValueError("Type your name as it stands above")
    return signature


def _agreed(problem: str) -> PlainValidator:
    def clean(value: object) -> bool:
        if value in (None, False, "", "false"):
            raise ValueError(problem)
        return True

    return PlainValidator(clean)


class Acceptance(Form):
    """How a contact accepts: the code of their mail, who they are, and their signature."""

    code: Annotated[str, line("Code", CODE_MAX)]
    name: Annotated[str, line("Name")]
    title: Annotated[str, line("Title")]
    binds: Annotated[bool, _agreed("Only somebody who may bind the company can accept")]
    consents: Annotated[bool, _agreed("Without it we need a signature on paper: please call us")]
    signature: Annotated[str, PlainValidator(_same_name)]


def _why(value: object) -> str:
    if why := contact.lines("Reason", REASON_MAX)(value):
        return why
    raise ValueError("Say why, in a word or two")


class Refused(Form):
    """Why a contact declines, or staff withdraw."""

    reason: Annotated[str, PlainValidator(_why)]


class Remark(Form):
    """Why an admin sends a proposal below the floor; empty where it is not."""

    reason: Annotated[str, PlainValidator(contact.lines("Reason", REASON_MAX))]


def evidence_of(
    acceptance: Acceptance, *, email: str, address: str, at: datetime, sha256: str
) -> dict[str, Any]:
    """Return what is stored of an acceptance."""
    return {
        "name": acceptance.name,
        "title": acceptance.title,
        "email": email,
        "at": at.isoformat(),
        "address": address,
        "sha256": sha256,
        "signature": acceptance.signature,
        "agreed": [BINDS, CONSENTS],
    }


def evidence_facts(evidence: Mapping[str, Any], reader: str | None = None) -> list[tuple[str, str]]:
    """Return an acceptance in words, as the page of evidence lists it.

    Args:
        reader: The e-mail of a contact who reads it: where the signer's code went, and from which
            network it came back, is no other contact's matter. None for staff and the PDF.
    """
    of_signer = [("Code sent to", evidence["email"]), ("Network address", evidence["address"])]
    agreed = [("Agreed to", each) for each in evidence["agreed"]]
    return [
        ("Signed by", f"{evidence['name']}, {evidence['title']}"),
        ("Signature", evidence["signature"]),
        ("Signed at", date_and_time(datetime.fromisoformat(evidence["at"]))),
        *(of_signer if reader in (None, evidence["email"]) else ()),
        *agreed,
        ("Document", f"SHA-256 {evidence['sha256']}"),
        ("Law", _LAW),
        ("Accepted from", settings.brand_name),
    ]
