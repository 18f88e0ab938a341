"""Quote requests: what the browser sends, and what a valid request holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self, TypedDict

from fuel_app.domain.quotes import rules
from fuel_app.kit import contact
from fuel_app.kit.contact import Cleaner
from fuel_app.leads.rules import COMPANY_MAX


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
    "company_name": contact.name(rules.LABELS["company_name"], COMPANY_MAX),
    "contact_name": contact.name(rules.LABELS["contact_name"]),
    "email": rules.required("email", contact.email),
}
_PLACE: Mapping[str, Cleaner] = {
    "service_location": contact.name(rules.LABELS["service_location"], rules.LOCATION_MAX),
    "notes": rules.notes,
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
        "phone": rules.required("phone", rules.formatted_phone),
        "vehicle_count": rules.required("vehicle_count", rules.count),
        "fuel_types": rules.fuel_types,
        "fill_frequency": rules.one_of("fill_frequency", rules.FILL_FREQUENCIES),
        "estimated_fuel_amount": rules.required("estimated_fuel_amount", rules.gallons),
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
        "phone": rules.required("phone", rules.any_phone),
        "employee_count": rules.required("employee_count", rules.count),
        "industry": rules.one_of("industry", rules.INDUSTRIES),
        **_PLACE,
    }

    employee_count: int
    industry: str
