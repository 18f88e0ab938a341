"""The two quote forms and their rules."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Any

from pydantic import PlainValidator

from fuel_app.areas.rules.places import LOCATION_MAX
from fuel_app.kit import contact
from fuel_app.kit.contact import one_of
from fuel_app.kit.forms import Form, line
from fuel_app.kit.words import counted
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

# With the ids of the quote and of a member of the staff behind it: the key of their mail.
NEWS_KEY = "new_quote:"
NOTES_MAX = 5000
COUNT_MAX = 1_000_000  # vehicles or employees
FUEL_STEP = Decimal("0.1")  # gallons
FUEL_MAX = Decimal(1_000_000)

_PHONE = re.compile(r"\(([0-9]{3})\) ([0-9]{3})-([0-9]{4})")
_PLAIN = re.compile(r"[0-9\s().+-]+")  # without letters, which would be cut from a number
_NUMBER = re.compile(
    r"[+-]?(?:\.[0-9]{1,30}|(?:[0-9]{1,30}|[0-9]{1,3}(?:,[0-9]{3}){1,9})(?:\.[0-9]{0,30})?)"
)


def _required(label: str, clean: Callable[[str], Any]) -> PlainValidator:
    def cleaned(value: object) -> Any:
        if not isinstance(value, str) or not value.strip():
            raise ValueError(f"{label} is required")
        return clean(value.strip())

    return PlainValidator(cleaned)


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


def _count(typed: str) -> int:
    return int(_number(typed, Decimal(1), Decimal(COUNT_MAX), step=Decimal(1)))


def _gallons(typed: str) -> float:
    return float(_number(typed, FUEL_STEP, FUEL_MAX, step=FUEL_STEP))


def _formatted_phone(typed: str) -> str:
    """Return ten digits, from exactly the form in which the field shows them."""
    match = _PHONE.fullmatch(typed)
    if not match:
        raise ValueError("Phone format: (XXX) XXX-XXXX")
    return "".join(match.groups())


def _any_phone(typed: str) -> str:
    """Return ten digits for a plain US number, else the text as typed: it may have an extension."""
    if _PLAIN.fullmatch(typed) and not contact.problem(contact.phone, typed):
        return contact.phone(typed)
    return contact.name("Phone", PHONE_MAX)(typed)


def _fuel_types(value: object) -> tuple[str, ...]:
    ticked = value if isinstance(value, list | tuple) else ()
    fuels = tuple(fuel for fuel in FUEL_TYPES if fuel in ticked)
    if not fuels:
        raise ValueError("Select at least one fuel type")
    return fuels


CompanyName = Annotated[str, line("Company name", COMPANY_MAX)]
ContactName = Annotated[str, line("Contact name")]
Email = Annotated[str, _required("Email", contact.email)]
Location = Annotated[str, line("Service location", LOCATION_MAX)]
Notes = Annotated[str, PlainValidator(contact.lines("Notes", NOTES_MAX))]


class FleetQuote(Form):
    """The fleet's form: phone as 10 digits, fuel in gallons per fill to a tenth."""

    company_name: CompanyName
    contact_name: ContactName
    email: Email
    phone: Annotated[str, _required("Phone", _formatted_phone)]
    vehicle_count: Annotated[int, _required("Number of vehicles", _count)]
    fuel_types: Annotated[tuple[str, ...], PlainValidator(_fuel_types)]
    fill_frequency: Annotated[str, PlainValidator(one_of("Fill frequency", FILL_FREQUENCIES))]
    estimated_fuel_amount: Annotated[float, _required("Estimated fuel amount", _gallons)]
    service_location: Location
    notes: Notes


class BusinessQuote(Form):
    """The business's form: phone as 10 digits, or as typed where it is no plain US number."""

    company_name: CompanyName
    contact_name: ContactName
    email: Email
    phone: Annotated[str, _required("Phone", _any_phone)]
    employee_count: Annotated[int, _required("Number of employees", _count)]
    industry: Annotated[str, PlainValidator(one_of("Industry", INDUSTRIES))]
    service_location: Location
    notes: Notes


def size_of(quote: FleetQuote | BusinessQuote) -> str:
    """Return what a quote is about: '12 vehicles, weekly', '40 employees, Healthcare'."""
    if isinstance(quote, FleetQuote):
        return f"{counted(quote.vehicle_count, 'vehicle')}, {quote.fill_frequency}"
    return f"{counted(quote.employee_count, 'employee')}, {quote.industry}"
