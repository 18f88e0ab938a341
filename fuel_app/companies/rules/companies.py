"""Companies: kinds, states, terms, what staff and the company itself change, and their list."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from pydantic import PlainValidator

from fuel_app.accounts.rules import Role
from fuel_app.kit import contact
from fuel_app.kit.errors import Refusal
from fuel_app.kit.forms import Form, line
from fuel_app.kit.lists import Question
from fuel_app.kit.money import Money, parse

NOUN = "company"  # in the audit log

FLEET, EMPLOYER = KINDS = ("fleet", "employer")
KIND_NAMES: Mapping[str, str] = {FLEET: "Fleet", EMPLOYER: "Employer"}
ACTIVE, ON_HOLD, CLOSED = STATES = ("active", "on_hold", "closed")
STATE_NAMES: Mapping[str, str] = {ACTIVE: "Active", ON_HOLD: "On hold", CLOSED: "Closed"}
CARD, NET_7, NET_15, NET_30 = TERMS = ("card", "net_7", "net_15", "net_30")
TERM_NAMES: Mapping[str, str] = {
    CARD: "By card",
    NET_7: "Net 7 days",
    NET_15: "Net 15 days",
    NET_30: "Net 30 days",
}
TERM_DAYS: Mapping[str, int] = {CARD: 0, NET_7: 7, NET_15: 15, NET_30: 30}
VISIT, WEEK, MONTH = CYCLES = ("visit", "week", "month")
CYCLE_NAMES: Mapping[str, str] = {VISIT: "Each visit", WEEK: "Weekly", MONTH: "Monthly"}

COMPANY_MAX = 120
STREET_MAX = 120
REASON_MAX = 300
EMAILS_MAX = 5
CENTER_MAX = 60
PO_MAX = 40
MOST_CENTERS = 200
MOST_ORDERS = 200
CREDIT_MOST = Money(100_000_000)  # a million dollars: above it, a typing mistake


def _optional(label: str, longest: int) -> PlainValidator:
    return PlainValidator(
        lambda value: contact.name(label, longest)(value) if contact.text(value) else ""
    )


def _choice(label: str, options: tuple[str, ...]) -> PlainValidator:
    return PlainValidator(contact.one_of(label, options))


def _optional_zip(value: object) -> str:
    return contact.zip_code(value) if contact.text(value) else ""


def _emails(value: object) -> tuple[str, ...]:
    """Return up to five addresses, each once, from a text with commas or lines between."""
    typed = value.replace(",", "\n").replace(";", "\n") if isinstance(value, str) else ""
    found = tuple(dict.fromkeys(contact.email(each) for each in typed.splitlines() if each.strip()))
    if not found:
        raise ValueError("At least one e-mail for invoices is required")
    if len(found) > EMAILS_MAX:
        raise ValueError(f"Enter {EMAILS_MAX} addresses or fewer")
    return found


def _kinds(value: object) -> tuple[str, ...]:
    ticked = value if isinstance(value, list | tuple) else [value]
    if found := tuple(kind for kind in KINDS if kind in ticked):
        return found
    raise ValueError("Choose at least one kind")


def _ticked(value: object) -> bool:
    return value not in (None, False, "", "false")


def _amount(label: str, most: Money = CREDIT_MOST) -> PlainValidator:
    """Return the rule of an amount in dollars; an empty field is None."""

    def clean(value: object) -> Money | None:
        if not contact.text(value):
            return None
        amount = parse(value)
        if amount is None or amount > most:
            raise ValueError(f"{label} is an amount such as 2,500, up to {most.short}")
        return amount

    return PlainValidator(clean)


def day(label: str) -> Callable[[object], date | None]:
    """Return the cleaner of a day as the browser's date field sends it; None for an empty one."""

    def clean(value: object) -> date | None:
        typed = contact.text(value)
        if not typed:
            return None
        try:
            return date.fromisoformat(typed)
        except ValueError:
            raise ValueError(f"{label} is a day such as 2027-03-31") from None

    return clean


class CompanyDetails(Form):
    """Names of a company and where its bills go; its owner and staff change them."""

    name: Annotated[str, line("Name", COMPANY_MAX)]
    legal_name: Annotated[str, _optional("Legal name", COMPANY_MAX)]
    billing_emails: Annotated[tuple[str, ...], PlainValidator(_emails)]
    street: Annotated[str, _optional("Street", STREET_MAX)]
    city: Annotated[str, _optional("City", contact.NAME_MAX)]
    state: Annotated[str, _optional("State", 2)]
    zip_code: Annotated[str, PlainValidator(_optional_zip)]


class BillingEmails(Form):
    """E-mails that invoices go to; an accountant changes no more of the details."""

    billing_emails: Annotated[tuple[str, ...], PlainValidator(_emails)]


