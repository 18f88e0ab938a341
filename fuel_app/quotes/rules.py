"""What may be asked for in a quote request, and what makes each of its fields right."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar, Self, TypedDict

from fuel_app.areas.rules import LOCATION_MAX
from fuel_app.kit import contact
from fuel_app.kit.contact import Cleaner
from fuel_app.leads.rules import COMPANY_MAX, PHONE_MAX

FILL_FREQUENCIES = ("daily", "weekly", "bi-weekly", "monthly", "as-needed")
FUEL_TYPES = ("gasoline", "diesel")
INDUSTRIES = (
    "Healthcare",
    "Technology",
    "Manufacturing",
    "Retail",
    "Professional Services",
    "Education",
    "Hospitality",
    "Construction",
    "Other",
)

NOTES_MAX = 5000
COUNT_MAX = 1_000_000  # vehicles or employees
FUEL_STEP = Decimal("0.1")  # gallons
FUEL_MAX = Decimal(1_000_000)

LABELS: Mapping[str, str] = {
    "company_name": "Company name",
    "contact_name": "Contact name",
    "email": "Email",
    "phone": "Phone",
    "vehicle_count": "Number of vehicles",
    "fuel_types": "Fuel types",
    "fill_frequency": "Fill frequency",
    "estimated_fuel_amount": "Estimated fuel amount",
    "employee_count": "Number of employees",
    "industry": "Industry",
    "service_location": "Service location",
    "notes": "Notes",
}

_PHONE = re.compile(r"\(([0-9]{3})\) ([0-9]{3})-([0-9]{4})")
_NUMBER = re.compile(
    r"[+-]?(?:\.[0-9]{1,30}|(?:[0-9]{1,30}|[0-9]{1,3}(?:,[0-9]{3}){1,9})(?:\.[0-9]{0,30})?)"
)


def required(field: str, clean: Callable[[str], Any]) -> Cleaner:
    def cleaned(value: object) -> Any:
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"{LABELS[field]} is required")
        return clean(value.strip())

    return cleaned


def _number(typed: str, least: Decimal, most: Decimal, step: Decimal) -> Decimal:
    if not _NUMBER.fullmatch(typed):
        raise ValueError("Must be a number")
    number = Decimal(typed.replace(",", ""))
    if number < least:
        raise ValueError("Must be greater than 0")
    if number > most:
        raise ValueError(f"Must be {most:,} or less")
    if number % step:
        raise ValueError("Must be a whole number" if step == 1 else "Use at most one decimal")
    return number


def count(typed: str) -> int:
    return int(_number(typed, Decimal(1), Decimal(COUNT_MAX), step=Decimal(1)))


def gallons(typed: str) -> float:
    return float(_number(typed, FUEL_STEP, FUEL_MAX, step=FUEL_STEP))


def formatted_phone(typed: str) -> str:
    """Ten digits, from exactly the form in which the field shows them."""
    match = _PHONE.fullmatch(typed)
    if not match:
        raise ValueError("Phone format: (XXX) XXX-XXXX")
    return "".join(match.groups())


def any_phone(typed: str) -> str:
    """Ten digits where that is what it is, else as typed: a switchboard has an extension."""
    if not contact.problem("phone", typed, {"phone": contact.phone}):
        return contact.phone(typed)
    return contact.name(LABELS["phone"], PHONE_MAX)(typed)


def one_of(field: str, options: Sequence[str]) -> Cleaner:
    def chosen(typed: str) -> str:
        if typed not in options:
            raise ValueError(f"{LABELS[field]} is required")
        return typed

    return required(field, chosen)


def fuel_types(value: object) -> tuple[str, ...]:
    ticked = value if isinstance(value, list | tuple) else ()
    known = tuple(fuel for fuel in FUEL_TYPES if fuel in ticked)
    if not known:
        raise ValueError("Select at least one fuel type")
    return known


def notes(value: object) -> str:
    """Lines as they were typed, each of them cleaned."""
    typed = value if isinstance(value, str) else ""
    lines = typed[: contact.TYPED_MAX].splitlines()
    cleaned = "\n".join(contact.text(line) for line in lines).strip()
    if len(typed) > contact.TYPED_MAX or len(cleaned) > NOTES_MAX:
        raise ValueError(f"{LABELS['notes']} must be {NOTES_MAX:,} characters or fewer")
    return cleaned


class _QuoteForm(TypedDict):
    company_name: str
    contact_name: str
    email: str
    phone: str
    service_location: str
    notes: str


class FleetQuoteForm(_QuoteForm):
    """What the browser sends."""

    vehicle_count: str
    fuel_types: list[str]
    fill_frequency: str
    estimated_fuel_amount: str


class BusinessQuoteForm(_QuoteForm):
    """What the browser sends."""

    employee_count: str
    industry: str


_SHARED: Mapping[str, Cleaner] = {
    "company_name": contact.name(LABELS["company_name"], COMPANY_MAX),
    "contact_name": contact.name(LABELS["contact_name"]),
    "email": required("email", contact.email),
}
_PLACE: Mapping[str, Cleaner] = {
    "service_location": contact.name(LABELS["service_location"], LOCATION_MAX),
    "notes": notes,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quote:
    cleaners: ClassVar[Mapping[str, Cleaner]]

    company_name: str
    contact_name: str
    email: str
    phone: str
    service_location: str
    notes: str

    @classmethod
    def parse(cls, form: object) -> Self:
        """Clean and check what was typed.

        Raises:
            InvalidForm: With a message for each field that is not right.
        """
        return cls(**contact.clean_form(form, cls.cleaners))


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetQuote(_Quote):
    """A valid request: phone as 10 digits, fuel in gallons per fill to a tenth."""

    cleaners: ClassVar[Mapping[str, Cleaner]] = {
        **_SHARED,
        "phone": required("phone", formatted_phone),
        "vehicle_count": required("vehicle_count", count),
        "fuel_types": fuel_types,
        "fill_frequency": one_of("fill_frequency", FILL_FREQUENCIES),
        "estimated_fuel_amount": required("estimated_fuel_amount", gallons),
        **_PLACE,
    }

    vehicle_count: int
    fuel_types: tuple[str, ...]
    fill_frequency: str
    estimated_fuel_amount: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BusinessQuote(_Quote):
    """A valid request: phone as 10 digits, or as typed where it is not a US number."""

    cleaners: ClassVar[Mapping[str, Cleaner]] = {
        **_SHARED,
        "phone": required("phone", any_phone),
        "employee_count": required("employee_count", count),
        "industry": one_of("industry", INDUSTRIES),
        **_PLACE,
    }

    employee_count: int
    industry: str