class CompanyTerms(Form):
    """Terms of payment and the credit limit of a company: an admin's alone."""

    kinds: Annotated[tuple[str, ...], PlainValidator(_kinds)]
    terms: Annotated[str, _choice("Terms", TERMS)]
    invoice_cycle: Annotated[str, _choice("Invoice cycle", CYCLES)]
    po_required: Annotated[bool, PlainValidator(_ticked)]
    credit_limit: Annotated[Money | None, _amount("The credit limit")]


class StateChange(Form):
    """The form of holding, resuming or closing a company."""

    reason: Annotated[str, line("Reason", REASON_MAX)]


class CostCenter(Form):
    """A cost center with the most that it is to spend in a month."""

    name: Annotated[str, line("Name", CENTER_MAX)]
    monthly_budget: Annotated[Money | None, _amount("The budget")]


class PurchaseOrder(Form):
    """A purchase order: what it covers, until when."""

    number: Annotated[str, line("Number", PO_MAX)]
    amount: Annotated[Money | None, _amount("The amount")]
    valid_to: Annotated[date | None, PlainValidator(day("Valid to"))]


NEXT_STATES: Mapping[str, tuple[str, ...]] = {
    ACTIVE: (ON_HOLD, CLOSED),
    ON_HOLD: (ACTIVE, CLOSED),
    CLOSED: (ACTIVE,),
}


# Holding is the daily work of who plans; closing, and taking up again what was closed, an admin's.
def role_for(before: str, after: str) -> Role:
    """Return the role that takes a company from one state to another."""
    return Role.ADMIN if CLOSED in (before, after) else Role.DISPATCHER


@dataclass(frozen=True)
class CompanyQuery(Question):
    """The question that the staff's list of companies answers."""

    q: str = ""
    state: str = ""
    kind: str = ""
    sort: str = "name"

    COLUMNS = ("name", "state", "created_at")
    TYPED = ("q", "state", "kind")

    @classmethod
    def parse(cls, asked: Mapping[str, Any]) -> "CompanyQuery":
        known = {
            "state": asked.get("state") if asked.get("state") in STATES else "",
            "kind": asked.get("kind") if asked.get("kind") in KINDS else "",
        }
        return super().parse({**asked, **known})


@dataclass(frozen=True, slots=True)
class CompanyRow:
    """A company in the staff's list."""

    id: str
    name: str
    kinds: str
    state: str
    state_name: str
    sites: int
    people: int
    terms: str
    owner: str  # of the account, among staff
    since: str


TABS = ("overview", "sites", "people", "books", "tax", "audit")
OVERVIEW, SITES, PEOPLE, BOOKS, TAX, AUDIT = TABS


@dataclass(frozen=True)
class CompanyTab(Question):
    """The tab of a company that its address asks for."""

    tab: str = OVERVIEW

    @classmethod
    def parse(cls, asked: Mapping[str, Any]) -> "CompanyTab":
        tab = asked.get("tab")
        return super().parse({**asked, "tab": tab if tab in TABS else OVERVIEW})


@dataclass(frozen=True, slots=True)
class CompanyChange:
    """A change of a company in words, as its audit tab shows it."""

    what: str
    who: str
    when: str


@dataclass(frozen=True, slots=True)
class CostCenterLine:
    id: str
    name: str
    budget: str  # as it is shown; empty without one
    budget_typed: str
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class PurchaseOrderLine:
    id: str
    number: str
    amount: str
    amount_typed: str
    valid_to: str  # in words
    valid_to_day: str  # as a field holds it
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class CompanyProfile:
    """A company as staff and its own people see it."""

    id: str = ""
    name: str = ""
    legal_name: str = ""
    kinds: tuple[str, ...] = ()
    billing_emails: tuple[str, ...] = ()
    street: str = ""
    city: str = ""
    state_code: str = ""
    zip_code: str = ""
    terms: str = CARD
    invoice_cycle: str = MONTH
    po_required: bool = False
    credit_limit: str = ""  # as a field holds it; empty for none
    credit_limit_text: str = ""
    state: str = ACTIVE
    state_reason: str = ""
    account_owner_id: str = ""
    account_owner: str = ""
    price_rule: str = ""
    since: str = ""
    revision: int = 0


class CompanyGone(Refusal):
    message = "This company is not there."


class ChangedMeanwhile(Refusal):
    message = "Somebody else has changed this company meanwhile. You now see it as it is."


class NotFromHere(Refusal):
    message = "The company is not in a state for that any more."


class NameTaken(Refusal):
    message = "There is one of this name already."


class LineGone(Refusal):
    message = "This line is not there any more."


class TooManyLines(Refusal):
    message = "There is no room for more of them: close those that are not used any more."
